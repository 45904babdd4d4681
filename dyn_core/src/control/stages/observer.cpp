// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// External torques from the momentum.
#include <algorithm>
#include <cmath>
#include <utility>

#include "control/cycle.hpp"

namespace dyn::control {

void Controller::Impl::update_observer(live::Generation& generation, CycleReport& report) noexcept {
  const Dynamics& dynamics = generation.dynamics;
  if (follow_model(generation)) {
    for (int i = 0; i < n; ++i) motor_effort[i] = terms.applied[i] - terms.friction[i];
    observer.update(dynamics.M(), dynamics.C(), dynamics.g(), read_view(v_seen), read_view(motor_effort),
                    parameters->observer_gain, period_s);
  }
  const auto residual = observer.residual();
  // While a payload is ramped in or out, the arm does not carry what the model says: that is no collision, nor is what
  // the observer still has of it some time constants later.
  constexpr double settled = 6.0;
  unsettled_s = report.ramping ? settled / std::max(parameters->observer_gain, 1e-3) : unsettled_s - period_s;
  for (int i = 0; i < n; ++i) {
    terms.external[i] = residual[i];
    if (parameters->collision_threshold > 0.0 && i < robot_n && unsettled_s <= 0.0) {
      report.collision = report.collision || std::abs(residual[i]) > parameters->collision_threshold;
    }
  }
}

// A momentum step due to a model change, dM v, is no external torque's. False where the observer begins anew in this
// cycle and has nothing to compare yet.
bool Controller::Impl::follow_model(live::Generation& generation) noexcept {
  Dynamics& dynamics = generation.dynamics;
  const bool first_cycle = std::exchange(first_cycle_of_generation, false);
  if (!observer_ready) {
    observer.reset(dynamics.M(), read_view(v_seen));
    observer_ready = true;
    return false;
  }
  const int kept = first_cycle ? std::min(robot_n, n) : n;
  if (generation.momentum_step_unknown) {
    observer.carry_over(dynamics.M(), read_view(v_hat), parameters->observer_gain, kept);
    return false;
  }
  if (!generation.inertia_changed() && kept == n) return true;
  generation.swap_previous_inertias();
  momentum_of(dynamics, momentum_before);
  generation.swap_previous_inertias();
  momentum_of(dynamics, momentum_step);
  for (int i = 0; i < n; ++i) momentum_step[i] -= momentum_before[i];
  observer.rebase(dynamics.M(), read_view(v_seen), read_view(momentum_step), kept);
  return true;
}

// M v with the inertias that the dynamics have just now.
void Controller::Impl::momentum_of(Dynamics& dynamics, std::vector<double>& momentum) noexcept {
  const std::span<const double> q(q_hat.data(), n);
  const std::span<const double> v(v_hat.data(), n);
  if (!dynamics.update_terms(q, v, term_M).ok()) observer_ready = false;
  for (int i = 0; i < n; ++i) {
    momentum[i] = 0.0;
    for (int j = 0; j < n; ++j) momentum[i] += dynamics.M()(i, j) * v_seen[j];
  }
}

}  // namespace dyn::control
