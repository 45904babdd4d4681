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

// In front of a position limit. A velocity above a bound that falls at the rate `braking` stays above it by braking *
// time, and the joint goes farther by braking * time^2.
double Controller::Impl::margin_of_stop(double braking) const noexcept {
  constexpr double least = 2e-4;  // rad or m
  return least + braking * braking_time_s() * braking_time_s();
}

// The largest velocity towards a position limit that is `room` away: one from which the joint still stops in front of
// it. Within the margin it returns slowly.
double Controller::Impl::velocity_towards_stop(double room, double v, double braking) const noexcept {
  constexpr double slowly = 0.25;  // of the rate at which a velocity changes
  const double time_s = braking_time_s(), margin = margin_of_stop(braking);
  if (room < margin) return slowly * std::max(room - margin, -margin) / time_s;
  return std::max(0.0, approach_velocity(room - margin, v, braking, period_s));
}

// The largest acceleration towards a position limit that is `room` away with which the torque has no steps. The joint
// brakes along u(s), s the room in front of the margin: with the deceleration A, and more slowly near the stop, where a
// root would end in a jump,
//   u = s / tau  for s < A tau^2,  else  sqrt(2 A s - (A tau)^2);  dv/dt <= (u - v) / tau - v du/ds.
// Thus v stays below u, and braking begins and ends with the time constant tau. velocity_towards_stop() is beyond u.
double Controller::Impl::acceleration_towards_stop(double room, double v, double braking) const noexcept {
  constexpr double gently = 7.0;
  constexpr double apart = 2e-4;  // rad or m, from where velocity_towards_stop() ends
  const double tau_s = gently * braking_time_s();
  const double s = std::max(0.0, room - margin_of_stop(braking) - apart), least = braking * tau_s;
  const bool near = s < least * tau_s;
  const double u = near ? s / tau_s : std::sqrt(2.0 * braking * s - least * least);
  const double slope = near ? 1.0 / tau_s : braking / u;
  const double towards = std::max(0.0, v), away = std::max(0.0, -v);
  return (u - towards) / tau_s - towards * slope + away / braking_time_s();
}

// Of joint i, for its velocity limit and, under the law task_space, such that it can still stop before its position
// limits. Its braking is at most such that braking * time is the change from one velocity limit to the other, and the
// margin braking * time^2 an eighth of the range: a light joint, which its effort accelerates much faster, cannot go
// farther than that either.
Range Controller::Impl::acceleration_range(int i) const noexcept {
  constexpr double share = 0.98;  // of the velocity limit, since external torques are known a cycle late only
  if (i >= robot_n || !drives(i)) return {-MotionLimits::none, MotionLimits::none};
  const double limit = share * actuation.velocity_limit[i], v = state.v[i], time_s = braking_time_s();
  if (parameters->law != Law::task_space) return {(-limit - v) / time_s, (limit - v) / time_s};
  const double range = actuation.upper[i] - actuation.lower[i];
  const double braking =
      std::min({motion_limits[i].acceleration, 2.0 * limit / time_s, 0.125 * range / (time_s * time_s)});
  const double above = actuation.upper[i] - state.q[i], below = state.q[i] - actuation.lower[i];
  const double up = std::clamp(velocity_towards_stop(above, v, braking), -limit, limit);
  const double down = std::clamp(velocity_towards_stop(below, -v, braking), -limit, limit);
  double upper = std::min((std::max(up, -down) - v) / time_s, acceleration_towards_stop(above, v, braking));
  double lower = std::max((std::min(up, -down) - v) / time_s, -acceleration_towards_stop(below, -v, braking));
  // A weak joint's bounds may cross: it brakes.
  if (v > 0.0) lower = std::min(lower, upper);
  if (v <= 0.0) upper = std::max(lower, upper);
  return {lower, upper};
}

void Controller::Impl::limit_velocity(const Dynamics& dynamics, CycleReport& report) noexcept {
  const bool drive_adds_gravity = parameters->gravity_compensation == GravityCompensation::hardware;
  for (int i = 0; i < n; ++i) {
    const bool own = i < robot_n;
    const Range acceleration = acceleration_range(i);
    const Range effort = own && drives(i) ? effort_range(i) : Range{0.0, 0.0};
    const double known = dynamics.h()[i] - (drive_adds_gravity ? dynamics.g()[i] : 0.0);
    velocity_guard.joint(i) = {known + terms.friction[i] - terms.external[i],
                               effort.lower,
                               effort.upper,
                               acceleration.lower,
                               acceleration.upper,
                               own && actuation.followed[i]};
  }
  report.velocity_held = velocity_guard.hold(dynamics.M(), write_view(terms.applied));
}

}  // namespace dyn::control
