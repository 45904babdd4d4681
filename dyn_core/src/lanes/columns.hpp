// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M column by column: column i above the diagonal is of the joints that support body i, which are runs of neighbours:
// those before it in its own segment, then whole segments towards the base. W of them side by side.
#pragma once

#include "lanes/rows.hpp"

namespace {

// make(first, lanes): elements of joints first .. first + lanes against body i.
template <class Make>
DYN_INLINE void column_above(const Plan& plan, int i, double* M, const Make& make) {
  double* column = M + static_cast<long>(i) * plan.bodies;
  int end = i + 1;
  for (int s = plan.segment_of[i]; s >= 0; s = plan.segment[s].parent) {
    const Segment& segment = plan.segment[s];
    if (s != plan.segment_of[i]) end = segment.first_body + segment.bodies;
    for (int first = segment.first_body; first < end; first += W) {
      const int lanes = end - first < W ? end - first : W;
      const V value = make(first, lanes);
      lanes == W ? store(column + first, value) : store_first(column + first, value, lanes);
    }
  }
}

// What is below the diagonal from what is above it: squares of W by W turned over, the edges number by number.
DYN_INLINE void mirror(double* M, int n) {
  const int whole = n < 2 * W ? 0 : n / W * W;
  for (int i = 0; i < whole; i += W) {
    for (int j = 0; j < i; j += W) {
      V r[W];
      load_transposed(M + static_cast<long>(i) * n + j, n, W, r);
      for (int k = 0; k < W; ++k) store(M + static_cast<long>(j + k) * n + i, r[k]);
    }
  }
  for (int i = 1; i < n; ++i) {
    const int from = i < whole ? i / W * W : 0;
    for (int j = from; j < i; ++j) copy_one(M + static_cast<long>(i) * n + j, M + static_cast<long>(j) * n + i);
  }
}

// Sum over the lanes, in all of them.
DYN_INLINE V3 total(const V3& a) { return first<Bodies>(sum_down<Bodies>(a)); }

}  // namespace
