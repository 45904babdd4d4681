// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The kinematics that the papers' base-frame formulas take as given, W bodies of a chain side by side: axes, origins,
// centres of mass, inertias. Rotations are products of quaternions along the lanes, positions sums along them.
#pragma once

#include "fused/equations.hpp"
#include "kernel.hpp"

namespace {

using dyn::papers::Fixed;
using dyn::papers::Row;
using PaperPlan = dyn::papers::Plan;

// Of a segment, all lanes alike: its last body's pose, and what hangs on it (gdahj.hpp).
struct SegmentEnd {
  Quaternion orientation;
  V3 origin;
  V3 h, b;
  Tensor D;
};

DYN_INLINE SegmentEnd* ends_of(const PaperPlan& plan) { return static_cast<SegmentEnd*>(plan.bridges); }
DYN_INLINE double* row(const PaperPlan& plan, int name) { return plan.rows + static_cast<long>(name) * plan.stride; }
DYN_INLINE V3 load3(const PaperPlan& plan, int name, int body) {
  const double* from = row(plan, name) + body;
  return {load(from), load(from + plan.stride), load(from + 2L * plan.stride)};
}
DYN_INLINE V3 spread3(const PaperPlan& plan, int name, int body) {
  const double* from = row(plan, name) + body;
  return {all(from[0]), all(from[plan.stride]), all(from[2L * plan.stride])};
}
DYN_INLINE void store3(const PaperPlan& plan, int name, int body, const V3& v) {
  double* to = row(plan, name) + body;
  store(to, v.x);
  store(to + plan.stride, v.y);
  store(to + 2L * plan.stride, v.z);
}
DYN_INLINE Moments load_inertia(const PaperPlan& plan, int body) {
  const double* from = row(plan, Row::inertia_xx) + body;
  const long stride = plan.stride;
  return {load(from),
          load(from + stride),
          load(from + 2 * stride),
          load(from + 3 * stride),
          load(from + 4 * stride),
          load(from + 5 * stride)};
}
DYN_INLINE V3 times(const Moments& I, const V3& a) {
  return {I.xx * a.x + I.xy * a.y + I.xz * a.z, I.xy * a.x + I.yy * a.y + I.yz * a.z,
          I.xz * a.x + I.yz * a.y + I.zz * a.z};
}
DYN_INLINE V fixed(const double* block, int name) { return load(block + static_cast<long>(name) * W); }
DYN_INLINE V3 fixed3(const double* block, int name) {
  return {fixed(block, name), fixed(block, name + 1), fixed(block, name + 2)};
}
DYN_INLINE const double* block_of(const PaperPlan& plan, const Segment& s, int k) {
  return plan.constants + static_cast<long>(s.first_block + k) * (static_cast<int>(Fixed::count) * W);
}
DYN_INLINE int lanes_of(const Segment& s, int k) {
  const int left = s.bodies - k * W;
  return left < W ? left : W;
}

// v of the body's axes in those of the base
DYN_INLINE V3 in_base(const Frame& f, const V3& v) { return f.ex * v.x + f.ey * v.y + f.ez * v.z; }

// R I R^T = I_zz 1 + e_x a^T + a e_x^T + e_y b^T + b e_y^T
DYN_INLINE Moments inertia_in_base(const double* block, const Frame& f) {
  const V3 a = f.ex * fixed(block, Fixed::inertia_xx) + f.ey * fixed(block, Fixed::inertia_xy) +
               f.ez * fixed(block, Fixed::inertia_xz);
  const V3 b = f.ey * fixed(block, Fixed::inertia_yy) + f.ez * fixed(block, Fixed::inertia_yz);
  const V zz = fixed(block, Fixed::inertia_zz);
  Moments I = pairs(f.ex, a, f.ey, b);
  I.xx = I.xx + zz;
  I.yy = I.yy + zz;
  I.zz = I.zz + zz;
  return I;
}

DYN_INLINE void keep_inertia(const PaperPlan& plan, int body, const Moments& I) {
  double* to = row(plan, Row::inertia_xx) + body;
  const V parts[6] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
  for (int c = 0; c < 6; ++c) store(to + static_cast<long>(c) * plan.stride, parts[c]);
}

// One segment from the base outwards. Lanes past a segment's end are overwritten by the segment that comes next.
template <bool kSlides>
DYN_INLINE void place_segment(const PaperPlan& plan, int index, const double* q) {
  const Segment& s = plan.segment[index];
  SegmentEnd& end = ends_of(plan)[index];
  Quaternion before{all(1.0), V{}, V{}, V{}};
  V3 start{all(s.offset[0]), all(s.offset[1]), all(s.offset[2])};
  if (s.parent >= 0) {
    const SegmentEnd& parent = ends_of(plan)[s.parent];
    before = parent.orientation;
    Frame f;
    axes(before, f);
    start = parent.origin + in_base(f, start);
  }
  V3 way_before{};
  for (int k = 0; k < s.blocks; ++k) {
    const double* block = block_of(plan, s, k);
    const int body = s.first_body + k * W;
    const V angle = load_first(q + body, lanes_of(s, k));
    const V slide = kSlides ? angle * fixed(block, Fixed::slides) : V{};
    Quaternion e = along_lanes({fixed(block, Fixed::turn_w), fixed(block, Fixed::turn_x), fixed(block, Fixed::turn_y),
                                fixed(block, Fixed::turn_z)},
                               kSlides ? angle - slide : angle);
    if (s.parent >= 0 || k > 0) e = before * e;
    before = last<Bodies>(e);
    Frame f;
    axes(e, f);
    // o_i = o_i-1 + R_i-1 p + z_i q_i
    const V3 way = in_base(f, fixed3(block, Fixed::next_x));
    V3 step{up<1>(way.x, way_before.x), up<1>(way.y, way_before.y), up<1>(way.z, way_before.z)};
    if constexpr (kSlides) step = step + f.ez * slide;
    f.o = start + sum_up<Bodies>(step);
    start = last<Bodies>(f.o);
    way_before = way;
    store3(plan, Row::frame_x, body, f.ex);
    store3(plan, Row::frame_y, body, f.ey);
    store3(plan, Row::axis_x, body, f.ez);
    store3(plan, Row::origin_x, body, f.o);
    store3(plan, Row::com_x, body, f.o + in_base(f, fixed3(block, Fixed::com_x)));
    keep_inertia(plan, body, inertia_in_base(block, f));
  }
  end.orientation = before;
  end.origin = start;
}

void positions(const PaperPlan& plan, const double* q) {
  for (int s = 0; s < plan.segments; ++s) {
    plan.slides ? place_segment<true>(plan, s, q) : place_segment<false>(plan, s, q);
  }
}

}  // namespace
