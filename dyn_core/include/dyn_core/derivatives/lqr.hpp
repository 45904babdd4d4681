// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The linear quadratic regulator of a sampled system x_k+1 = A x_k + B u_k: u = -K x with the least sum of
// x^T Q x + u^T R u. Not for the loop: allocates.
#pragma once

#include "dyn_core/numeric/types.hpp"

namespace dyn {

struct Lqr {
  MatX<double> K;  // gain
  MatX<double> P;  // x^T P x is the cost from x on:  P = Q + A^T P A - A^T P B (R + B^T P B)^-1 B^T P A
};

// Q symmetric and positive semidefinite, R positive definite. Throws ModelError where the sizes do not match or
// no K stabilises the system.
[[nodiscard]] Lqr solve_lqr(const MatX<double>& A, const MatX<double>& B, const MatX<double>& Q, const MatX<double>& R);

}  // namespace dyn
