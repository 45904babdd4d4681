// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The articulated-body algorithm (Featherstone 2008, chapter 7), as dyn_core/forward/aba.hpp, in base axes and about
// the bodies' origins: velocities, bias forces and velocity products for W bodies side by side, then the elimination
// of elimination.hpp.
#include "forward/elimination.hpp"
#include "lanes/twists.hpp"

namespace {

// Bias force of each body, w x I w and w x (w x h), and with the parent's w and r = o_i - o_p
//   c = (w x z qd, w x (w x r)) where the joint turns, (0, w x (w x r) + 2 w x z qd) where it slides
template <bool kSlides>
DYN_INLINE void loads(const Plan& plan) {
  for (int i = 0; i < plan.bodies; i += W) {
    const V3 w = load3(plan, Row::omega_x, i), outer = load3(plan, Row::outer_x, i);
    store3(plan, kWork_pn, i, cross(w, load6(plan, kWork_I, i) * w));
    store3(plan, kWork_pf, i, cross(w, cross(w, load3(plan, kWork_h, i))));
    const V3 turn = cross(outer, load3(plan, Row::axis_x, i) * load(row(plan, Row::rate) + i));
    V3 cw = turn, ca = cross(outer, cross(outer, load3(plan, Row::step_x, i)));
    if constexpr (kSlides) {
      const V slides = load(row(plan, Row::slides) + i);
      cw = turn * (all(1.0) - slides);
      ca = ca + turn * (slides + slides);
    }
    store3(plan, kWork_cw, i, cw);
    store3(plan, kWork_ca, i, ca);
  }
}

Pivot solve(const Plan& plan, const Rates& rates, const double* tau, const double* armature, const double* floor,
            void* work, double* qdd) {
  auto* bodies = static_cast<Eliminated*>(work);
  take_rates(plan, rates);
  own_inertias(plan);
  if (plan.slides) {
    find_omegas<true>(plan);
    loads<true>(plan);
  } else {
    find_omegas<false>(plan);
    loads<false>(plan);
  }
  const Pivot pivot = eliminate<true>(plan, tau, armature, floor, bodies);
  if (pivot.body < 0) accelerate<true>(plan, rates.gravity, bodies, qdd);
  return pivot;
}

}  // namespace

template <>
dyn::forward::EliminationKernel dyn::forward::aba_kernel<kKernelSet>() {
  return {sizeof(Eliminated), &solve};
}
