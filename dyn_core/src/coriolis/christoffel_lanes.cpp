// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// C from the Christoffel symbols of M, paper 002 (Laus, Simoni and Martins), eq 35, as
// dyn_core/coriolis/christoffel.hpp:
//   C_ij = sum over k of c_ijk v_k,   c_ijk = 1/2 (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i)
// Half of dM_ij/dq_k appears in three symbols, c_ijk, c_ikj and c_kij: times v_k it is added to C_ij, times v_j it is
// added to C_ik and subtracted from C_ki. W of them side by side.
#include "coriolis/inertia_derivatives.hpp"
#include "lanes/define_rates.hpp"

namespace {

void coriolis_by_symbols(const Plan& plan, const Rates& rates, double* C) {
  sum_derivatives(plan, rates.v, [](V D) { return D * all(0.5); });
  take_skew(plan, 1.0, C);
}

}  // namespace

DYN_RATES_FORM(coriolis, Christoffel, coriolis_by_symbols)
