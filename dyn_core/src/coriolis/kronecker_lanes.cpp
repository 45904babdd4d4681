// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// C by Kronecker products, paper 004 (Truc, Quyen and Quang), eq 52, symbols as in dyn_core/coriolis/kronecker.hpp:
//   C = 1/2 (U + V - V^T),   U_ij = sum over k of dM_ij/dq_k v_k,   V_ik = sum over j of dM_ij/dq_k v_j
// W entries of dM/dq side by side, each used for U and V as soon as it is there.
#include "coriolis/inertia_derivatives.hpp"
#include "lanes/define_rates.hpp"

namespace {

template <bool kSlides>
DYN_INLINE void products(const Plan& plan, const double* v) {
  double *U = square(plan, 0), *V_ = square(plan, 1);
  clear_square(plan, 0);
  clear_square(plan, 1);
  for_derivatives<kSlides>(plan, [&](int k, int i, int lanes, const auto& each) {
    V sum{};
    const V rate = all(v[k]);
    each([&](int j, V D) {
      add_lanes(U + static_cast<long>(j) * plan.stride + i, lanes, D * rate);
      sum = mul_add(D, all(v[j]), sum);
    });
    add_lanes(V_ + static_cast<long>(k) * plan.stride + i, lanes, sum);
  });
}

void coriolis_by_kronecker(const Plan& plan, const Rates& rates, double* C) {
  plan.slides ? products<true>(plan, rates.v) : products<false>(plan, rates.v);
  take_skew(plan, 0.5, C);
}

}  // namespace

DYN_RATES_FORM(coriolis, Kronecker, coriolis_by_kronecker)
