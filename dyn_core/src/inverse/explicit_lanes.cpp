// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Inverse dynamics by the sums of paper 000 (Wang and Ju), eqs 8-14, symbols as in dyn_core/inverse/explicit.hpp: sums
// over the chain to body k for W bodies side by side, and for each joint u its own sum over the subtree.
#include "inverse/body_wrenches.hpp"
#include "lanes/define_rates.hpp"

namespace {

void inverse_by_sums(const Plan& plan, const Rates& rates, double* tau) {
  take_rates(plan, rates);
  plan.slides ? find_accelerations<true>(plan) : find_accelerations<false>(plan);  // (3), (11)-(14)
  find_wrenches(plan, rates.gravity);
  project(plan, tau);  // (10)
}

}  // namespace

DYN_RATES_FORM(inverse, Explicit, inverse_by_sums)
