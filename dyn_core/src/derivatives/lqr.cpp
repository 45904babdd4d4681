// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/derivatives/lqr.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "dyn_core/error.hpp"
#include "dyn_core/numeric/residual.hpp"

namespace dyn {

// The structure-preserving doubling algorithm (Chu, Fan, Lin and Wang 2004): each step covers twice as many periods as
// the one before, so that 60 steps are enough for every system that can be stabilised.
//   W = (1 + G P)^-1,  A <- A W A,  G <- G + A W G A^T,  P <- P + A^T P W A,  from G = B R^-1 B^T and P = Q
Lqr solve_lqr(const MatX<double>& A, const MatX<double>& B, const MatX<double>& Q, const MatX<double>& R) {
  realtime::forbid("solve_lqr");
  const Eigen::Index n = A.rows(), inputs = B.cols();
  if (A.cols() != n || B.rows() != n || Q.rows() != n || Q.cols() != n || R.rows() != inputs || R.cols() != inputs) {
    throw ModelError("LQR: A and Q have to be n x n, B n x m and R m x m");
  }
  const Eigen::LLT<MatX<double>> R_factor(R);
  if (R_factor.info() != Eigen::Success) throw ModelError("LQR: R is not positive definite");
  constexpr int most_steps = 60;
  constexpr double tolerance = 1e-14;
  MatX<double> power = A, G = B * R_factor.solve(B.transpose()), P = Q;
  for (int step = 0; step < most_steps; ++step) {
    const Eigen::PartialPivLU<MatX<double>> W(MatX<double>::Identity(n, n) + G * P);
    const MatX<double> WA = W.solve(power), WG = W.solve(G);
    const MatX<double> change = power.transpose() * P * WA;
    G += power * WG * power.transpose();
    power = (power * WA).eval();
    P += 0.5 * (change + change.transpose());
    if (!P.allFinite()) break;
    if (largest_entry(change) > tolerance * largest_entry(P)) continue;  // not by norms, whose squares might overflow
    return {(R + B.transpose() * P * B).llt().solve(B.transpose() * P * A), P};
  }
  throw ModelError("LQR: (A, B) cannot be stabilised, or A has a mode that does not decay and has no cost in Q");
}

}  // namespace dyn
