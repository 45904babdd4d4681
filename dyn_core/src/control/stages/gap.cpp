// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Cycles that come late, and the reference after such a gap.
//
// In a loop that was late (a busy machine, hardware that answers late) the last torque has acted for longer than a
// period, and the reference from above has moved on. One such gap does little harm by itself. Harmful is a torque
// that was meant for one period, to catch up or to brake, and acts for many: the joint overshoots, and the next cycle
// overshoots more in the other direction. So after a gap the reference starts again at the measured state where the
// feedback would otherwise accelerate the joint too much, and a loop that is late again and again is treated as a slow
// loop: gains and velocity bounds are those for a torque that acts for as long as the gaps have been.
#include <algorithm>
#include <cmath>

#include "control/cycle.hpp"

namespace dyn::control {

void Controller::Impl::note_gap() noexcept {
  constexpr double forgotten_per_s = 1.0;
  constexpr double shortest = 0.01, longest_s = 1.0;
  constexpr double longest_hold_s = 0.1;  // hardware that holds a torque for longer than that has no watchdog
  step_s = keeps_time() ? period_s : std::clamp(elapsed_s(), shortest * period_s, longest_s);
  late = step_s > period_s;
  const auto fade = [&](double lateness_s) {
    const double left_s = (lateness_s - period_s) * std::exp(-forgotten_per_s * step_s);
    return left_s > jitter * period_s ? period_s + left_s : period_s;
  };
  gap_s = fade(gap_s);
  hold_s = fade(hold_s);
  if (!late) return;
  const double now_s = std::min(step_s, longest_hold_s);
  const double twice_s = std::min(now_s, gap_s);  // a gap that happened twice; one alone counts as chance
  if (twice_s > period_s) hold_s = std::max(hold_s, std::min(2.0 * twice_s, longest_hold_s));
  gap_s = std::max(gap_s, now_s);
}

// The reference may have moved on as far as it can in that time; where the joint is too far from it, it starts again at
// the measured state.
ReferenceLimit Controller::Impl::follow_after_gap(int i, const Point& wanted, MotionLimits limits,
                                                  double now_s) noexcept {
  const double gone_s = bad_s + step_s;
  const double passing_otherwise = limits.passing;
  limits.passing = std::min(limits.passing, limits.velocity / gone_s);
  const ReferenceLimit limit = limiters[i].follow(wanted, actuation.continuous[i], limits, gone_s);
  if (limit == ReferenceLimit::none && !is_out_of_reach(i, now_s)) return limit;
  limiters[i].reset(state.q[i], state.v[i]);
  limits.passing = passing_otherwise;
  return limiters[i].follow(wanted, actuation.continuous[i], limits, period_s);
}

// Whether the feedback would accelerate the joint by more than the limiter's own trajectories; after a lost state also
// whether the position error is above `elsewhere`.
bool Controller::Impl::is_out_of_reach(int i, double now_s) const noexcept {
  constexpr double elsewhere = 5e-3;  // rad or m
  const Point now = limiters[i].now().after(now_s);
  const double way = now.q - state.q[i];
  const double error = actuation.continuous[i] ? wrapped(way) : way;
  if (bad_s > 0.0 && std::abs(error) > elsewhere) return true;
  const JointGains& gain = parameters->gains[i];
  const double asked = gain.p * error + gain.d * (now.v - state.v[i]);
  const double a = parameters->law == Law::feedforward ? asked / std::max(diagonal_last[i], 1e-12) : asked;
  return std::abs(a) > motion_limits[i].acceleration;
}

// A velocity error that is fed back at the rate r, 1/s, for a time T changes by the share r T: the scale keeps that at
// or below one half where a torque acts for longer than a period. Each joint has a scale of its own, so that a light
// and stiff one, such as a gripper's, does not take the stiffness of the others. Hand guiding has no feedback that
// would have to begin gently.
void Controller::Impl::scale_feedback() noexcept {
  const double ramp = parameters->law == Law::gravity_compensation ? 1.0 : ramp_in();
  const bool slow = hold_s > period_s;
  gains_in_force = parameters->gains;
  std::fill_n(feedback_scale.data(), robot_n, ramp);
  if (!slow) return;
  find_inverse_inertias();
  for (int i = 0; i < robot_n; ++i) {
    slow_gains[i] = parameters->gains[i];
    if (!drives(i)) continue;
    slow_gains[i].p = stiffness_by_hold(slow_gains[i].p, slow_gains[i].d, hold_s, period_s);
    feedback_scale[i] *= scale_by_hold(rate_of_damping(i), hold_s, period_s);
  }
  gains_in_force = {slow_gains.data(), static_cast<size_t>(robot_n)};
}

double scale_by_hold(double rate_per_s, double hold_s, double period_s) noexcept {
  return hold_s > period_s ? 0.5 / std::max(rate_per_s * hold_s, 0.5) : 1.0;
}

double stiffness_by_hold(double p, double d, double hold_s, double period_s) noexcept {
  return hold_s > period_s ? std::min(p, d / hold_s) : p;
}

// By how much d changes the velocity of joint i, 1/s: a torque K v at it accelerates it by (M^-1)_ii K v. Of
// task_space, which has one scale of its own (task_space.cpp), and of computed torque d is such a rate itself.
double Controller::Impl::rate_of_damping(int i) const noexcept {
  const bool of_acceleration = parameters->law == Law::computed_torque || parameters->law == Law::task_space;
  return of_acceleration ? parameters->gains[i].d : inverse_inertias[i] * damping_of(i);
}

// (M^-1)_ii of the robot's joints; one that another controller moves takes part in no other's motion.
void Controller::Impl::find_inverse_inertias() noexcept {
  robot_inertia.resize(robot_n);
  for (int r = 0; r < robot_n; ++r) {
    for (int c = 0; c <= r; ++c) {
      const bool apart = r != c && (actuation.followed[r] || actuation.followed[c]);
      robot_inertia.entry(r, c) = apart ? 0.0 : M_last[c * robot_n + r];
    }
  }
  const bool regular = robot_inertia.factorise() < 0;
  for (int i = 0; i < robot_n; ++i) {
    inverse_inertias[i] = 1.0 / std::max(diagonal_last[i], 1e-12);
    if (!regular) continue;
    robot_inertia.inverse_column(i, column.data());
    inverse_inertias[i] = column[i];
  }
}

double Controller::Impl::ramp_in() const noexcept {
  if (parameters->ramp_in_s <= 0.0 || active_s >= parameters->ramp_in_s) return 1.0;
  const double x = active_s / parameters->ramp_in_s;
  return x * x * (3.0 - 2.0 * x);
}

}  // namespace dyn::control
