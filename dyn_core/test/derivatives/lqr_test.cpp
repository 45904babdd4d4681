// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/derivatives/lqr.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "dyn_core/error.hpp"
#include "dyn_core/numeric/residual.hpp"

namespace dyn {
namespace {

using Matrix = MatX<double>;

// a = b = q = r = 1: P^2 = P + 1.
TEST(Lqr, OneStateInClosedForm) {
  const Matrix one = Matrix::Ones(1, 1);
  const Lqr lqr = solve_lqr(one, one, one, one);
  const double golden = 0.5 * (1.0 + std::sqrt(5.0));
  EXPECT_NEAR(lqr.P(0, 0), golden, 1e-14);
  EXPECT_NEAR(lqr.K(0, 0), golden / (1.0 + golden), 1e-14);
}

TEST(Lqr, SolvesTheRiccatiEquationAndStabilises) {
  std::srand(15);  // Eigen's Random
  for (int n = 1; n <= 12; ++n) {
    const Matrix A = Matrix::Random(n, n) * 1.5, B = Matrix::Random(n, (n + 1) / 2), C = Matrix::Random(n, n);
    const Matrix Q = C * C.transpose(), R = Matrix::Identity(B.cols(), B.cols()) * 0.3;
    const auto [K, P] = solve_lqr(A, B, Q, R);
    EXPECT_LT(relative_error(Q + A.transpose() * P * (A - B * K), P), 1e-9) << n;
    EXPECT_LT(Eigen::EigenSolver<Matrix>(A - B * K).eigenvalues().cwiseAbs().maxCoeff(), 1.0) << n;
  }
}

TEST(Lqr, RefusesWhatHasNoSolution) {
  const Matrix one = Matrix::Ones(1, 1), none = Matrix::Zero(1, 1);
  EXPECT_THROW((void)solve_lqr(2.0 * one, none, one, one), ModelError) << "unstable and not controllable";
  EXPECT_THROW((void)solve_lqr(one, one, one, none), ModelError);
  EXPECT_THROW((void)solve_lqr(one, one, Matrix::Ones(2, 2), one), ModelError);
}

}  // namespace
}  // namespace dyn
