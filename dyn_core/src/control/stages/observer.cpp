// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The stage observer: external torques from the momentum; then the observer itself
// (dyn_core/control/momentum_observer.hpp).
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "control/cycle.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::control {
namespace {

// (A^T x)_column: a column is contiguous in memory. For the symmetric M this is (M x)_column.
double column_dot(const ConstMatrixRef<double>& A, int column, const ConstVectorRef<double>& x) noexcept {
  const double* const a = A.data() + static_cast<Eigen::Index>(column) * A.outerStride();
  double sum = 0.0;
  for (Eigen::Index j = 0; j < x.size(); ++j) sum += a[j] * x[j];
  return sum;
}
}  // namespace

// Where the observer is reset, or the momentum step of this cycle is not known, there is no update.
void Controller::Impl::update_observer(live::Generation& generation, CycleReport& report) noexcept {
  const Dynamics& dynamics = generation.dynamics;
  const bool first_cycle = std::exchange(first_cycle_of_generation, false);
  const int kept = first_cycle ? std::min(robot_n, n) : n;
  if (!observer_ready) {
    observer.reset(dynamics.M(), read_view(v_seen));
    observer_ready = true;
  } else if (generation.momentum_step_unknown) {
    observer.carry_over(dynamics.M(), read_view(v_seen), parameters->observer_gain, kept);
  } else {
    if (generation.inertia_changed() || kept != n) rebase_observer(generation, kept);
    const bool drive_adds_gravity = parameters->gravity_compensation == GravityCompensation::hardware;
    for (int i = 0; i < n; ++i) {
      motor_effort[i] = terms.applied[i] - terms.friction[i];
      if (drive_adds_gravity && i < robot_n && actuation.actuated[i]) motor_effort[i] += dynamics.g()[i];
    }
    observer.update(dynamics.M(), dynamics.C(), dynamics.g(), read_view(v_seen), read_view(motor_effort),
                    parameters->observer_gain, step_s);
  }
  const auto residual = observer.residual();
  // While a payload is ramped, the model's inertia is not the real one, and for `settled` time constants after that the
  // residual still contains the difference: no collision is reported. The same after a gap in the states.
  constexpr double settled = 6.0;
  unsettled_s = report.ramping || late ? settled / std::max(parameters->observer_gain, 1e-3) : unsettled_s - step_s;
  for (int i = 0; i < n; ++i) {
    terms.external[i] = observer_ready ? residual[i] : 0.0;
    if (parameters->collision_threshold > 0.0 && i < robot_n && unsettled_s <= 0.0) {
      report.collision = report.collision || std::abs(terms.external[i]) > parameters->collision_threshold;
    }
  }
}

// No external torque is known until the observer has been reset and updated.
void Controller::Impl::end_observer() noexcept {
  observer_ready = false;
  std::fill(terms.external.begin(), terms.external.end(), 0.0);
}

// The momentum step due to a model change, dM v = M_now v - M_before v, is not due to an external torque.
void Controller::Impl::rebase_observer(live::Generation& generation, int kept) noexcept {
  Dynamics& dynamics = generation.dynamics;
  generation.swap_previous_inertias();
  momentum_of(dynamics, momentum_before);
  generation.swap_previous_inertias();
  momentum_of(dynamics, momentum_step);
  for (int i = 0; i < n; ++i) momentum_step[i] -= momentum_before[i];
  observer.rebase(dynamics.M(), read_view(v_seen), read_view(momentum_step), kept);
}

// M v with the current inertias of the dynamics.
void Controller::Impl::momentum_of(Dynamics& dynamics, std::vector<double>& momentum) noexcept {
  const std::span<const double> q(q_hat.data(), n);
  const std::span<const double> v(v_hat.data(), n);
  if (!dynamics.update_terms(q, v, term_M).ok()) observer_ready = false;
  for (int i = 0; i < n; ++i) {
    momentum[i] = 0.0;
    for (int j = 0; j < n; ++j) momentum[i] += dynamics.M()(i, j) * v_seen[j];
  }
}

// --- The observer
// -----------------------------------------------------------------------------------------------------

MomentumObserver::MomentumObserver(int max_coordinates)
    : momentum_(max_coordinates), rate_(max_coordinates), r_(max_coordinates), before_(max_coordinates) {}

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

// Sets momentum = M v - r / K, as it is after an update.
void MomentumObserver::carry_over(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& v, double gain_per_s,
                                  int kept) noexcept {
  set_size(M, v);
  for (int i = 0; i < n_; ++i) {
    if (i >= kept || gain_per_s == 0.0) r_[i] = 0.0;
    momentum_[i] = column_dot(M, i, v) - (gain_per_s > 0.0 ? r_[i] / gain_per_s : 0.0);
  }
  has_rate_ = false;
}

void MomentumObserver::reorder(std::span<const int> from) noexcept {
  DYN_EXPECTS(from.size() <= r_.size());
  std::copy(r_.begin(), r_.end(), before_.begin());
  for (std::size_t i = 0; i < from.size(); ++i) r_[i] = from[i] < 0 ? 0.0 : before_[from[i]];
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
