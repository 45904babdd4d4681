// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/momentum_observer.hpp"

namespace dyn::control {
namespace {
size_t at(int i) { return static_cast<size_t>(i); }

// A column lies in one piece in memory. M is symmetric: its columns are its rows.
double column_dot(const ConstMatrixRef<double>& A, int column, const ConstVectorRef<double>& x) noexcept {
  const double* const a = A.data() + static_cast<Eigen::Index>(column) * A.outerStride();
  double sum = 0.0;
  for (Eigen::Index j = 0; j < x.size(); ++j) sum += a[j] * x[j];
  return sum;
}
}  // namespace

MomentumObserver::MomentumObserver(int max_coordinates)
    : momentum_(at(max_coordinates)), rate_(at(max_coordinates)), r_(at(max_coordinates)) {}

void MomentumObserver::reset(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& v) noexcept {
  n_ = static_cast<int>(v.size());
  for (int i = 0; i < n_; ++i) {
    momentum_[at(i)] = column_dot(M, i, v);
    r_[at(i)] = 0.0;
  }
  has_rate_ = false;
}

void MomentumObserver::rebase(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& v,
                              const ConstVectorRef<double>& jump, int kept) noexcept {
  n_ = static_cast<int>(v.size());
  for (int i = 0; i < n_; ++i) {
    if (i < kept) {
      momentum_[at(i)] += jump[i];
    } else {
      momentum_[at(i)] = column_dot(M, i, v);
      rate_[at(i)] = 0.0;
      r_[at(i)] = 0.0;
    }
  }
}

// After an update momentum = M v - r / K: that is how it is set.
void MomentumObserver::carry_over(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& v, double gain_per_s,
                                  int kept) noexcept {
  n_ = static_cast<int>(v.size());
  for (int i = 0; i < n_; ++i) {
    if (i >= kept || gain_per_s == 0.0) r_[at(i)] = 0.0;
    momentum_[at(i)] = column_dot(M, i, v) - (gain_per_s > 0.0 ? r_[at(i)] / gain_per_s : 0.0);
  }
  has_rate_ = false;
}

void MomentumObserver::update(const ConstMatrixRef<double>& M, const ConstMatrixRef<double>& C,
                              const ConstVectorRef<double>& g, const ConstVectorRef<double>& v,
                              const ConstVectorRef<double>& tau, double gain_per_s, double period_s) noexcept {
  for (int i = 0; i < n_; ++i) {
    const double rate = tau[i] - g[i] + column_dot(C, i, v);
    // Trapezoidal in what moves the momentum; implicit in r, so that any gain is stable:
    //   r = K (p - momentum - (mean rate) T - r T)
    const double mean = has_rate_ ? 0.5 * (rate + rate_[at(i)]) : rate;
    rate_[at(i)] = rate;
    const double expected = momentum_[at(i)] + mean * period_s;
    const double error = column_dot(M, i, v) - expected;
    r_[at(i)] = gain_per_s * error / (1.0 + gain_per_s * period_s);
    momentum_[at(i)] = expected + r_[at(i)] * period_s;
  }
  has_rate_ = true;
}

}  // namespace dyn::control
