// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Shared by the inverse dynamics of this folder: accelerations as sums over the joints that support a body (rnea and
// explicit), force and moment of each body from them, and torques from these by a separate sum for each joint (explicit
// and injection).
#pragma once

#include "lanes/twists.hpp"

namespace {

enum : int {
  kBody_f = Row::work,                  // m (a - g0) of a body
  kBody_n = kBody_f + 3,                // moment about its centre of mass
  kWork_alpha = kBody_n + 3,            // angular acceleration,
  kWork_alpha_outer = kWork_alpha + 3,  // the parent's,
  kWork_a = kWork_alpha_outer + 3,      // acceleration of the body's origin
  kWrench_free = kWork_a + 3,
};

// w, alpha and a of all bodies, with p the parent and r = o_i - o_p:
//   alpha_i = alpha_p + z qdd + w_p x z qd,   a_i = a_p + alpha_p x r + w_p x (w_p x r)
// and + z qdd + 2 w_p x z qd for a where the joint slides, instead of the one for alpha.
template <bool kSlides>
DYN_INLINE void find_accelerations(const Plan& plan) {
  find_omegas<kSlides>(plan);
  const auto qd = [&](int i) { return load(row(plan, Row::rate) + i); };
  const auto qdd = [&](int i) { return load(row(plan, Row::acceleration) + i); };
  sum_from_base<3>(
      plan, kWork_alpha,
      [&](int i) {
        const V3 z = turning_axis<kSlides>(plan, i);
        return numbers(plus_cross(z * qdd(i), load3(plan, Row::outer_x, i), z * qd(i)));
      },
      [&](int i, const Numbers<3>& outer) { store3(plan, kWork_alpha_outer, i, vector(outer)); });
  sum_from_base<3>(
      plan, kWork_a,
      [&](int i) {
        const V3 r = load3(plan, Row::step_x, i), w = load3(plan, Row::outer_x, i);
        V3 a = plus_cross(cross(load3(plan, kWork_alpha_outer, i), r), w, cross(w, r));
        if constexpr (kSlides) {
          const V3 z = sliding_axis(plan, i), turn = cross(w, z * qd(i));
          a = a + z * qdd(i) + (turn + turn);
        }
        return numbers(a);
      },
      [](int, const Numbers<3>&) {});
}

// f = m (a_c - g0),  n = I alpha + w x I w
DYN_INLINE void find_wrenches(const Plan& plan, const double* gravity) {
  const V3 g0{all(gravity[0]), all(gravity[1]), all(gravity[2])};
  for (int i = 0; i < plan.bodies; i += W) {
    const V3 w = load3(plan, Row::omega_x, i), alpha = load3(plan, kWork_alpha, i);
    const V3 c = load3(plan, Row::arm_x, i);
    const Moments I = load6(plan, Row::inertia_xx, i);
    const V3 a = plus_cross(plus_cross(load3(plan, kWork_a, i) - g0, alpha, c), w, cross(w, c));
    store3(plan, kBody_f, i, a * load(row(plan, Row::mass) + i));
    store3(plan, kBody_n, i, plus_cross(I * alpha, w, I * w));
  }
}

// tau_u = n_u . sum over the subtree of u of  n_k + (c_k - o_u) x f_k, and of f_k where u slides.
DYN_INLINE void project(const Plan& plan, double* tau) {
  for (int u = 0; u < plan.bodies; ++u) {
    const V3 o = spread3(plan, Row::origin_x, u), axis = spread3(plan, Row::axis_x, u);
    const bool turns = row(plan, Row::slides)[u] == 0.0;
    V sum{};
    for (int k = u; k < plan.subtree_end[u]; k += W) {
      V3 part = load3(plan, kBody_f, k);
      if (turns) part = plus_cross(load3(plan, kBody_n, k), load3(plan, Row::com_x, k) - o, part);
      const V along = dot(axis, part);
      const int left = plan.subtree_end[u] - k;
      sum = sum + (left < W ? first_of(left, along, V{}) : along);
    }
    store_first(tau + u, sum_down(sum), 1);
  }
}

}  // namespace
