// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The force and moment that move a body, as a linear function of its ten parameters (Atkeson, An and Hollerbach 1986),
// and from it the regressors of a tree: of the joint torques, of the generalised momentum, and of the momentum's rate.
// double runs the lane form of the first, src/regressor/, by the passes of `fused`.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/regressor/layout.hpp"

namespace dyn::regressor {

// One column a parameter; base axes, moments about the body's origin.
template <class T>
struct WrenchColumns {
  std::array<Vec3<T>, parameters_per_body> force, moment;
};

// e_x, e_y, e_z: axes of the link; w, dw: angular velocity and acceleration; a: acceleration of the origin less gravity
//   m:       force a
//   m c_k:   force dw x e_k + w x (w x e_k),  moment e_k x a
//   I_kl:    moment K dw + w x K w,  K = e_k e_k^T, or e_k e_l^T + e_l e_k^T for k != l
template <class T>
WrenchColumns<T> wrench_columns(const Mat3<T>& axes, const Vec3<T>& w, const Vec3<T>& dw, const Vec3<T>& a) noexcept {
  WrenchColumns<T> c;
  c.force.fill(Vec3<T>::Zero());
  c.force[0] = a;
  c.moment[0] = Vec3<T>::Zero();
  for (int k = 0; k < 3; ++k) {
    const Vec3<T> e = axes.col(k);
    c.force[1 + k] = dw.cross(e) + w.cross(Vec3<T>(w.cross(e)));
    c.moment[1 + k] = e.cross(a);
  }
  int column = 4;
  for (int l = 0; l < 3; ++l) {  // xx, xy, yy, xz, yz, zz
    for (int k = 0; k <= l; ++k) {
      const Vec3<T> e = axes.col(k), f = axes.col(l);
      const auto K = [&](const Vec3<T>& x) {
        return k == l ? Vec3<T>(e * e.dot(x)) : Vec3<T>(e * f.dot(x) + f * e.dot(x));
      };
      c.moment[column++] = K(dw) + w.cross(K(w));
    }
  }
  return c;
}

// All results: a row a coordinate, ten columns a body of the layout; entries of joints that do not move a body are 0.
template <class T>
class TreeRegressor {
 public:
  static constexpr std::string_view lane_form = "src/regressor/regressor_lanes.cpp";
  static constexpr unsigned needs = needs_velocities;

  explicit TreeRegressor(int capacity) : dw_(capacity), acceleration_(capacity) {}

  // Y p = tau.  in: positions and velocities of ws, ws.v, ws.a.
  DYN_REALTIME void torque(const Tree& tree, const Layout& layout, const Workspace<T>& ws, const Vec3<T>& gravity,
                           MatrixRef<T> Y) noexcept {
    accelerate(tree, ws, gravity);
    Y.setZero();
    for (int b = 0; b < layout.size(); ++b) {
      const int i = layout.body[b];
      const WrenchColumns<T> columns = wrench_columns(axes(layout, ws, b), ws.omega[i], dw_[i], acceleration_[i]);
      for (int j = i; j >= 0; j = tree.parent[j]) add_row(tree, j, unit_twist(tree, ws, j, i), columns, b, Y);
    }
  }

  // Y p = M v: the momentum of a body is its wrench at rest with its own velocity as the acceleration.
  DYN_REALTIME void momentum(const Tree& tree, const Layout& layout, const Workspace<T>& ws, MatrixRef<T> Y) noexcept {
    Y.setZero();
    for (int b = 0; b < layout.size(); ++b) {
      const int i = layout.body[b];
      const WrenchColumns<T> columns = momentum_columns(layout, ws, b);
      for (int j = i; j >= 0; j = tree.parent[j]) add_row(tree, j, unit_twist(tree, ws, j, i), columns, b, Y);
    }
  }

  // Y p = C^T v - g, the derivative of kinetic less potential energy by q: d/dt (M v) = tau + C^T v - g. A body with
  // momentum (p, L) adds to row j, with v_p the twist of joint j's parent body:
  //   (p, L) . (v_p x S_j)  +  weight . S_j
  DYN_REALTIME void momentum_rate(const Tree& tree, const Layout& layout, const Workspace<T>& ws,
                                  const Vec3<T>& gravity, MatrixRef<T> Y) noexcept {
    Y.setZero();
    const Vec3<T> none = Vec3<T>::Zero();
    for (int b = 0; b < layout.size(); ++b) {
      const int i = layout.body[b];
      const WrenchColumns<T> columns = momentum_columns(layout, ws, b);
      const WrenchColumns<T> weight = wrench_columns(axes(layout, ws, b), none, none, gravity);
      for (int j = i; j >= 0; j = tree.parent[j]) {
        const Twist S = unit_twist(tree, ws, j, i);
        add_row(tree, j, S, weight, b, Y);
        const int p = tree.parent[j];
        if (p < 0) continue;
        const Vec3<T>& w = ws.omega[p];
        const Vec3<T> v = ws.velocity[p] + w.cross(Vec3<T>(ws.origin[i] - ws.origin[p]));
        add_row(tree, j, Twist{w.cross(S.v) + v.cross(S.w), w.cross(S.w)}, columns, b, Y);
      }
    }
  }

 private:
  struct Twist {
    Vec3<T> v, w;
  };

  static Mat3<T> axes(const Layout& layout, const Workspace<T>& ws, int b) noexcept {
    return ws.R[layout.body[b]] * layout.body_R_link[b].template cast<T>();
  }
  static WrenchColumns<T> momentum_columns(const Layout& layout, const Workspace<T>& ws, int b) noexcept {
    const int i = layout.body[b];
    return wrench_columns(axes(layout, ws, b), Vec3<T>(Vec3<T>::Zero()), ws.omega[i], ws.velocity[i]);
  }

  // Unit twist of joint j, its linear part that of the point at the origin of body i.
  static Twist unit_twist(const Tree& tree, const Workspace<T>& ws, int j, int i) noexcept {
    if (tree.motion[j] == Motion::prismatic) return {ws.axis[j], Vec3<T>::Zero()};
    return {ws.axis[j].cross(Vec3<T>(ws.origin[i] - ws.origin[j])), ws.axis[j]};
  }

  static void add_row(const Tree& tree, int j, const Twist& twist, const WrenchColumns<T>& columns, int b,
                      MatrixRef<T>& Y) noexcept {
    for (int k = 0; k < parameters_per_body; ++k) {
      const T value = twist.v.dot(columns.force[k]) + twist.w.dot(columns.moment[k]);
      Y(tree.coordinate[j], parameters_per_body * b + k) += tree.has_mimic ? T(T(tree.ratio[j]) * value) : value;
    }
  }

  //   dw = dw_p + w_p x z v + z a                                    (v, a only of revolute joints)
  //   a  = a_p + dw_p x r + w_p x (w_p x r) + 2 w_p x z v + z a      (v, a only of prismatic joints), r = o - o_p
  void accelerate(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity) noexcept {
    for (int i = 0; i < tree.size; ++i) {
      const int p = tree.parent[i];
      const Vec3<T> rate = ws.axis[i] * ws.v[i], joint_acceleration = ws.axis[i] * ws.a[i];
      const bool turns = tree.motion[i] == Motion::revolute;
      Vec3<T> dw = Vec3<T>::Zero(), a = -gravity;
      if (p >= 0) {
        const Vec3<T> r = ws.origin[i] - ws.origin[p];
        const Vec3<T>& w = ws.omega[p];
        const Vec3<T> coriolis = w.cross(rate);
        a = acceleration_[p] + dw_[p].cross(r) + w.cross(Vec3<T>(w.cross(r)));
        dw = dw_[p];
        turns ? dw += coriolis : a += coriolis * T(2.0);
      }
      turns ? dw += joint_acceleration : a += joint_acceleration;
      dw_[i] = dw;
      acceleration_[i] = a;
    }
  }

  std::vector<Vec3<T>> dw_, acceleration_;
};

}  // namespace dyn::regressor
