// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The points about which `fused` takes moments: one point P for each chain of bodies with a single child each, at the
// origin of the chain's last body, fixed in space. Within a chain quantities are simply added; from a chain to its
// parent chain they are shifted by `offset`. Points near the bodies save the digits of small links far from the base.
#pragma once

#include <vector>

#include "dyn_core/kinematics/workspace.hpp"

namespace dyn {

template <class T>
class ChainPoints {
 public:
  explicit ChainPoints(int capacity) : children_(capacity), point_(capacity), offset_(capacity) {}

  // in: origin of ws.
  void update(const Tree& tree, const Workspace<T>& ws) noexcept {
    for (int i = 0; i < tree.size; ++i) {
      children_[i] = 0;
      if (tree.parent[i] >= 0) ++children_[tree.parent[i]];
    }
    for (int i = tree.size; i-- > 0;) point_[i] = children_[i] == 1 ? point_[i + 1] : ws.origin[i];
    for (int i = 0; i < tree.size; ++i) {
      if (starts_chain(tree, i)) offset_[i] = point_[i] - point_[tree.parent[i]];
    }
  }

  [[nodiscard]] const Vec3<T>& point(int i) const noexcept { return point_[i]; }  // P of body i's chain, base frame

  // Does body i begin a chain, its parent body being on another one?
  [[nodiscard]] bool starts_chain(const Tree& tree, int i) const noexcept {
    return tree.parent[i] >= 0 && children_[tree.parent[i]] != 1;
  }
  // From the parent's P to that of body i; only where i starts a chain.
  [[nodiscard]] const Vec3<T>& offset(int i) const noexcept { return offset_[i]; }

 private:
  std::vector<int> children_;
  std::vector<Vec3<T>> point_, offset_;
};

}  // namespace dyn
