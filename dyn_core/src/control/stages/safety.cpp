// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The last good cycle, and what becomes of the torque where there is none.
#include <algorithm>
#include <cmath>

#include "control/cycle.hpp"

namespace dyn::control {

void Controller::Impl::remember_good(const Dynamics& dynamics) noexcept {
  remember_model(dynamics);
  for (int i = 0; i < n; ++i) {
    effort_last[i] = terms.applied[i];
    const bool driven = i < robot_n && actuation.actuated[i] && parameters->law != Law::task_space;
    commands[i].push(driven ? wanted_a[i] - a_command[i] : a_command[i]);
    const Point offset = Point{offset_q[i], offset_v[i], offset_a[i]}.after(period_s);
    offset_q[i] = offset.q;
    offset_v[i] = offset.v;
  }
  has_effort = true;
  bad_s = 0.0;
}

// A state or result that is not finite never reaches the motors: the last good torque for hold_time, then gravity and
// damping from what is still known, and after ten times hold_time the cycle reports failure.
void Controller::Impl::fail_safe(CycleReport& report) noexcept {
  bad_s += period_s;
  observer_ready = false;
  const bool hold = has_effort && bad_s <= parameters->hold_time_s;
  report.mode = hold                                      ? CycleReport::Mode::holding_torque
                : bad_s <= 10.0 * parameters->hold_time_s ? CycleReport::Mode::safe_torque
                                                          : CycleReport::Mode::failed;
  for (int i = 0; i < n; ++i) {
    if (!has_effort) {
      terms.applied[i] = 0.0;
    } else if (hold) {
      terms.applied[i] = effort_last[i];
    } else {
      const bool driven = i < robot_n && actuation.actuated[i];
      const double speed = std::isfinite(state.v[i]) ? state.v[i] : 0.0;
      const double damping = driven ? parameters->gains[i].d * diagonal_last[i] * speed : 0.0;
      const double bound = driven ? effort_bound(i) : 0.0;
      const double gravity = parameters->gravity_compensation == GravityCompensation::full ? gravity_last[i] : 0.0;
      terms.applied[i] = driven ? std::clamp(gravity - damping, -bound, bound) : 0.0;
    }
  }
}

}  // namespace dyn::control
