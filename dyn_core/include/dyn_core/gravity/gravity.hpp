// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn {

// g_i = -(dp_com/dq_i) . sum over the subtree of m g0: with the subtree's mass m and first moment h about the joint,
// prismatic: -m z . g0,  revolute: -z . (h x g0).
template <class T>
class Gravity {
 public:
  static constexpr unsigned needs = needs_positions;

  explicit Gravity(int capacity) : mass_(capacity), moment_(capacity) {}

  // out: g in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity, VectorRef<T> g) noexcept {
    DYN_EXPECTS(ws.capacity >= tree.size && g.size() == tree.size);
    for (int i = 0; i < tree.size; ++i) {
      mass_[i] = T(tree.mass[i]);
      moment_[i] = (ws.com[i] - ws.origin[i]) * mass_[i];
    }
    for (int i = tree.size - 1; i >= 0; --i) {
      g[i] = tree.motion[i] == Motion::prismatic ? T(-(ws.axis[i].dot(gravity) * mass_[i]))
                                                 : T(-ws.axis[i].dot(moment_[i].cross(gravity)));
      if (tree.parent[i] < 0) continue;
      const int p = tree.parent[i];
      mass_[p] += mass_[i];
      moment_[p] += moment_[i] + (ws.origin[i] - ws.origin[p]) * mass_[i];
    }
  }

 private:
  std::vector<T> mass_;          // of the subtree
  std::vector<Vec3<T>> moment_;  // first moment of the subtree about the joint's origin, base axes
};

}  // namespace dyn
