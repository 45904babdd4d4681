// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M link by link, M = sum over links l of Y^T X with a column of each for every joint that supports l: the methods of
// jsim/momentum.hpp, pseudo_inertia.hpp and screw.hpp, symbols as there. Columns are made for W joints side by side,
// and so are the products; joints that do not support the link are left out.
#pragma once

#include "lanes/columns.hpp"

namespace {

using dyn::lanes::Link;

enum : int { kWork_X = Row::work, kWork_Y = Row::work + 12 };  // up to twelve rows each

DYN_INLINE const double* link_of(const Plan& plan, int l) { return plan.links + static_cast<long>(l) * Link::count; }
DYN_INLINE V3 spread3(const double* from) { return {all(from[0]), all(from[1]), all(from[2])}; }

// columns(first): W columns from joint `first` on, for all that support l.
template <class Columns>
DYN_INLINE void for_joints_of(const Plan& plan, int l, const Columns& columns) {
  int end = l + 1;
  for (int s = plan.segment_of[l]; s >= 0; s = plan.segment[s].parent) {
    const Segment& segment = plan.segment[s];
    if (s != plan.segment_of[l]) end = segment.first_body + segment.bodies;
    for (int first = segment.first_body; first < end; first += W) columns(first);
  }
}

// Above the diagonal, M += Y^T X of link l, rows being numbers kWork_X .. and kWork_Y .. of the joints.
template <int kRows>
DYN_INLINE void add_products(const Plan& plan, int l, double* M) {
  for (int i = l; i >= 0; i = plan.parent[i]) {
    V y[kRows];
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) y[r] = all(row(plan, kWork_Y + r)[i]);
    const double* column = M + static_cast<long>(i) * plan.bodies;
    column_above(plan, i, M, [&](int first, int lanes) {
      V sum = lanes == W ? load(column + first) : load_first(column + first, lanes);
      const double* x = row(plan, kWork_X) + first;
#pragma GCC unroll 12
      for (int r = 0; r < kRows; ++r) sum = mul_add(y[r], load(x + static_cast<long>(r) * plan.stride), sum);
      return sum;
    });
  }
}

template <int kRows, class Columns>
DYN_INLINE void sum_links(const Plan& plan, double* M, const Columns& columns) {
  for (int i = 0; i < plan.bodies; ++i) column_above(plan, i, M, [](int, int) { return V{}; });
  for (int l = 0; l < plan.bodies; ++l) {
    columns(l);
    add_products<kRows>(plan, l, M);
  }
  mirror(M, plan.bodies);
}

// The joint's unit twist: angular, and linear of a point that is r away from the joint's origin.
template <bool kSlides>
DYN_INLINE void joint_twist(const Plan& plan, int first, const V3& z, const V3& r, V3& angular, V3& linear) {
  angular = z;
  linear = cross(z, r);
  if constexpr (!kSlides) return;
  const V slides = load(row(plan, Row::slides) + first), turns = all(1.0) - slides;
  angular = z * turns;
  linear = linear * turns + z * slides;
}

}  // namespace
