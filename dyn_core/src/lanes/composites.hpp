// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Composite inertias of the subtree of each body about the body's own origin, base axes: rows Row::composite_h and
// composite_I. The change of the reference point from origin to origin is added as a summand of the body beyond, so
// that they are plain sums over lanes, and small links far from the base lose no digits.
#pragma once

#include "lanes/body_moments.hpp"
#include "lanes/sums.hpp"

namespace {

enum : int {
  kComposite_sums = kWork_free,           // six rows of work
  kComposite_free = kComposite_sums + 6,  // the first free row
};

// What a shift by l adds to the inertia of a body of mass m:  2 (e.l) 1 - e l^T - l e^T,  e = h + m l / 2
DYN_INLINE Moments shift_of_inertia(const V3& h, const V3& ml, const V3& l) {
  const V3 e = h + ml * all(0.5);
  const V xx = e.x * l.x, yy = e.y * l.y, zz = e.z * l.z;
  return {(yy + zz) + (yy + zz),    (xx + zz) + (xx + zz),    (xx + yy) + (xx + yy),
          -(e.x * l.y) - e.y * l.x, -(e.x * l.z) - e.z * l.x, -(e.y * l.z) - e.z * l.y};
}

DYN_INLINE void compose(const Plan& plan) {
  own_inertias(plan);
  const auto shifted_mass = [&](int i, const V3& step) { return step * load(row(plan, Row::mass_subtree) + i); };
  sum_subtrees<3>(
      plan, kComposite_sums,
      [&](int i) { return numbers(load3(plan, kWork_h, i) + shifted_mass(i, load3(plan, Row::step_x, i))); },
      [&](int i, int lanes, const Numbers<3>&, const Numbers<3>& beyond) {
        store_own(plan, Row::composite_h, i, lanes, numbers(load3(plan, kWork_h, i) + vector(beyond)));
      });
  sum_subtrees<6>(
      plan, kComposite_sums,
      [&](int i) {
        const V3 step = load3(plan, Row::step_x, i);
        return numbers(load6(plan, kWork_I, i) +
                       shift_of_inertia(load3(plan, Row::composite_h, i), shifted_mass(i, step), step));
      },
      [&](int i, int lanes, const Numbers<6>&, const Numbers<6>& beyond) {
        store_own(plan, Row::composite_I, i, lanes, numbers(load6(plan, kWork_I, i) + moments(beyond)));
      });
}

// Moment n about the body's origin and force f for a unit acceleration of the joint: rows n and f, from the rows of the
// composite's h and I.
template <bool kSlides>
DYN_INLINE void unit_wrenches(const Plan& plan, int composite_h, int composite_I, int rows_n, int rows_f) {
  for (int i = 0; i < plan.bodies; i += W) {
    const V3 z = load3(plan, Row::axis_x, i), h = load3(plan, composite_h, i);
    V3 n = load6(plan, composite_I, i) * z, f = cross(z, h);
    if constexpr (kSlides) {
      const V slides = load(row(plan, Row::slides) + i), turns = all(1.0) - slides;
      n = n * turns - f * slides;
      f = f * turns + z * (load(row(plan, Row::mass_subtree) + i) * slides);
    }
    store3(plan, rows_n, i, n);
    store3(plan, rows_f, i, f);
  }
}

}  // namespace
