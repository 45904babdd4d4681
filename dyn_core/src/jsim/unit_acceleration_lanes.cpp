// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M column by column by the inverse dynamics at a = e_j (Walker and Orin 1982, method 1), as
// dyn_core/jsim/unit_acceleration.hpp, in base axes and W columns j side by side. All bodies beyond joint j accelerate
// as one, with z_j and z_j x (c - o_j); wrenches are summed inwards from body to body, about the bodies' origins.
#include "lanes/columns.hpp"
#include "lanes/define_mass.hpp"

namespace {

// Of the columns of W joints: force, and moment about a body's origin.
struct Wrenches {
  V3 f, n;
};

DYN_INLINE double* wrenches_of(const Plan& plan, int segment, int first) {
  return plan.wrenches + static_cast<long>(segment) * 6 * plan.stride + first;
}
DYN_INLINE Wrenches load_wrenches(const Plan& plan, int segment, int first) {
  const double* from = wrenches_of(plan, segment, first);
  const long stride = plan.stride;
  return {{load(from), load(from + stride), load(from + 2 * stride)},
          {load(from + 3 * stride), load(from + 4 * stride), load(from + 5 * stride)}};
}
DYN_INLINE void store_wrenches(const Plan& plan, int segment, int first, int lanes, const Wrenches& w) {
  double* to = wrenches_of(plan, segment, first);
  const V parts[6] = {w.f.x, w.f.y, w.f.z, w.n.x, w.n.y, w.n.z};
  for (int r = 0; r < 6; ++r) store_lanes(to + static_cast<long>(r) * plan.stride, parts[r], lanes);
}

// Adds the wrench of body i itself:  f = m a,  n = I z + (c_i - o_i) x f
template <bool kSlides>
DYN_INLINE void add_body(const Plan& plan, int i, const V3& z, const V3& o, V slides, Wrenches& w) {
  const V3 c = spread3(plan, Row::com_x, i);
  const Moments I = spread6(plan, Row::inertia_xx, i);
  V3 turn = z, a = cross(z, c - o);
  if constexpr (kSlides) {
    turn = z * (all(1.0) - slides);
    a = a * (all(1.0) - slides) + z * slides;
  }
  const V3 f = a * all(row(plan, Row::mass)[i]);
  w.f = w.f + f;
  w.n = plus_cross(w.n + I * turn, spread3(plan, Row::arm_x, i), f);
}

// Columns first .. first + W, which end before `end`, at the bodies of one segment, from its last one inwards.
template <bool kSlides>
DYN_INLINE void columns_at(const Plan& plan, int s, int first, int end, bool own, double* M) {
  const Segment& segment = plan.segment[s];
  const int last = segment.first_body + segment.bodies - 1;
  const V3 z = load3(plan, Row::axis_x, first), o = load3(plan, Row::origin_x, first);
  const V slides = kSlides ? load(row(plan, Row::slides) + first) : V{};
  Wrenches w = load_wrenches(plan, s, first);  // of the segments beyond
  for (int i = last; i >= (own ? first : segment.first_body); --i) {
    if (i != last) w.n = plus_cross(w.n, spread3(plan, Row::step_x, i + 1), w.f);
    add_body<kSlides>(plan, i, z, o, slides, w);
    const V3 axis = spread3(plan, Row::axis_x, i);
    const V value = dot(axis, kSlides && row(plan, Row::slides)[i] != 0.0 ? w.f : w.n);
    const int stop = own && i + 1 < end ? i + 1 : end;
    store_lanes(M + static_cast<long>(i) * plan.bodies + first, value, stop - first);
  }
  if (own) return;
  Wrenches sum = load_wrenches(plan, segment.parent, first);
  sum.f = sum.f + w.f;
  sum.n = plus_cross(sum.n + w.n, spread3(plan, Row::step_x, segment.first_body), w.f);
  store_wrenches(plan, segment.parent, first, end - first, sum);
}

template <bool kSlides>
void unit_columns(const Plan& plan, double* M) {
  for (long i = 0; i < 6L * plan.stride * plan.segments; i += W) store(plan.wrenches + i, V{});
  for (int s = plan.segments; s-- > 0;) {
    const Segment& segment = plan.segment[s];
    const int last = segment.first_body + segment.bodies - 1;
    for_runs(plan, last, last + 1, [&](int begin, int end) {
      for (int first = begin; first < end; first += W) {
        columns_at<kSlides>(plan, s, first, end, begin == segment.first_body, M);
      }
    });
  }
}

void mass_by_unit_accelerations(const Plan& plan, double* M) {
  plan.slides ? unit_columns<true>(plan, M) : unit_columns<false>(plan, M);
  mirror(M, plan.bodies);
}

}  // namespace

DYN_MASS_FORM(UnitAcceleration, mass_by_unit_accelerations)
