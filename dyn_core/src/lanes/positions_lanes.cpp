// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The kinematics for the lane forms in base axes, W bodies of a chain side by side: axes, origins, centres of mass,
// inertias. Rotations are products of quaternions along the lanes, positions sums along them.
#include "lanes/forms.hpp"
#include "lanes/rows.hpp"

namespace {

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

// One segment from the base outwards. The next segment overwrites the lanes after this one's end.
template <bool kSlides>
DYN_INLINE void place_segment(const Plan& plan, int index, const double* q) {
  const Segment& s = plan.segment[index];
  SegmentEnd& end = ends_of(plan)[index];
  Quaternion before{all(1.0), V{}, V{}, V{}};
  V3 start{}, offset_before{};
  if (s.parent >= 0) {
    const SegmentEnd& parent = ends_of(plan)[s.parent];
    before = parent.orientation;
    Frame f;
    axes(before, f);
    start = parent.origin;
    offset_before = in_base(f, {all(s.offset[0]), all(s.offset[1]), all(s.offset[2])});
  }
  for (int k = 0; k < s.blocks; ++k) {
    const double* block = block_of(plan, s, k);
    const int body = s.first_body + k * W;
    const V angle = load_first(q + body, lanes_of(s, k));
    V slide = kSlides ? angle * fixed(block, Fixed::slides) : V{};
    Quaternion e = along_lanes({fixed(block, Fixed::turn_w), fixed(block, Fixed::turn_x), fixed(block, Fixed::turn_y),
                                fixed(block, Fixed::turn_z)},
                               kSlides ? angle - slide : angle);
    if (s.parent >= 0 || k > 0) e = before * e;
    before = last<Bodies>(e);
    Frame f;
    axes(e, f);
    // o_i = o_i-1 + R_i-1 p + z_i q_i
    const V3 offset = in_base(f, fixed3(block, Fixed::next_x));
    V3 step{up<1>(offset.x, offset_before.x), up<1>(offset.y, offset_before.y), up<1>(offset.z, offset_before.z)};
    if constexpr (kSlides) {
      if (s.parent < 0 && k == 0) slide = first_of(1, V{}, slide);
      step = step + f.ez * slide;
    }
    f.o = start + sum_up<Bodies>(step);
    start = last<Bodies>(f.o);
    offset_before = offset;
    store3(plan, Row::frame_x, body, f.ex);
    store3(plan, Row::frame_y, body, f.ey);
    store3(plan, Row::axis_x, body, f.ez);
    store3(plan, Row::origin_x, body, f.o);
    store3(plan, Row::step_x, body, step);
    const V3 arm = in_base(f, fixed3(block, Fixed::com_x));
    store3(plan, Row::arm_x, body, arm);
    store3(plan, Row::com_x, body, f.o + arm);
    store6(plan, Row::inertia_xx, body, inertia_in_base(block, f));
  }
  end.orientation = before;
  end.origin = start;
}

void positions(const Plan& plan, const double* q) {
  for (int s = 0; s < plan.segments; ++s) {
    plan.slides ? place_segment<true>(plan, s, q) : place_segment<false>(plan, s, q);
  }
}

}  // namespace

template <>
dyn::lanes::PositionsKernel dyn::lanes::positions_kernel<kKernelSet>() {
  return {&positions, sizeof(SegmentEnd)};
}
