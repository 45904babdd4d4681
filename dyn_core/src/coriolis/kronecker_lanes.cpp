// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// C by Kronecker products, paper 004 (Truc, Quyen and Quang), eq 52, symbols as in dyn_core/coriolis/kronecker.hpp:
//   C = 1/2 (U + V - V^T),   U_ij = sum over k of dM_ij/dq_k v_k,   V_ik = sum over j of dM_ij/dq_k v_j
// W entries of dM/dq side by side, each added to U and V at once.
#include "coriolis/inertia_derivatives.hpp"
#include "lanes/define_rates.hpp"

namespace {

void coriolis_by_kronecker(const Plan& plan, const Rates& rates, double* C) {
  sum_derivatives(plan, rates.v, [](V D) { return D; });
  take_skew(plan, 0.5, C);
}

}  // namespace

DYN_RATES_FORM(coriolis, Kronecker, coriolis_by_kronecker)
