// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Velocities of the bodies, for the lane forms that need them: each a sum over the joints that support the body.
#pragma once

#include "lanes/sums.hpp"

namespace {

using dyn::lanes::Rates;

// Rows of v, and of the accelerations where there are any.
DYN_INLINE void take_rates(const Plan& plan, const Rates& rates) {
  for (int i = 0; i < plan.bodies; i += W) {
    const int lanes = plan.bodies - i < W ? plan.bodies - i : W;
    store(row(plan, Row::rate) + i, load_first(rates.v + i, lanes));
    if (rates.a != nullptr) store(row(plan, Row::acceleration) + i, load_first(rates.a + i, lanes));
  }
}

// turning_axis: the joint's unit vector if it is revolute, else 0; sliding_axis: the reverse.
template <bool kSlides>
DYN_INLINE V3 turning_axis(const Plan& plan, int body) {
  const V3 z = load3(plan, Row::axis_x, body);
  return kSlides ? z * (all(1.0) - load(row(plan, Row::slides) + body)) : z;
}
DYN_INLINE V3 sliding_axis(const Plan& plan, int body) {
  return load3(plan, Row::axis_x, body) * load(row(plan, Row::slides) + body);
}

// w_i = w_p + z v
template <bool kSlides>
DYN_INLINE void find_omegas(const Plan& plan) {
  sum_from_base<3>(
      plan, Row::omega_x,
      [&](int i) { return numbers(turning_axis<kSlides>(plan, i) * load(row(plan, Row::rate) + i)); },
      [&](int i, const Numbers<3>& outer) { store3(plan, Row::outer_x, i, vector(outer)); });
}

// v_i = v_p + w_p x (o_i - o_p), + z v where the joint slides; after find_omegas()
template <bool kSlides>
DYN_INLINE void find_velocities(const Plan& plan) {
  sum_from_base<3>(
      plan, Row::velocity_x,
      [&](int i) {
        V3 v = cross(load3(plan, Row::outer_x, i), load3(plan, Row::step_x, i));
        if constexpr (kSlides) v = v + sliding_axis(plan, i) * load(row(plan, Row::rate) + i);
        return numbers(v);
      },
      [](int, const Numbers<3>&) {});
}

}  // namespace
