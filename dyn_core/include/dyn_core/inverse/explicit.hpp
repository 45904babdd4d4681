// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Inverse dynamics by the explicit sums of paper 000 (Wang and Ju), eqs 8-14: each is a sum over a chain
// or a subtree, in any order; no body's acceleration is computed from its parent's.
// double runs the lane form, src/inverse/explicit_lanes.cpp: the same sums, W bodies side by side.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::inverse {

// With w the angular velocity of a body, n a joint's axis, l' the parent of l, r_l'l from origin to origin (and from
// the last origin of the chain to the centre of mass), "chain" from the base to k, everything in the base frame:
//   s_l     = n_l qdd_l + w_l' x n_l qd_l   (revolute; 0 if prismatic)         the summand of (3)
//   alpha_k = sum over the chain of s_l                                        (3)
//   a_k     = sum over the chain and the centre of mass of
//               n_l qdd_l - [r_l'l] sum over the chain to l' of s_j            (11), (12)
//             + [w_l']^2 r_l'l + 2 w_l' x n_l qd_l                             (13), (14)
//   tau_u   = n_u . sum over the subtree of  m_k (a_k - g)                                   prismatic, (12) + (13)
//   tau_u   = n_u . sum over the subtree of  I_k alpha_k + w_k x I_k w_k + m_k r_uI x (a_k - g)  revolute, (11) + (14)
// (13) and (14) alone are not the bias: the products w_l' x n_l qd_l inside (11) and (12) belong to it.
template <class T>
class Explicit {
 public:
  static constexpr std::string_view name = "explicit";
  static constexpr std::string_view source = "000 Wang and Ju, eqs 8-14";
  static constexpr std::string_view lane_form = "src/inverse/explicit_lanes.cpp";
  static constexpr unsigned needs = needs_all;

  explicit Explicit(int capacity) : spin_(capacity), force_(capacity), moment_(capacity) {}

  // in: positions, inertias, omega of ws, ws.v, ws.a.  out: tau in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity,
                            VectorRef<T> tau) noexcept {
    DYN_EXPECTS(ws.capacity >= tree.size && tau.size() == tree.size);
    for (int l = 0; l < tree.size; ++l) spin_[l] = angular_summand(tree, ws, l);
    for (int k = 0; k < tree.size; ++k) {
      const Vec3<T>& w = ws.omega[k];
      force_[k] = (com_acceleration(tree, ws, k) - gravity) * T(tree.mass[k]);
      moment_[k] = ws.inertia[k] * angular_acceleration(tree, k) + w.cross(ws.inertia[k] * w);
    }
    for (int u = 0; u < tree.size; ++u) tau[u] = project(tree, ws, u);
  }

 private:
  static bool turns(const Tree& tree, int l) noexcept { return tree.motion[l] == Motion::revolute; }

  // s_l of (3)
  static Vec3<T> angular_summand(const Tree& tree, const Workspace<T>& ws, int l) noexcept {
    if (!turns(tree, l)) return Vec3<T>::Zero();
    Vec3<T> s = ws.axis[l] * ws.a[l];
    if (tree.parent[l] >= 0) s += ws.omega[tree.parent[l]].cross(ws.axis[l] * ws.v[l]);
    return s;
  }

  // (3)
  [[nodiscard]] Vec3<T> angular_acceleration(const Tree& tree, int k) const noexcept {
    Vec3<T> sum = Vec3<T>::Zero();
    for (int l = k; l >= 0; l = tree.parent[l]) sum += spin_[l];
    return sum;
  }

  // The inner sums of (11), (12) and of (13), (14)
  [[nodiscard]] Vec3<T> com_acceleration(const Tree& tree, const Workspace<T>& ws, int k) const noexcept {
    Vec3<T> sum = swing(tree, ws, k, ws.com[k] - ws.origin[k]);
    for (int l = k; l >= 0; l = tree.parent[l]) {
      const int parent = tree.parent[l];
      if (parent >= 0) sum += swing(tree, ws, parent, ws.origin[l] - ws.origin[parent]);
      if (turns(tree, l)) continue;
      sum += ws.axis[l] * ws.a[l];
      if (parent >= 0) sum += ws.omega[parent].cross(ws.axis[l] * ws.v[l]) * T(2.0);
    }
    return sum;
  }

  // -[r] alpha + [w]^2 r: acceleration of the end of r, fixed to body l, relative to its beginning
  [[nodiscard]] Vec3<T> swing(const Tree& tree, const Workspace<T>& ws, int l, const Vec3<T>& r) const noexcept {
    const Vec3<T>& w = ws.omega[l];
    return angular_acceleration(tree, l).cross(r) + w.cross(w.cross(r));
  }

  // (10)
  [[nodiscard]] T project(const Tree& tree, const Workspace<T>& ws, int u) const noexcept {
    Vec3<T> sum = Vec3<T>::Zero();
    for (int k = u; k < tree.subtree_end[u]; ++k) {
      if (turns(tree, u)) {
        sum += moment_[k] + Vec3<T>(ws.com[k] - ws.origin[u]).cross(force_[k]);
      } else {
        sum += force_[k];
      }
    }
    return ws.axis[u].dot(sum);
  }

  std::vector<Vec3<T>> spin_;            // s of each joint
  std::vector<Vec3<T>> force_, moment_;  // of each body, about its centre of mass
};

}  // namespace dyn::inverse
