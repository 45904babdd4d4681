// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Memory of the lane forms: numbers at a multiple of 64 bytes, and a tree cut into segments.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "dyn_core/model/tree.hpp"
#include "lanes/segment.hpp"

namespace dyn::lanes {

struct FreeAligned {
  void operator()(double* p) const noexcept { ::operator delete (p, std::align_val_t{64}); }
};
using Aligned = std::unique_ptr<double, FreeAligned>;

// So many zeros, at a multiple of 64 bytes.
inline Aligned aligned(size_t count) {
  auto* p = static_cast<double*>(::operator new (sizeof(double) * (count + 8), std::align_val_t{64}));
  std::fill_n(p, count + 8, 0.0);
  return Aligned(p);
}

// A tree cut into segments, depth first, with blocks of `width` lanes.
struct Cut {
  Cut(const Tree& tree, int width);
  std::vector<Segment> segments;
  std::vector<int> segment_of;  // a body
  int blocks = 0;
};

}  // namespace dyn::lanes
