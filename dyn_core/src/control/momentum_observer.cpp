// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/momentum_observer.hpp"

#include <iterator>

#include "dyn_core/precondition.hpp"

namespace dyn::control {
namespace {

// A column lies in one piece in memory. M is symmetric: its columns are its rows.
double column_dot(const ConstMatrixRef<double>& A, int column, const ConstVectorRef<double>& x) noexcept {
  const double* const a = A.data() + static_cast<Eigen::Index>(column) * A.outerStride();
  double sum = 0.0;
  for (Eigen::Index j = 0; j < x.size(); ++j) sum += a[j] * x[j];
  return sum;
}
}  // namespace

MomentumObserver::MomentumObserver(int max_coordinates)
    : momentum_(max_coordinates), rate_(max_coordinates), r_(max_coordinates) {}

void MomentumObserver::set_size([[maybe_unused]] const ConstMatrixRef<double>& M,
                                const ConstVectorRef<double>& v) noexcept {
  DYN_EXPECTS(M.rows() == v.size() && M.cols() == v.size() && v.size() <= std::ssize(r_));
  n_ = static_cast<int>(v.size());
}

void MomentumObserver::reset(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& v) noexcept {
  set_size(M, v);
  for (int i = 0; i < n_; ++i) {
    momentum_[i] = column_dot(M, i, v);
    r_[i] = 0.0;
  }
  has_rate_ = false;
}

void MomentumObserver::rebase(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& v,
                              const ConstVectorRef<double>& jump, int kept) noexcept {
  set_size(M, v);
  for (int i = 0; i < n_; ++i) {
    if (i < kept) {
      momentum_[i] += jump[i];
    } else {
      momentum_[i] = column_dot(M, i, v);
      rate_[i] = 0.0;
      r_[i] = 0.0;
    }
  }
}

// After an update momentum = M v - r / K: that is how it is set.
void MomentumObserver::carry_over(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& v, double gain_per_s,
                                  int kept) noexcept {
  set_size(M, v);
  for (int i = 0; i < n_; ++i) {
    if (i >= kept || gain_per_s == 0.0) r_[i] = 0.0;
    momentum_[i] = column_dot(M, i, v) - (gain_per_s > 0.0 ? r_[i] / gain_per_s : 0.0);
  }
  has_rate_ = false;
}

void MomentumObserver::update(const ConstMatrixRef<double>& M, const ConstMatrixRef<double>& C,
                              const ConstVectorRef<double>& g, const ConstVectorRef<double>& v,
                              const ConstVectorRef<double>& tau, double gain_per_s, double period_s) noexcept {
  DYN_EXPECTS(M.rows() == n_ && C.rows() == n_ && g.size() == n_ && v.size() == n_ && tau.size() == n_);
  DYN_EXPECTS(gain_per_s >= 0.0 && period_s > 0.0);
  for (int i = 0; i < n_; ++i) {
    const double rate = tau[i] - g[i] + column_dot(C, i, v);
    // Trapezoidal in what moves the momentum; implicit in r, so that any gain is stable:
    //   r = K (p - momentum - (mean rate) T - r T)
    const double mean = has_rate_ ? 0.5 * (rate + rate_[i]) : rate;
    rate_[i] = rate;
    const double expected = momentum_[i] + mean * period_s;
    const double error = column_dot(M, i, v) - expected;
    r_[i] = gain_per_s * error / (1.0 + gain_per_s * period_s);
    momentum_[i] = expected + r_[i] * period_s;
  }
  has_rate_ = true;
}

}  // namespace dyn::control
