// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The stage limits: effort limits, and torques that would break velocity limits.
#include <algorithm>
#include <cmath>

#include "control/cycle.hpp"

namespace dyn::control {

// Infinite for joints without a limit, which another controller moves.
double Controller::Impl::effort_bound(int i) const noexcept {
  const double limit = effort_limit(actuation, *parameters, i);
  return std::isinf(limit) ? limit : parameters->effort_limit_scale * limit;
}

// Within the rate limit and the effort limits; where both cannot hold, within the effort limits.
Range Controller::Impl::effort_range(int i) const noexcept {
  const double bound = effort_bound(i);
  if (!(parameters->effort_rate_limit > 0.0 && has_effort)) return {-bound, bound};
  const double step = parameters->effort_rate_limit * period_s;
  return {std::clamp(effort_last[i] - step, -bound, bound), std::clamp(effort_last[i] + step, -bound, bound)};
}

// The sum of the terms, which is finite where the status is ok, within the limits. Integrals of joints that are at a
// limit do not wind up further into it, and no payload is learnt from a torque that was cut.
Status Controller::Impl::limit_effort(CycleReport& report) noexcept {
  for (int i = 0; i < n; ++i) {
    const double gravity = parameters->gravity_compensation == GravityCompensation::full ? terms.gravity[i] : 0.0;
    const bool driven = i < robot_n && actuation.actuated[i];
    terms.friction[i] = friction_at(i);
    terms.demanded[i] =
        driven ? terms.inertia[i] + terms.coriolis[i] + gravity + terms.friction[i] + terms.feedback[i] : 0.0;
    if (!std::isfinite(terms.demanded[i])) return Status::not_finite(i, terms.demanded[i]);
  }
  for (int i = 0; i < n; ++i) {
    double tau = terms.demanded[i];
    if (i < robot_n && actuation.actuated[i]) {
      const Range range = effort_range(i);
      tau = std::clamp(tau, range.lower, range.upper);
      const double lost = terms.demanded[i] - tau;
      report.saturated = report.saturated || lost != 0.0;
      const double error = terms.position_error[i];
      if (lost * error <= 0.0 && parameters->gains[i].i > 0.0) {
        const double clamp = parameters->gains[i].i_clamp / parameters->gains[i].i;
        integral[i] = std::clamp(integral[i] + error * step_s, -clamp, clamp);
      }
    }
    terms.applied[i] = tau;
  }
  if (learning && !report.saturated) payload.adapt(parameters->adaptation_gain, step_s);
  return {};
}

// A torque computed now acts, on average, from `prediction` - 1/2 periods after the state on, for a period, or longer
// where the loop is late again and again. A smaller prediction than that of the hold, 1/2, does not make it act for
// less than a period. A velocity bound is approached as if it acted two periods later: if that is so, and nobody has
// told, a torque that brakes within one period does so several times, and joints swing.
double Controller::Impl::braking_time_s() const noexcept {
  constexpr double later = 2.0;  // periods
  return (std::max(1.0, 0.5 + parameters->prediction) + later) * period_s + (hold_s - period_s);
}

// The largest velocity towards a position limit that is `room` away: one from which the joint still stops in front of
// it. A velocity above a bound that falls at the rate `braking` stays above it by braking * time, and the joint goes
// farther by braking * time^2: that is the margin, within which it returns slowly.
double Controller::Impl::velocity_towards_stop(double room, double v, double braking) const noexcept {
  constexpr double least_margin = 2e-4;  // rad or m
  constexpr double slowly = 0.25;        // of the rate at which a velocity changes
  const double time_s = braking_time_s();
  const double margin = least_margin + braking * time_s * time_s;
  if (room < margin) return slowly * std::max(room - margin, -margin) / time_s;
  return std::max(0.0, approach_velocity(room - margin, v, braking, period_s));
}

// Of the law task_space also such that the joint can still stop before its position limits. Its braking is at most such
// that braking * time is the change from one velocity limit to the other, and the margin braking * time^2 an eighth of
// the range: a light joint, which its effort accelerates much faster, cannot go farther than that either.
Range Controller::Impl::velocity_range(int i) const noexcept {
  constexpr double share = 0.98;  // of the velocity limit, since external torques are known a cycle late only
  if (i >= robot_n || !drives(i)) return {-MotionLimits::none, MotionLimits::none};
  const double limit = share * actuation.velocity_limit[i];
  if (parameters->law != Law::task_space) return {-limit, limit};
  const double time_s = braking_time_s(), range = actuation.upper[i] - actuation.lower[i];
  const double braking =
      std::min({motion_limits[i].acceleration, 2.0 * limit / time_s, 0.125 * range / (time_s * time_s)});
  const double up = velocity_towards_stop(actuation.upper[i] - state.q[i], state.v[i], braking);
  const double down = velocity_towards_stop(state.q[i] - actuation.lower[i], -state.v[i], braking);
  const double lower = -std::clamp(down, -limit, limit), upper = std::clamp(up, -limit, limit);
  return {std::min(lower, upper), std::max(lower, upper)};  // a weak joint's bounds may cross: any velocity in between
}

void Controller::Impl::limit_velocity(const Dynamics& dynamics, CycleReport& report) noexcept {
  const double time_s = braking_time_s();
  const bool drive_adds_gravity = parameters->gravity_compensation == GravityCompensation::hardware;
  for (int i = 0; i < n; ++i) {
    const bool own = i < robot_n;
    const Range velocity = velocity_range(i);
    const Range effort = own && drives(i) ? effort_range(i) : Range{0.0, 0.0};
    const double known = dynamics.h()[i] - (drive_adds_gravity ? dynamics.g()[i] : 0.0);
    velocity_guard.joint(i) = {known + terms.friction[i] - terms.external[i],
                               effort.lower,
                               effort.upper,
                               (velocity.lower - state.v[i]) / time_s,
                               (velocity.upper - state.v[i]) / time_s,
                               own && actuation.followed[i]};
  }
  report.velocity_held = velocity_guard.hold(dynamics.M(), write_view(terms.applied));
}

}  // namespace dyn::control
