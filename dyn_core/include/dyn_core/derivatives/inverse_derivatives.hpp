// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the inverse dynamics in closed form, by Singh, Russell and Wensing, "Efficient analytical derivatives
// of rigid-body dynamics using spatial vector algebra" (IEEE RA-L, 2022), for bodies that one simple joint moves each.
// double runs the lane form, src/derivatives/: the same terms as 3-vectors, by the passes of `fused`.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"

namespace dyn::derivatives {

// Spatial vectors (linear; angular), base axes, about one point P that is fixed in space: where the last body's origin
// is now, so that small robots far from the base lose no digits. x is the cross product of twists, x* that of a
// twist with a wrench, <x*> its second argument's: f <x*> u = u x* f. With p the body before j, and a0 = -g at the
// base:
//   v_j = v_p + S_j qd_j,  S'_j = v_p x S_j,  a_j = a_p + S_j qdd_j + S'_j qd_j,  S''_j = a_p x S_j + v_p x S'_j
//   f = I a + v x* I v,  B = ((v x*) I - I (v x) + (I v) <x*>) / 2        of a body; summed over subtrees: I, B, f
//   dtau_i/dq_j = S_i . (2 B_j S'_j + I_j S''_j + S_j x* f_j)                 i = j, or i an ancestor of j
//               = (2 B_i^T S_i) . S'_j + (I_i S_i) . S''_j                    i in the subtree of j, i not j
//   dtau_i/dv_j = S_i . 2 (B_j S_j + I_j S'_j),  or  2 (B_i^T S_i) . S_j + 2 (I_i S_i) . S'_j
//   and 0 between branches;  dtau/da = M.
template <class T>
class InverseDerivatives {
 public:
  static constexpr std::string_view source = "Singh, Russell and Wensing 2022";
  static constexpr std::string_view lane_form = "src/derivatives/derivatives_lanes.cpp";
  static constexpr unsigned needs = needs_inertias;

  explicit InverseDerivatives(int capacity) : body_(capacity) {}

  // in: positions and inertias of ws, ws.v, ws.a.  out: matrices in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity, MatrixRef<T> dtau_dq,
                            MatrixRef<T> dtau_dv) noexcept {
    for (int i = 0; i < tree.size; ++i) outwards(tree, ws, gravity, i);
    dtau_dq.setZero();
    dtau_dv.setZero();
    for (int j = tree.size; j-- > 0;) {
      inwards(tree, j, dtau_dq, dtau_dv);
      if (tree.parent[j] < 0) continue;
      Body& parent = body_[tree.parent[j]];
      parent.I += body_[j].I;
      parent.B += body_[j].B;
      parent.f += body_[j].f;
    }
  }

 private:
  using Spatial = Eigen::Matrix<T, 6, 1, Eigen::DontAlign>;
  using Square = Eigen::Matrix<T, 6, 6, Eigen::DontAlign>;
  struct Body {
    Spatial S, dS, ddS, v, a, f;
    Square I, B;
  };

  static Square square(const Mat3<T>& a, const Mat3<T>& b, const Mat3<T>& c, const Mat3<T>& d) noexcept {
    Square m;
    m << a, b, c, d;
    return m;
  }
  // v x
  static Square cross_twist(const Spatial& v) noexcept {
    const Mat3<T> w = skew<T>(v.template tail<3>());
    return square(w, skew<T>(v.template head<3>()), Mat3<T>::Zero(), w);
  }
  // v x*
  static Square cross_wrench(const Spatial& v) noexcept {
    const Mat3<T> w = skew<T>(v.template tail<3>());
    return square(w, Mat3<T>::Zero(), skew<T>(v.template head<3>()), w);
  }
  // f <x*>
  static Square cross_by(const Spatial& f) noexcept {
    const Mat3<T> force = skew<T>(-f.template head<3>());
    return square(Mat3<T>::Zero(), force, force, skew<T>(-f.template tail<3>()));
  }

  void outwards(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity, int i) noexcept {
    Body& b = body_[i];
    const Vec3<T>& P = ws.origin[tree.size - 1];
    const bool turns = tree.motion[i] == Motion::revolute;
    const Vec3<T> lever = ws.origin[i] - P;
    if (turns) {
      b.S << lever.cross(ws.axis[i]), ws.axis[i];
    } else {
      b.S << ws.axis[i], Vec3<T>::Zero();
    }
    const int p = tree.parent[i];
    Spatial v = Spatial::Zero(), a;
    a << -gravity, Vec3<T>::Zero();
    if (p >= 0) {
      v = body_[p].v;
      a = body_[p].a;
    }
    const Square vx = cross_twist(v);
    b.dS = vx * b.S;
    b.ddS = cross_twist(a) * b.S + vx * b.dS;
    b.v = v + b.S * ws.v[i];
    b.a = a + b.S * ws.a[i] + b.dS * ws.v[i];
    const auto m = static_cast<T>(tree.mass[i]);
    const Mat3<T> c = skew<T>(ws.com[i] - P);
    b.I = square(Mat3<T>::Identity() * m, c * -m, c * m, ws.inertia[i] - c * c * m);
    const Spatial momentum = b.I * b.v;
    b.f = b.I * b.a + cross_wrench(b.v) * momentum;
    b.B = (cross_wrench(b.v) * b.I - b.I * cross_twist(b.v) + cross_by(momentum)) * T(0.5);
  }

  // Columns j of the ancestors' rows, and row j of the ancestors' columns.
  void inwards(const Tree& tree, int j, MatrixRef<T>& dtau_dq, MatrixRef<T>& dtau_dv) noexcept {
    const Body& b = body_[j];
    const T two(2.0);
    const Spatial along_q = b.B * b.dS * two + b.I * b.ddS + cross_wrench(b.S) * b.f;
    const Spatial along_v = (b.B * b.S + b.I * b.dS) * two;
    const Spatial F = b.I * b.S, D = b.B.transpose() * b.S * two;
    dtau_dq(j, j) = b.S.dot(along_q);
    dtau_dv(j, j) = b.S.dot(along_v);
    for (int i = tree.parent[j]; i >= 0; i = tree.parent[i]) {
      const Body& above = body_[i];
      dtau_dq(i, j) = above.S.dot(along_q);
      dtau_dv(i, j) = above.S.dot(along_v);
      dtau_dq(j, i) = D.dot(above.dS) + F.dot(above.ddS);
      dtau_dv(j, i) = D.dot(above.S) + F.dot(above.dS) * two;
    }
  }

  std::vector<Body> body_;
};

}  // namespace dyn::derivatives
