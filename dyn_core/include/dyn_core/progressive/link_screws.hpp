// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One link by itself, paper 002 (Laus, Simoni and Martins): its Jacobian in principal screws, and from it M_i, C_i,
// g_i. Shared by jsim/screw.hpp, coriolis/screw.hpp and link_terms.hpp. Takes memory in the constructor only.
#pragma once

#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/model/principal_inertia.hpp"

namespace dyn {

// The joints that support a link form its chain, numbered here from the link inwards: 0 is the link's own joint.
// Results are passed to a function as (chain index, chain index, value); entries not passed are 0 (padding of the sum).
template <class T>
class LinkScrews {
 public:
  static constexpr unsigned needs = needs_positions;

  explicit LinkScrews(int capacity) : body_(capacity), twist_(capacity), screw_(capacity) {}

  // J_i^{Ci}, eqs 28-31: column j is the twist of the link's centre of mass for a unit rate of joint j, in the link's
  // principal axes: (z_j, z_j x (c - p_j)), prismatic (0, z_j). T_0^{Ci} (eq 29) with R_C^i of eq 11 merged into R.
  DYN_REALTIME void update(const Tree& tree, const Workspace<T>& ws, int link,
                           const PrincipalInertia& inertia) noexcept {
    to_axes_ = (ws.R[link] * inertia.axes.cast<T>()).transpose();
    radii_ = inertia.radii.cast<T>();
    mass_ = T(inertia.mass_kg);
    size_ = 0;
    Vec3<T> arm = ws.R[link] * inertia.com_m.cast<T>();  // c - p_j
    for (int j = link; j >= 0; j = tree.parent[j]) {
      const bool turns = tree.motion[j] == Motion::revolute;
      const Vec3<T> z = to_axes_ * ws.axis[j];
      Twist& J = twist_[size_];
      J.angular = turns ? z : Vec3<T>(Vec3<T>::Zero());
      J.linear = turns ? Vec3<T>(z.cross(to_axes_ * arm)) : z;
      screw_[size_] = on_principal_screws(J);
      body_[size_++] = j;
      if (tree.parent[j] >= 0) arm += ws.origin[j] - ws.origin[tree.parent[j]];
    }
  }

  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] int body(int chain_index) const noexcept { return body_[chain_index]; }

  // M_i = J^T Mbar J (eq 21) with Mbar = m/2 S_C^T S_C (eq 10): add(a, b, value) for b <= a, to be mirrored.
  template <class Add>
  DYN_REALTIME void mass(Add&& add) const noexcept {
    for (int a = 0; a < size_; ++a) {
      for (int b = 0; b <= a; ++b) add(a, b, inertia_product(screw_[a], screw_[b]));
    }
  }

  // C_i from M_i by Christoffel symbols, eq 35: every dM_xy/dq_z enters C_xy, C_xz and C_zx.
  // In the link's own frame J_j changes only with joints k beyond j: dJ_j/dq_k = J_j x J_k, the motion cross product,
  // so dM_jl/dq_k = (J_j x J_k) . Mbar J_l + J_j . Mbar dJ_l/dq_k.  rate(c): that of chain joint c.
  template <class Rate, class Add>
  DYN_REALTIME void coriolis(Rate&& rate, Add&& add) const noexcept {
    for (int j = 1; j < size_; ++j) {
      for (int k = 0; k < j; ++k) {
        const Screws change = on_principal_screws(cross(twist_[j], twist_[k]));
        for (int l = 0; l < size_; ++l) {
          const T half = inertia_product(change, screw_[l]) * T(0.5);
          const auto symbols = [&](int x, int y) {  // half of dM_xy/dq_k
            const T term = half * rate(y);
            add(x, y, half * rate(k));
            add(x, k, term);
            add(k, x, -term);
          };
          symbols(j, l);
          symbols(l, j);
        }
      }
    }
  }

  // g_i = -m Jbar^T g0 (eq 36): add(a, value).
  template <class Add>
  DYN_REALTIME void gravity(const Vec3<T>& g0, Add&& add) const noexcept {
    const Vec3<T> weight = (to_axes_ * g0) * mass_;
    for (int a = 0; a < size_; ++a) add(a, -twist_[a].linear.dot(weight));
  }

 private:
  struct Twist {
    Vec3<T> angular, linear;
  };
  struct Screws {  // S_C times a twist: components along the screws of positive and of negative pitch
    Vec3<T> positive, negative;
  };

  [[nodiscard]] bool massless() const noexcept { return mass_ == T(0.0); }

  // Rows (a, 0, 0; 1, 0, 0), (-a, 0, 0; 1, 0, 0), ... of eqs 2-7; eq 9 where there is no mass.
  [[nodiscard]] Screws on_principal_screws(const Twist& t) const noexcept {
    const Vec3<T> turn = radii_.cwiseProduct(t.angular);
    if (massless()) return {turn, Vec3<T>::Zero()};
    return {turn + t.linear, t.linear - turn};
  }

  // x^T Mbar y
  [[nodiscard]] T inertia_product(const Screws& x, const Screws& y) const noexcept {
    if (massless()) return x.positive.dot(y.positive);
    return (x.positive.dot(y.positive) + x.negative.dot(y.negative)) * (mass_ * T(0.5));
  }

  static Twist cross(const Twist& a, const Twist& b) noexcept {
    return {a.angular.cross(b.angular), a.angular.cross(b.linear) + a.linear.cross(b.angular)};
  }

  std::vector<int> body_;
  std::vector<Twist> twist_;
  std::vector<Screws> screw_;
  Vec3<T> radii_ = Vec3<T>::Zero();
  Mat3<T> to_axes_ = Mat3<T>::Identity();  // base to principal axes
  T mass_ = T(0.0);
  int size_ = 0;
};

}  // namespace dyn
