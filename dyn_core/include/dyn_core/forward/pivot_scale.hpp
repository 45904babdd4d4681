// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The test for a singular M. All forward dynamics here eliminate one joint after the other, and divide by a pivot: the
// articulated-body inertia about the joint's axis, all joints beyond it being free. Rounding leaves a pivot that should
// be zero at about 1e-16 of the inertia of all bodies that the joint carries; so it is compared with that.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "dyn_core/kinematics/workspace.hpp"

namespace dyn::forward {

// An upper bound of the carried inertia for all joint angles: mass, and J = integral of r^2 dm about the joint's
// origin. About an origin at the distance d, sqrt(J) grows by at most d sqrt(m):  J_p += J + 2 d sqrt(J m) + d^2 m.
template <class T>
class PivotScale {
 public:
  static constexpr double tolerance =
      std::is_same_v<T, float> ? 16.0 * static_cast<double>(std::numeric_limits<float>::epsilon()) : 1e-13;

  explicit PivotScale(int capacity) : mass_(capacity), J_(capacity) {}

  void update(const Tree& tree, const Workspace<T>& ws) noexcept {
    using std::abs;
    using std::sqrt;
    for (int i = 0; i < tree.size; ++i) {
      mass_[i] = T(tree.mass[i]);
      J_[i] = static_cast<T>(0.5 * tree.inertia_com[i].trace() + tree.mass[i] * tree.com[i].squaredNorm());
    }
    for (int i = tree.size; i-- > 0;) {
      if (tree.parent[i] < 0) continue;
      const int p = tree.parent[i];
      auto distance = static_cast<T>(tree.parent_p_joint[i].norm());
      if (tree.motion[i] == Motion::prismatic) distance += abs(ws.q[i]);
      const T reach = distance * mass_[i];
      mass_[p] += mass_[i];
      J_[p] += J_[i] + distance * reach + T(2.0) * sqrt(J_[i] * mass_[i]) * distance;
    }
  }

  [[nodiscard]] T scale(const Tree& tree, int i) const noexcept {
    return tree.motion[i] == Motion::revolute ? J_[i] : mass_[i];
  }
  // True also for pivots that are negative or not a number.
  [[nodiscard]] static bool vanishes(const T& pivot, const T& scale) noexcept {
    return !(pivot > T(tolerance) * scale);
  }
  [[nodiscard]] bool vanishes(const Tree& tree, int i, const T& pivot) const noexcept {
    return vanishes(pivot, scale(tree, i));
  }

 private:
  std::vector<T> mass_, J_;  // of the subtree
};

}  // namespace dyn::forward
