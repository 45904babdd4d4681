// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M column by column: column i above the diagonal has an entry for each joint that supports body i. These joints are
// runs of neighbours: those before it in its own segment, then whole segments towards the base. W of them side by side.
#pragma once

#include "lanes/rows.hpp"

namespace {

// use(first, end) for these runs, the one of body i's own segment first, which ends at own_end.
template <class Use>
DYN_INLINE void for_runs(const Plan& plan, int i, int own_end, const Use& use) {
  const Segment* segment = plan.segment + plan.segment_of[i];
  use(segment->first_body, own_end);
  while (segment->parent >= 0) {
    segment = plan.segment + segment->parent;
    use(segment->first_body, segment->first_body + segment->bodies);
  }
}
DYN_INLINE void store_lanes(double* to, V value, int lanes) {
  lanes >= W ? store(to, value) : store_first(to, value, lanes);
}

// make(first, lanes): elements of joints first .. first + lanes against body i.
template <class Make>
DYN_INLINE void column_above(const Plan& plan, int i, double* M, const Make& make) {
  double* column = M + static_cast<long>(i) * plan.bodies;
  for_runs(plan, i, i + 1, [&](int begin, int end) {
    for (int first = begin; first < end; first += W) {
      const int lanes = end - first < W ? end - first : W;
      store_lanes(column + first, make(first, lanes), lanes);
    }
  });
}

// The lower triangle of M from the upper one of `upper`: squares of W by W transposed, the edges number by number.
DYN_INLINE void mirror(const double* upper, double* M, int n) {
  const int whole = n < 2 * W ? 0 : n / W * W;
  for (int i = 0; i < whole; i += W) {
    for (int j = 0; j < i; j += W) {
      V r[W];
      load_transposed(upper + static_cast<long>(i) * n + j, n, W, r);
      for (int k = 0; k < W; ++k) store(M + static_cast<long>(j + k) * n + i, r[k]);
    }
  }
  for (int i = 1; i < n; ++i) {
    const int from = i < whole ? i / W * W : 0;
    for (int j = from; j < i; ++j) copy_one(upper + static_cast<long>(i) * n + j, M + static_cast<long>(j) * n + i);
  }
}
DYN_INLINE void mirror(double* M, int n) { mirror(M, M, n); }

// The two work matrices, columns of `stride` numbers, so that whole vectors may be written.
DYN_INLINE double* square(const Plan& plan, int which) {
  return plan.squares + static_cast<long>(which) * (plan.bodies + W) * plan.stride;
}
DYN_INLINE void clear_square(const Plan& plan, int which) {
  double* to = square(plan, which);
  for (long i = 0; i < static_cast<long>(plan.bodies) * plan.stride; i += W) store(to + i, V{});
}

// Adds the first `lanes` lanes of x to a column; the numbers after them belong to other joints.
DYN_INLINE void add_lanes(double* to, int lanes, V x) {
  store(to, load(to) + (lanes < W ? first_of(lanes, x, V{}) : x));
}

// The first `lanes` lanes of a, the others 0.
DYN_INLINE V3 first_of(int lanes, const V3& a) {
  return {first_of(lanes, a.x, V{}), first_of(lanes, a.y, V{}), first_of(lanes, a.z, V{})};
}
DYN_INLINE V3 first_of(int lanes, const V3& a, const V3& b) {
  return {first_of(lanes, a.x, b.x), first_of(lanes, a.y, b.y), first_of(lanes, a.z, b.z)};
}

// Sum over the lanes, in all of them.
DYN_INLINE V3 total(const V3& a) { return first<Bodies>(sum_down<Bodies>(a)); }

}  // namespace
