// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The recursive Newton-Euler algorithm, as dyn_core/inverse/rnea.hpp, in base axes: each of its recursions has the same
// summand for every joint, so that it is a sum along the chain, W bodies side by side. Outwards w, alpha and a; inwards
//   f_i = own + sum of f_c,   n_i = own + (c_i - o_i) x own f + sum of n_c + (o_c - o_i) x f_c     over the children c
#include "inverse/body_wrenches.hpp"
#include "lanes/define_rates.hpp"

namespace {

enum : int { kCarried_f = kWrench_free, kCarried_n = kCarried_f + 3 };

template <bool kSlides>
DYN_INLINE void newton_euler(const Plan& plan, const Rates& rates, double* tau) {
  take_rates(plan, rates);
  find_accelerations<kSlides>(plan);
  find_wrenches(plan, rates.gravity);
  sum_subtrees<3>(
      plan, kCarried_f, [&](int i) { return numbers(load3(plan, kBody_f, i)); },
      [](int, int, const Numbers<3>&, const Numbers<3>&) {});
  const auto own_moment = [&](int i) {
    return plus_cross(load3(plan, kBody_n, i), load3(plan, Row::arm_x, i), load3(plan, kBody_f, i));
  };
  sum_subtrees<3>(
      plan, kCarried_n,
      [&](int i) {
        return numbers(plus_cross(own_moment(i), load3(plan, Row::step_x, i), load3(plan, kCarried_f, i)));
      },
      [&](int i, int lanes, const Numbers<3>&, const Numbers<3>& beyond) {
        const V3 z = load3(plan, Row::axis_x, i);
        V along = dot(z, own_moment(i) + vector(beyond));
        if constexpr (kSlides) {
          const V slides = load(row(plan, Row::slides) + i);
          along = along * (all(1.0) - slides) + dot(z, load3(plan, kCarried_f, i)) * slides;
        }
        store_lanes(tau + i, along, lanes);
      });
}

void inverse_by_newton_euler(const Plan& plan, const Rates& rates, double* tau) {
  plan.slides ? newton_euler<true>(plan, rates, tau) : newton_euler<false>(plan, rates, tau);
}

}  // namespace

DYN_RATES_FORM(inverse, Rnea, inverse_by_newton_euler)
