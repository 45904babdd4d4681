// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"

namespace dyn::jsim {

// This project's own: everything in the base frame, moments about the base origin, so that composite inertias are plain
// sums over subtrees. One body: mass m, first moment h = m c, second moment about the base origin
// G = S + m c c^T with S = tr(I)/2 - I. The rotational inertia acts as I x = tr(G) x - G x.
template <class T>
class Fused {
 public:
  static constexpr std::string_view name = "fused";
  static constexpr std::string_view source = "dyn_control docs/algorithms.md";
  static constexpr unsigned needs = needs_inertias;

  explicit Fused(int capacity) : mass_(at(capacity)), h_(at(capacity)), G_(at(capacity)) {}

  // in: ws.R, origin, axis, com, inertia.  out: M, symmetric, in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> M) noexcept {
    sum_subtrees(tree, ws);
    M.setZero();
    for (int i = 0; i < tree.size; ++i) {
      const auto u = static_cast<size_t>(i);
      const Twist Ji = unit_twist(tree, ws, u);
      // F = (m Jv + Jw x h, I Jw + h x Jv)
      const Vec3<T> force = Ji.linear * mass_[u] + Ji.angular.cross(h_[u]);
      const Vec3<T> moment = Ji.angular * G_[u].trace() - G_[u] * Ji.angular + h_[u].cross(Ji.linear);
      for (int j = i; j >= 0; j = tree.parent[static_cast<size_t>(j)]) {
        const Twist Jj = unit_twist(tree, ws, static_cast<size_t>(j));
        M(i, j) = M(j, i) = force.dot(Jj.linear) + moment.dot(Jj.angular);  // M_ij = F_i . J_j
      }
    }
  }

 private:
  struct Twist {
    Vec3<T> linear, angular;  // of the point of the body that is at the base origin
  };

  static size_t at(int n) { return static_cast<size_t>(n); }

  static Twist unit_twist(const Tree& tree, const Workspace<T>& ws, size_t i) noexcept {
    if (tree.motion[i] == Motion::prismatic) return {ws.axis[i], Vec3<T>::Zero()};
    return {ws.origin[i].cross(ws.axis[i]), ws.axis[i]};
  }

  void sum_subtrees(const Tree& tree, const Workspace<T>& ws) noexcept {
    for (size_t i = 0; i < at(tree.size); ++i) {
      mass_[i] = T(tree.mass[i]);
      h_[i] = ws.com[i] * mass_[i];
      G_[i] = Mat3<T>::Identity() * (ws.inertia[i].trace() * T(0.5)) - ws.inertia[i] + h_[i] * ws.com[i].transpose();
    }
    for (size_t i = at(tree.size); i-- > 0;) {
      if (tree.parent[i] < 0) continue;
      const size_t p = at(tree.parent[i]);
      mass_[p] += mass_[i];
      h_[p] += h_[i];
      G_[p] += G_[i];
    }
  }

  std::vector<T> mass_;
  std::vector<Vec3<T>> h_;
  std::vector<Mat3<T>> G_;
};

}  // namespace dyn::jsim
