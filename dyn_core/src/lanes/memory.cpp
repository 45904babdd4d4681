// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "lanes/memory.hpp"

namespace dyn::lanes {

// A body belongs to its parent's segment if it is the parent's only child.
Cut::Cut(const Tree& tree, int width) : segment_of(tree.size) {
  std::vector<int> children(tree.size, 0);
  for (const int p : tree.parent) {
    if (p >= 0) ++children[p];
  }
  for (int i = 0; i < tree.size; ++i) {
    const int p = tree.parent[i];
    if (p >= 0 && children[p] == 1) {
      ++segments.back().bodies;
    } else {
      segments.push_back({i, 1, 0, 0, p < 0 ? -1 : segment_of[p], {0.0, 0.0, 0.0}});
    }
    segment_of[i] = static_cast<int>(segments.size()) - 1;
  }
  for (Segment& s : segments) {
    s.first_block = blocks;
    s.blocks = (s.bodies + width - 1) / width;
    blocks += s.blocks;
  }
}

}  // namespace dyn::lanes
