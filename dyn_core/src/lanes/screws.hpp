// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A link's principal screws of inertia, paper 002 (Laus, Simoni and Martins), eqs 2-11, in all lanes, for the twists of
// W joints side by side.
#pragma once

#include "lanes/link_products.hpp"

namespace {

struct LinkScrews {
  V3 axes[3];       // principal, in base axes
  V3 c, radii;      // centre of mass; radii of gyration
  V heavy, weight;  // plan.hpp

  [[nodiscard]] DYN_INLINE V3 to_axes(const V3& v) const { return {dot(axes[0], v), dot(axes[1], v), dot(axes[2], v)}; }
};
DYN_INLINE LinkScrews screws_of(const Plan& plan, int l) {
  const double* link = link_of(plan, l);
  const Vector3<double> ex = scalars(plan, Row::frame_x, l), ey = scalars(plan, Row::frame_y, l);
  const Vector3<double> ez = scalars(plan, Row::axis_x, l);
  LinkScrews screws{
      {}, spread3(plan, Row::com_x, l), spread3(link + Link::radii), all(link[Link::heavy]), all(link[Link::weight])};
  for (int k = 0; k < 3; ++k) {
    const double* a = link + Link::axes + 3 * k;
    const Vector3<double> p = ex * a[0] + ey * a[1] + ez * a[2];
    screws.axes[k] = {all(p.x), all(p.y), all(p.z)};
  }
  return screws;
}

// S_C times a twist (w, v) in principal axes: on the screws of positive and of negative pitch.
struct OnScrews {
  V3 positive, negative;
};
DYN_INLINE OnScrews operator*(const OnScrews& x, V s) { return {x.positive * s, x.negative * s}; }
DYN_INLINE void put(V* column, const OnScrews& x) {
  put3(column, x.positive);
  put3(column + 3, x.negative);
}
DYN_INLINE V3 scaled(const V3& a, const V3& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
DYN_INLINE OnScrews on_screws(const LinkScrews& s, const V3& w, const V3& v) {
  const V3 turn = scaled(w, s.radii);
  return {turn + v * s.heavy, (v - turn) * s.heavy};
}

}  // namespace
