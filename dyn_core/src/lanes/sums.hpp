// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Sums over the bodies from the base to a body, and over its subtree, W bodies of a chain side by side: by doubling
// steps within a block; the sum so far is carried from block to block and from segment to segment.
#pragma once

#include "lanes/columns.hpp"

namespace {

// kRows numbers of W bodies.
template <int kRows>
struct Numbers {
  V x[kRows];
};
DYN_INLINE Numbers<3> numbers(const V3& a) { return {{a.x, a.y, a.z}}; }
DYN_INLINE Numbers<6> numbers(const Moments& a) { return {{a.xx, a.yy, a.zz, a.xy, a.xz, a.yz}}; }
DYN_INLINE V3 vector(const Numbers<3>& a) { return {a.x[0], a.x[1], a.x[2]}; }
DYN_INLINE Moments moments(const Numbers<6>& a) { return {a.x[0], a.x[1], a.x[2], a.x[3], a.x[4], a.x[5]}; }

// Stores the first `lanes` lanes only: the numbers after them belong to another segment.
template <int kRows>
DYN_INLINE void store_own(const Plan& plan, int name, int body, int lanes, const Numbers<kRows>& a) {
  const bool whole = body + lanes == plan.bodies;  // there is room behind the last body
  for (int r = 0; r < kRows; ++r) store_lanes(row(plan, name + r) + body, a.x[r], whole ? W : lanes);
}

// Rows `to`: sum over the bodies from the base to each one of make(body). use(body, sum of the parent).
template <int kRows, class Make, class Use>
DYN_INLINE void sum_from_base(const Plan& plan, int to, const Make& make, const Use& use) {
  for (int s = 0; s < plan.segments; ++s) {
    const Segment& segment = plan.segment[s];
    Numbers<kRows> before{};
    if (segment.parent >= 0) {
      const Segment& parent = plan.segment[segment.parent];
      for (int r = 0; r < kRows; ++r) before.x[r] = all(row(plan, to + r)[parent.first_body + parent.bodies - 1]);
    }
    for (int k = 0; k < segment.blocks; ++k) {
      const int body = segment.first_body + k * W;
      Numbers<kRows> sum = make(body), outer;
      for (int r = 0; r < kRows; ++r) {
        sum.x[r] = sum_up(sum.x[r]) + before.x[r];
        outer.x[r] = up<1>(sum.x[r], before.x[r]);
        before.x[r] = last(sum.x[r]);
        store(row(plan, to + r) + body, sum.x[r]);
      }
      use(body, outer);
    }
  }
}

// Rows `to`: sum over the subtree of each body of make(body). use(body, lanes, sum, sum over what lies beyond the
// body).
template <int kRows, class Make, class Use>
DYN_INLINE void sum_subtrees(const Plan& plan, int to, const Make& make, const Use& use) {
  for (int s = plan.segments; s-- > 0;) {
    const Segment& segment = plan.segment[s];
    const int end = segment.first_body + segment.bodies;
    Numbers<kRows> beyond{};
    for (int child = end; child < plan.subtree_end[end - 1]; child = plan.subtree_end[child]) {
      for (int r = 0; r < kRows; ++r) beyond.x[r] = beyond.x[r] + all(row(plan, to + r)[child]);
    }
    for (int k = segment.blocks; k-- > 0;) {
      const int body = segment.first_body + k * W, lanes = lanes_of(segment, k);
      Numbers<kRows> sum = make(body), inner;
      for (int r = 0; r < kRows; ++r) {
        if (lanes < W) sum.x[r] = first_of(lanes, sum.x[r], V{});
        sum.x[r] = sum_down(sum.x[r]) + beyond.x[r];
        inner.x[r] = down<1>(sum.x[r], beyond.x[r]);
        beyond.x[r] = first(sum.x[r]);
      }
      store_own(plan, to, body, lanes, sum);
      use(body, lanes, sum, inner);
    }
  }
}

}  // namespace
