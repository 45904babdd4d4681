// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by principal screws of inertia (paper 002, Laus, Simoni and Martins), symbols as in dyn_core/jsim/screw.hpp:
// columns on the screws and their products for W joints side by side.
#include "lanes/define_mass.hpp"
#include "lanes/link_products.hpp"

namespace {

// X = S_C J, Y = X m/2, in the link's principal axes (paper 002, eqs 2-10, 28-31)
template <bool kSlides>
DYN_INLINE void screw_columns(const Plan& plan, int l) {
  const double* link = link_of(plan, l);
  const Vector3<double> ex = scalars(plan, Row::frame_x, l), ey = scalars(plan, Row::frame_y, l);
  const Vector3<double> ez = scalars(plan, Row::axis_x, l);
  V3 axes[3];
  for (int k = 0; k < 3; ++k) {
    const double* a = link + Link::axes + 3 * k;
    const Vector3<double> p = ex * a[0] + ey * a[1] + ez * a[2];
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

void mass_by_screws(const Plan& plan, double* M) {
  plan.slides ? sum_links<6>(plan, M, [&](int l) { screw_columns<true>(plan, l); })
              : sum_links<6>(plan, M, [&](int l) { screw_columns<false>(plan, l); });
}

}  // namespace

DYN_MASS_FORM(Screw, mass_by_screws)
