// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/derivatives/sampled_system.hpp"

#include <algorithm>
#include <cmath>

#include "dyn_core/precondition.hpp"

namespace dyn {
namespace {

constexpr double small_norm = 0.25;   // largest norm of F h for the truncated series
constexpr int last_term = 11;         // 0.25^12 / 13! is below 1e-17
constexpr int most_doublings = 1000;  // near the largest double; ends the loop where the norm is infinite

}  // namespace

SampledSystem::SampledSystem(int coordinates)
    : n_(coordinates),
      A_(4 * n_ * n_),
      B_(2 * n_ * n_),
      F_(A_.size()),
      G_(B_.size()),
      integral_(A_.size()),
      work_(A_.size()) {}

ConstMatrixRef<double> SampledSystem::A() const noexcept {
  return {A_.data(), 2 * n_, 2 * n_, Eigen::OuterStride<>(2 * n_)};
}
ConstMatrixRef<double> SampledSystem::B() const noexcept {
  return {B_.data(), 2 * n_, n_, Eigen::OuterStride<>(2 * n_)};
}

// Over a small step h = T / 2^d by the series  integral = h sum (F h)^k / (k + 1)!,  A = 1 + F integral,  B = integral
// G; then d times over twice the step:  B <- A B + B,  A <- A A.
void SampledSystem::update(const Derivatives& derivatives, double period_s) noexcept {
  DYN_EXPECTS(derivatives.model().coordinates() == n_);
  const int n = n_, rows = 2 * n;
  MatrixRef<double> A = matrix_view(A_.data(), rows, rows), B = matrix_view(B_.data(), rows, n);
  MatrixRef<double> F = matrix_view(F_.data(), rows, rows), G = matrix_view(G_.data(), rows, n);
  MatrixRef<double> integral = matrix_view(integral_.data(), rows, rows), work = matrix_view(work_.data(), rows, rows);
  F.setZero();
  F.topRightCorner(n, n).setIdentity();
  F.bottomLeftCorner(n, n) = derivatives.dqdd_dq();
  F.bottomRightCorner(n, n) = derivatives.dqdd_dv();
  G.topRows(n).setZero();
  G.bottomRows(n) = derivatives.dqdd_dtau();

  const double norm = F.cwiseAbs().colwise().sum().maxCoeff() * std::abs(period_s);
  int doublings = 0;
  double h = period_s;
  for (double left = norm; left > small_norm && doublings < most_doublings; left *= 0.5, h *= 0.5) ++doublings;
  integral.setIdentity();
  for (int k = last_term; k >= 1; --k) {
    work = F.lazyProduct(integral);
    integral = work * (h / (k + 1));
    integral.diagonal().array() += 1.0;
  }
  integral *= h;
  A = F.lazyProduct(integral);
  A.diagonal().array() += 1.0;
  B = integral.lazyProduct(G);
  MatrixRef<double> work_B = matrix_view(work_.data(), rows, n);
  for (int d = 0; d < doublings; ++d) {
    work_B = A.lazyProduct(B);
    B += work_B;
    work = A.lazyProduct(A);
    A = work;
  }
}

}  // namespace dyn
