// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// C in O(n d) by recursion over parents, in link frames (d: depth of the tree). After S. Echeandia and P. M. Wensing,
// "Numerical Methods to Compute the Coriolis Matrix and Christoffel Symbols for Rigid-Body Systems", J. Comput.
// Nonlinear Dynam. 16(9), 2021. Runs in the control loop: compute() does not allocate.
// double runs the lane form, src/coriolis/recursive_lanes.cpp, in base axes: composites are sums along chains, F1, F2
// and F3 are seen from all ancestors at once.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::coriolis {

// Per body, in its own frame, twist V = (w, v), spatial inertia I = (m, h = m c, J about the origin):
//   B = 1/2 [ (V x*) I - I (V x) + (I V) xbar* ],        (f xbar*) x = x x* f
// Its only blocks that are not 0: a 3x3 one, N, from angular rate to moment, and -[p] from angular rate to force, where
// p = m v + w x h is the momentum, L = J w + h x v the moment of momentum:
//   2 N = [w] J - J [w] - [v][h] - [h][v] - [L]
// Composites over subtrees from the tips inwards, Ic and Bc, then for each joint j, with dS = V x S:
//   F1 = Ic dS + Bc S,   F2 = Ic S,   F3 = Bc^T S
//   C_ij = S_i . F1  for i = j and every ancestor i,     C_ji = dS_i . F2 + S_i . F3  for every strict ancestor i,
// F1, F2 and F3 being carried from frame to frame along the ancestors; F3 = (N^T z, 0) or (p x z, 0) is a pure moment.
template <class T>
class Recursive {
 public:
  static constexpr std::string_view name = "recursive";
  static constexpr std::string_view source = "Echeandia and Wensing 2021, O(n d), link frames";
  static constexpr std::string_view lane_form = "src/coriolis/recursive_lanes.cpp";
  static constexpr unsigned needs = needs_trigonometry;

  explicit Recursive(int capacity) : body_(capacity) {}

  // in: q, v and trigonometry of ws.  out: C in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> C) noexcept {
    DYN_EXPECTS(fits(tree, ws, C));
    for (int i = 0; i < tree.size; ++i) {
      outwards(tree, ws, i);
      body_terms(tree, i);
    }
    for (int i = tree.size - 1; i >= 0; --i) {
      if (tree.parent[i] >= 0) add_to_parent(body_[i], body_[tree.parent[i]]);
    }
    C.setZero();
    for (int j = 0; j < tree.size; ++j) column_and_row(tree, j, C);
  }

 private:
  struct Body {
    Mat3<T> R;       // from this frame to the parent's
    Vec3<T> r;       // origin in the parent's frame
    Vec3<T> w, v;    // twist of the body at its origin
    Vec3<T> dw, dv;  // dS = V x S
    T m;             // composite inertia: mass,
    Vec3<T> h;       // first moment,
    Mat3<T> J;       // moment of inertia
    Mat3<T> N;       // composite B: from angular rate to moment
    Vec3<T> p;       // composite momentum
  };
  struct Force {
    Vec3<T> n, f;
  };

  static bool turns(const Tree& tree, int i) noexcept { return tree.motion[i] == Motion::revolute; }

  // Frame and twist of a body from its parent's: V = X V_parent + S v.
  void outwards(const Tree& tree, const Workspace<T>& ws, int i) noexcept {
    Body& b = body_[i];
    const Mat3<T> R = tree.parent_R_joint[i].template cast<T>();
    b.r = tree.parent_p_joint[i].template cast<T>();
    if (turns(tree, i)) {
      b.R.col(0) = R.col(0) * ws.cos_q[i] + R.col(1) * ws.sin_q[i];
      b.R.col(1) = R.col(1) * ws.cos_q[i] - R.col(0) * ws.sin_q[i];
      b.R.col(2) = R.col(2);
    } else {
      b.R = R;
      b.r += R.col(2) * ws.q[i];
    }
    if (tree.parent[i] >= 0) {
      const Body& parent = body_[tree.parent[i]];
      b.w = b.R.transpose() * parent.w;
      b.v = b.R.transpose() * (parent.v + parent.w.cross(b.r));
    } else {
      b.w.setZero();
      b.v.setZero();
    }
    (turns(tree, i) ? b.w : b.v).z() += ws.v[i];
    // revolute: (w x z, v x z),  prismatic: (0, w x z)
    const auto cross_z = [](const Vec3<T>& x) { return Vec3<T>(x.y(), -x.x(), T(0.0)); };
    b.dw = turns(tree, i) ? cross_z(b.w) : Vec3<T>(Vec3<T>::Zero());
    b.dv = cross_z(turns(tree, i) ? b.v : b.w);
  }

  // J = J_com + m (c.c 1 - c c^T), and N as above.
  void body_terms(const Tree& tree, int i) noexcept {
    Body& b = body_[i];
    const Vec3<T> c = tree.com[i].template cast<T>();
    b.m = T(tree.mass[i]);
    b.h = c * b.m;
    b.J = tree.inertia_com[i].template cast<T>() + Mat3<T>::Identity() * b.h.dot(c) - b.h * c.transpose();
    b.p = b.v * b.m + b.w.cross(b.h);
    const Vec3<T> L = b.J * b.w + b.h.cross(b.v);
    const Mat3<T> turn = skew(b.w) * b.J;                                              // [w] J; transposed: -J [w]
    const Mat3<T> shift = b.h * b.v.transpose() - Mat3<T>::Identity() * b.h.dot(b.v);  // [v][h]; transposed: [h][v]
    b.N = (turn + turn.transpose() - shift - shift.transpose() - skew(L)) * T(0.5);
  }

  // Ic and Bc in the parent's frame, with rotated h and p:
  // J + 2 r.h 1 - r h^T - h r^T + m (r.r 1 - r r^T),  N - [r][p].
  static void add_to_parent(const Body& b, Body& parent) noexcept {
    const Vec3<T> h = b.R * b.h;
    const Vec3<T> p = b.R * b.p;
    const Vec3<T> half = b.r * (b.m * T(0.5)) + h;
    const Mat3<T> outer = b.r * half.transpose();
    const T twice = T(2.0) * b.r.dot(half);
    const T rp = b.r.dot(p);
    parent.m += b.m;
    parent.h += h + b.r * b.m;
    parent.p += p;
    parent.J += Mat3<T>(b.R * b.J) * b.R.transpose() + Mat3<T>::Identity() * twice - outer - outer.transpose();
    // [r][p] = p r^T - r.p 1
    parent.N += Mat3<T>(b.R * b.N) * b.R.transpose() + Mat3<T>::Identity() * rp - p * b.r.transpose();
  }

  // A force in the parent's frame: (R n + r x R f, R f).
  static Force carried(const Body& b, const Force& force) noexcept {
    const Vec3<T> f = b.R * force.f;
    return {b.R * force.n + b.r.cross(f), f};
  }

  // Ic (w, v)
  static Force momentum(const Body& b, const Vec3<T>& w, const Vec3<T>& v) noexcept {
    return {b.J * w + b.h.cross(v), v * b.m + w.cross(b.h)};
  }

  void column_and_row(const Tree& tree, int j, MatrixRef<T>& C) noexcept {
    const Body& b = body_[j];
    const Vec3<T> z = Vec3<T>::UnitZ();
    const Vec3<T> zero = Vec3<T>::Zero();
    const bool revolute = turns(tree, j);
    Force F1 = momentum(b, b.dw, b.dv);
    Force F2 = momentum(b, revolute ? z : zero, revolute ? zero : z);
    Vec3<T> F3 = revolute ? Vec3<T>(b.N.row(2).transpose()) : Vec3<T>(b.p.cross(z));
    if (revolute) {
      F1.n += b.N.col(2);
      F1.f += z.cross(b.p);
    }
    C(j, j) = revolute ? F1.n.z() : F1.f.z();
    for (int i = j; tree.parent[i] >= 0;) {
      F1 = carried(body_[i], F1);
      F2 = carried(body_[i], F2);
      F3 = body_[i].R * F3;
      i = tree.parent[i];
      const Body& a = body_[i];
      C(i, j) = turns(tree, i) ? F1.n.z() : F1.f.z();
      C(j, i) = a.dw.dot(F2.n) + a.dv.dot(F2.f);
      if (turns(tree, i)) C(j, i) += F3.z();
    }
  }

  std::vector<Body> body_;
};

}  // namespace dyn::coriolis
