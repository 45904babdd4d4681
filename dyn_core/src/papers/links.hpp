// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M link by link, M = sum over links l of Y^T X with a column of each for every joint that supports l: the methods of
// jsim/momentum.hpp, pseudo_inertia.hpp and screw.hpp, symbols as there. Columns are made for W joints side by side,
// and so are the products; joints that do not support the link are left out.
#pragma once

#include "columns.hpp"
#include "scalars.hpp"

namespace {

using dyn::papers::Link;

enum : int { kWork_X = Row::work, kWork_Y = Row::work + 12 };  // up to twelve rows each

DYN_INLINE const double* link_of(const PaperPlan& plan, int l) {
  return plan.links + static_cast<long>(l) * Link::count;
}
DYN_INLINE V3 spread3(const double* from) { return {all(from[0]), all(from[1]), all(from[2])}; }

// columns(first): W columns from joint `first` on, for all that support l.
template <class Columns>
DYN_INLINE void for_joints_of(const PaperPlan& plan, int l, const Columns& columns) {
  int end = l + 1;
  for (int s = plan.segment_of[l]; s >= 0; s = plan.segment[s].parent) {
    const Segment& segment = plan.segment[s];
    if (s != plan.segment_of[l]) end = segment.first_body + segment.bodies;
    for (int first = segment.first_body; first < end; first += W) columns(first);
  }
}

// Above the diagonal, M += Y^T X of link l, rows being numbers kWork_X .. and kWork_Y .. of the joints.
template <int kRows>
DYN_INLINE void add_products(const PaperPlan& plan, int l, double* M) {
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
DYN_INLINE void sum_links(const PaperPlan& plan, double* M, const Columns& columns) {
  for (int i = 0; i < plan.bodies; ++i) column_above(plan, i, M, [](int, int) { return V{}; });
  for (int l = 0; l < plan.bodies; ++l) {
    columns(l);
    add_products<kRows>(plan, l, M);
  }
  mirror(M, plan.bodies);
}

// The joint's unit twist: angular, and linear of a point that is r away from the joint's origin.
template <bool kSlides>
DYN_INLINE void joint_twist(const PaperPlan& plan, int first, const V3& z, const V3& r, V3& angular, V3& linear) {
  angular = z;
  linear = cross(z, r);
  if constexpr (!kSlides) return;
  const V slides = load(row(plan, Row::slides) + first), turns = all(1.0) - slides;
  angular = z * turns;
  linear = linear * turns + z * slides;
}

// X = (Jp, Jo), Y = (m Jp, I_l Jo)
template <bool kSlides>
DYN_INLINE void momentum_columns(const PaperPlan& plan, int l) {
  const V3 c = spread3(plan, Row::com_x, l);
  const V m = all(row(plan, Row::mass)[l]);
  const Symmetric S = symmetric(plan, Row::inertia_xx, l);
  const Moments I{all(S.xx), all(S.yy), all(S.zz), all(S.xy), all(S.xz), all(S.yz)};
  for_joints_of(plan, l, [&](int first) {
    V3 Jo, Jp;
    joint_twist<kSlides>(plan, first, load3(plan, Row::axis_x, first), c - load3(plan, Row::origin_x, first), Jo, Jp);
    store3(plan, kWork_X, first, Jp);
    store3(plan, kWork_X + 3, first, Jo);
    store3(plan, kWork_Y, first, Jp * m);
    store3(plan, kWork_Y + 3, first, times(I, Jo));
  });
}

// X = S_C J, Y = X m/2, in the link's principal axes (paper 002, eqs 2-10, 28-31)
template <bool kSlides>
DYN_INLINE void screw_columns(const PaperPlan& plan, int l) {
  const double* link = link_of(plan, l);
  const Scalar3 ex = scalars(plan, Row::frame_x, l), ey = scalars(plan, Row::frame_y, l);
  const Scalar3 ez = scalars(plan, Row::axis_x, l);
  V3 axes[3];
  for (int k = 0; k < 3; ++k) {
    const double* a = link + Link::axes + 3 * k;
    const Scalar3 p = ex * a[0] + ey * a[1] + ez * a[2];
    axes[k] = {all(p.x), all(p.y), all(p.z)};
  }
  const auto to_axes = [&axes](const V3& v) { return V3{dot(axes[0], v), dot(axes[1], v), dot(axes[2], v)}; };
  const V3 c = spread3(plan, Row::com_x, l), radii = spread3(link + Link::radii);
  const V heavy = all(link[Link::heavy]), weight = all(link[Link::weight]);
  for_joints_of(plan, l, [&](int first) {
    V3 w, v;
    joint_twist<kSlides>(plan, first, to_axes(load3(plan, Row::axis_x, first)),
                         to_axes(c - load3(plan, Row::origin_x, first)), w, v);
    const V3 turn{w.x * radii.x, w.y * radii.y, w.z * radii.z};
    const V3 positive = turn + v * heavy, negative = (v - turn) * heavy;
    store3(plan, kWork_X, first, positive);
    store3(plan, kWork_X + 3, first, negative);
    store3(plan, kWork_Y, first, positive * weight);
    store3(plan, kWork_Y + 3, first, negative * weight);
  });
}

// X = U_l, Y = U_l J_l: the twelve entries that are not 0 of each
template <bool kSlides>
DYN_INLINE void pose_columns(const PaperPlan& plan, int l) {
  const double* J = link_of(plan, l) + Link::pseudo;  // by columns
  const V3 o = spread3(plan, Row::origin_x, l);
  const V3 frame[3] = {spread3(plan, Row::frame_x, l), spread3(plan, Row::frame_y, l), spread3(plan, Row::axis_x, l)};
  for_joints_of(plan, l, [&](int first) {
    V3 U[4], n;
    joint_twist<kSlides>(plan, first, load3(plan, Row::axis_x, first), o - load3(plan, Row::origin_x, first), n, U[3]);
    for (int k = 0; k < 3; ++k) U[k] = cross(n, frame[k]);
    for (int k = 0; k < 4; ++k) {
      store3(plan, kWork_X + 3 * k, first, U[k]);
      store3(plan, kWork_Y + 3 * k, first,
             (U[0] * all(J[4 * k]) + U[1] * all(J[4 * k + 1])) + (U[2] * all(J[4 * k + 2]) + U[3] * all(J[4 * k + 3])));
    }
  });
}

void momentum_mass(const PaperPlan& plan, double* M) {
  plan.slides ? sum_links<6>(plan, M, [&](int l) { momentum_columns<true>(plan, l); })
              : sum_links<6>(plan, M, [&](int l) { momentum_columns<false>(plan, l); });
}
void screw_mass(const PaperPlan& plan, double* M) {
  plan.slides ? sum_links<6>(plan, M, [&](int l) { screw_columns<true>(plan, l); })
              : sum_links<6>(plan, M, [&](int l) { screw_columns<false>(plan, l); });
}
void pseudo_inertia_mass(const PaperPlan& plan, double* M) {
  plan.slides ? sum_links<12>(plan, M, [&](int l) { pose_columns<true>(plan, l); })
              : sum_links<12>(plan, M, [&](int l) { pose_columns<false>(plan, l); });
}

}  // namespace
