// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/delay_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "dyn_core/precondition.hpp"

namespace dyn::control {
namespace {

// The band has commanded motions of an arm, and is above the slow errors due to friction and a wrong mass.
constexpr double high_pass_s = 0.03, low_pass_periods = 3.0;
constexpr double memory_s = 5.0;
constexpr double settled_s = 10.0 * high_pass_s;  // after which the filters' initial values have decayed
constexpr double still = 1e-6;                    // kg m^2 (rad/s^2)^2: below, the arm is at rest
constexpr double least_explained = 0.5, largest_deviation = 0.1;
constexpr double least_weight = 500.0;  // cycles

}  // namespace

DelayEstimator::DelayEstimator(int max_coordinates, double period_s)
    : period_s_(period_s),
      high_pass_(1.0 - std::exp(-period_s / high_pass_s)),
      low_pass_(1.0 - std::exp(-1.0 / low_pass_periods)),
      forget_(1.0 - std::exp(-period_s / memory_s)),
      settled_cycles_(static_cast<int>(std::ceil(settled_s / period_s))),
      joints_(max_coordinates) {}

double DelayEstimator::passed(BandPass& filter, double x) const noexcept {
  if (cycles_ == 1) filter = {x, 0.0};
  filter.mean += high_pass_ * (x - filter.mean);
  filter.smooth += low_pass_ * (x - filter.mean - filter.smooth);
  return filter.smooth;
}

void DelayEstimator::reset() noexcept {
  squares_.fill(0.0);
  energy_ = weight_ = 0.0;
  interrupt();
}

// `dynamics` is brought back by `ahead` periods: M by dM/dt = C + C^T, g by its change over the last period, and C^T v
// by half of that, since v is the measured one; g and C^T v by half a period more, to the middle of the period over
// which the momentum changed.
void DelayEstimator::update(const Dynamics& dynamics, double ahead, std::span<const double> v,
                            std::span<const double> effort, int n) noexcept {
  const size_t count = n;
  DYN_EXPECTS(count <= joints_.size() && count <= v.size() && count <= effort.size());
  const auto M = dynamics.M();
  const auto C = dynamics.C();
  const auto g = dynamics.g();
  std::array<double, lags> differences{};
  double energy = 0.0;
  head_ = head_ > 0 ? head_ - 1 : lags - 1;
  for (size_t i = 0; i < count; ++i) {
    Joint& joint = joints_[i];
    double momentum = 0.0, coriolis = 0.0;
    for (size_t j = 0; j < count; ++j) {
      momentum += (M(j, i) - ahead * period_s_ * (C(i, j) + C(j, i))) * v[j];
      coriolis += C(j, i) * v[j];
    }
    const double gravity_then = g[i] - (ahead + 0.5) * (g[i] - joint.gravity);
    const double coriolis_then = coriolis - 0.5 * (ahead + 1.0) * (coriolis - joint.coriolis);
    const double seen = (momentum - joint.momentum) / period_s_ - coriolis_then + gravity_then;
    joint.momentum = momentum;
    joint.coriolis = coriolis;
    joint.gravity = g[i];
    const double weight = 1.0 / std::sqrt(M(i, i));
    if (cycles_ == 0) continue;  // those of the period before are not known
    const double commanded = passed(joint.of_commanded, effort[i] * weight);
    joint.commanded[head_] = joint.commanded[head_ + lags] = commanded;
    const double acted = passed(joint.of_seen, seen * weight);
    energy += acted * acted;
    for (int lag = 0; lag < lags; ++lag) {
      const double difference = acted - joint.commanded[head_ + lag];
      differences[lag] += difference * difference;
    }
  }
  if (++cycles_ < settled_cycles_ || !(energy > still) || !std::isfinite(energy + differences[0])) return;
  weight_ += 1.0 - forget_ * weight_;
  energy_ += energy - forget_ * energy_;
  for (size_t lag = 0; lag < lags; ++lag) squares_[lag] += differences[lag] - forget_ * squares_[lag];
}

// The parabola through the lowest square and its neighbours; its curvature tells how sharp the minimum is.
DelayEstimate DelayEstimator::estimate() const noexcept {
  DelayEstimate out;
  const auto least = std::min_element(squares_.begin(), squares_.end()) - squares_.begin();
  if (weight_ < least_weight || least == 0 || least == lags - 1) return out;
  const double before = squares_[least - 1], at = squares_[least], after = squares_[least + 1];
  const double curvature = 0.5 * (before - 2.0 * at + after);
  if (!(curvature > 0.0)) return out;
  const double fraction = 0.25 * (before - after) / curvature;
  const double rest = std::max(0.0, at - curvature * fraction * fraction);
  out.periods = static_cast<double>(least - 1) + fraction;  // the torque that was seen acted in the period before
  out.deviation = std::sqrt(rest / (curvature * weight_));
  out.explained = std::clamp(1.0 - rest / energy_, 0.0, 1.0);
  out.known = out.explained >= least_explained && out.deviation <= largest_deviation;
  return out;
}

}  // namespace dyn::control
