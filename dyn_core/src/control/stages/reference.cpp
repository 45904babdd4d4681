// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The stages reference and prediction. Reference: as given, or limited, or braking to rest where it is lost; at the
// time of the state and at the predicted time. Prediction: errors and state at the predicted time.
#include <algorithm>
#include <cmath>

#include "control/cycle.hpp"

namespace dyn::control {
// --- Reference -------------------------------------------------------------------------------------------------------

void Controller::Impl::update_reference(CycleReport& report) noexcept {
  const double now_s = -(parameters->reference_lead + reference.lead) * period_s;
  const double ahead_s = now_s + parameters->prediction * period_s;
  for (int i = 0; i < robot_n; ++i) motion_limits[i] = find_motion_limits(i);
  take_reference(now_s, ahead_s);
  report.reference_not_finite = !usable;
  const bool timed_out =
      live.fallback().hold || (parameters->reference_timeout_s > 0.0 && stale_s > parameters->reference_timeout_s);
  if (starts_at_state || (timed_out && !holding)) start_reference_at_state();
  starts_at_state = false;
  if (timed_out) {
    stop_reference();
  } else {
    allow_given_motion();
    for (int i = 0; i < robot_n; ++i) {
      const bool jerk_known = age_s == 0.0 && last_was_new && !limiters[i].limited();
      const Point wanted = actuation.actuated[i] ? given(i) : Point{state.q[i], state.v[i], 0.0};
      Point followed = wanted;
      ReferenceLimit limit = ReferenceLimit::none;  // none: the joint follows what is given
      if (!drives(i) || follows_state()) {
        limiters[i].reset(state.q[i], state.v[i]);
      } else {
        MotionLimits limits = motion_limits[i];
        limits.passing = passing[i];
        limit = late || bad_s > 0.0 ? follow_after_gap(i, wanted, limits, now_s)
                                    : limiters[i].follow(wanted, actuation.continuous[i], limits, step_s);
        followed = limiters[i].now();
        const bool first = limit != ReferenceLimit::none && !report.reference_limited && !any_limited;
        if (first) cut = limits.cut(limit, wanted, cut.count + 1, i);
      }
      followed_q[i] = followed.q;
      followed_v[i] = followed.v;
      followed_a[i] = followed.a;
      report.reference_limited = report.reference_limited || limit != ReferenceLimit::none;
      look_ahead(i, limit != ReferenceLimit::none, jerk_known, now_s, ahead_s);
    }
  }
  any_limited = report.reference_limited;
  holding = timed_out;
  last_was_new = age_s == 0.0;
}

// Copies the given reference if it is finite, else keeps the last one; notes how old it is. Entries of passive joints
// are not checked.
void Controller::Impl::take_reference(double now_s, double ahead_s) noexcept {
  ReferenceInput now = reference;
  double sum = 0.0;  // NaN and infinity survive multiplication by zero
  if (reference.source != nullptr) {
    sum += sample_source(now_s, ahead_s);
    now.q = ref_now_q, now.v = ref_now_v, now.a = ref_now_a;
  }
  for (int i = 0; i < robot_n; ++i) {
    if (actuation.actuated[i]) sum += 0.0 * now.q[i] + 0.0 * now.v[i] + 0.0 * now.a[i];
  }
  changed = false;
  if (sum == 0.0) {
    for (int i = 0; i < robot_n; ++i) {
      const bool same = now.q[i] == given_q[i] && now.v[i] == given_v[i] && now.a[i] == given_a[i];
      changed = changed || (actuation.actuated[i] && !same);
    }
    std::copy_n(now.q.data(), robot_n, given_q.data());
    std::copy_n(now.v.data(), robot_n, given_v.data());
    std::copy_n(now.a.data(), robot_n, given_a.data());
  }
  const bool task_finite = reference.task == nullptr || !reference.task->given || reference.task->point.is_finite();
  usable = sum == 0.0 && task_finite;
  const bool fresh = usable && reference.fresh;
  stale_s = fresh ? 0.0 : stale_s + step_s;
  age_s += step_s;
  if (fresh && changed) {
    constexpr double longest_s = 0.1;  // slower references are no stream
    streamed = interval_s > 0.0 && age_s <= longest_to_extrapolate_s() ? streamed + 1 : 0;
    interval_s = age_s <= longest_s ? age_s : 0.0;
    age_s = 0.0;
  }
}

// Samples the source at both times. Returns NaN where the sample at the predicted time is not finite, else 0.
double Controller::Impl::sample_source(double now_s, double ahead_s) noexcept {
  const size_t own = robot_n;
  reference.source->sample(now_s, {ref_now_q.data(), own}, {ref_now_v.data(), own}, {ref_now_a.data(), own});
  reference.source->sample(ahead_s, {ref_q.data(), own}, {ref_v.data(), own}, {ref_a.data(), own});
  double sum = 0.0;
  for (int i = 0; i < robot_n; ++i) {
    if (actuation.actuated[i]) sum += 0.0 * ref_q[i] + 0.0 * ref_v[i] + 0.0 * ref_a[i];
  }
  return sum;
}

// The given reference at this cycle. One that is older than this cycle, or unchanged, is extrapolated with its velocity
// and acceleration: for at most twice the time between the last two, in a stream for at least lost_s; then it stands.
Point Controller::Impl::given(int i) const noexcept {
  const Point last{given_q[i], given_v[i], given_a[i]};
  if (age_s == 0.0 || (reference.source != nullptr && usable)) return last;
  const double most_s = longest_to_extrapolate_s();
  const Point moved = last.after(std::min(age_s, most_s));
  return age_s <= most_s ? moved : Point{moved.q, 0.0, 0.0};
}

double Controller::Impl::longest_to_extrapolate_s() const noexcept {
  constexpr double lost_s = 0.02;
  constexpr int stream = 3;  // so many references in a row are a stream
  return streamed >= stream ? std::max(2.0 * interval_s, lost_s) : 2.0 * interval_s;
}

void Controller::Impl::start_reference_at_state() noexcept {
  task.begins = true;
  for (int i = 0; i < robot_n; ++i) {
    limiters[i].restart(state.q[i] - offset_q[i], state.v[i] - offset_v[i], actuation.continuous[i]);
  }
}

// Without acceleration_limit: (effort limit - |C v + g|) / M_ii at the last cycle's state. The limiter's own
// trajectories use half of that, so that effort is left for the feedback and for the coupling with other joints.
MotionLimits Controller::Impl::find_motion_limits(int i) const noexcept {
  constexpr double least = 0.1;  // of the effort limit, for an arm that can barely hold its own weight
  MotionLimits limits;
  limits.lower = actuation.lower[i];
  limits.upper = actuation.upper[i];
  limits.velocity = actuation.velocity_limit[i];
  if (has_acceleration_limit(i)) {
    const double set = parameters->acceleration_limit[i];
    limits.acceleration = limits.braking = limits.passing = limits.stop_at_lower = limits.stop_at_upper = set;
    return limits;
  }
  const double bound = effort_bound(i);
  const double per_inertia = 1.0 / std::max(diagonal_last[i], 1e-12);
  const auto by_effort = [&](double left) {
    return std::clamp(std::max(left, least * bound) * per_inertia, 1e-3, 1e9);
  };
  limits.braking = limits.passing = by_effort(bound - std::abs(bias_last[i]));
  limits.acceleration = 0.5 * limits.braking;
  limits.stop_at_lower = by_effort(bound - bias_last[i]);
  limits.stop_at_upper = by_effort(bound + bias_last[i]);
  if (gap_s > period_s && std::isfinite(limits.velocity)) {  // a quarter of the velocity in the next such gap
    const double most = std::max(0.25 * limits.velocity / gap_s, 1e-3);
    limits.acceleration = std::min(limits.acceleration, most);
    limits.braking = std::max(limits.acceleration, std::min(limits.braking, 2.0 * most));
  }
  return limits;
}

// The largest acceleration of a reference that passes: that of motion_limits(), and more where the torque of the whole
// motion is within the effort limits.
void Controller::Impl::allow_given_motion() noexcept {
  constexpr double most = 1e9;
  bool more = false;
  for (int i = 0; i < robot_n; ++i) {
    wanted_by_a[i] = wanted_by_v[i] = 0.0;
    if (!drives(i)) continue;
    const Point wanted = given(i);
    const bool sampled = reference.source != nullptr && usable;
    const double a = sampled && std::abs(ref_a[i]) > std::abs(wanted.a) ? ref_a[i] : wanted.a;
    wanted_by_a[i] = std::clamp(a, -most, most);
    wanted_by_v[i] = std::clamp((wanted.v - limiters[i].now().v) / step_s, -most, most);
    passing[i] = motion_limits[i].passing;
    more = more ||
           (!has_acceleration_limit(i) && std::max(std::abs(wanted_by_a[i]), std::abs(wanted_by_v[i])) > passing[i]);
  }
  if (more) allow_whole_motion();
}

// Allows the demanded acceleration of joint i where its torque (M a + C v + g)_i, with M, C v and g of the last cycle,
// is within its effort limit.
void Controller::Impl::allow_whole_motion() noexcept {
  for (const auto* const wanted : {&wanted_by_a, &wanted_by_v}) {
    for (int i = 0; i < robot_n; ++i) {
      if (!drives(i) || has_acceleration_limit(i)) continue;
      double tau = bias_last[i];
      for (int j = 0; j < robot_n; ++j) tau += M_last[j * robot_n + i] * (*wanted)[j];
      if (std::abs(tau) <= effort_bound(i)) passing[i] = std::max(passing[i], std::abs((*wanted)[i]));
    }
  }
}

// Shifts the followed reference to the time of the state (ref_now_) and to the predicted time (ref_).
void Controller::Impl::look_ahead(int i, bool limited, bool jerk_known, double now_s, double ahead_s) noexcept {
  const Point followed{followed_q[i], followed_v[i], followed_a[i]};
  Point now = followed;
  Point ahead;
  if (limited) {
    const bool at_now = reference.source != nullptr;
    if (!at_now) now = followed.after(now_s);
    ahead = followed.until_rest(at_now ? ahead_s - now_s : ahead_s);
  } else if (reference.source != nullptr && usable) {
    ahead = {ref_q[i], ref_v[i], ref_a[i]};
    MotionLimits limits = motion_limits[i];
    limits.passing = passing[i];
    const bool follows = !drives(i) || follows_state() ||
                         limits.connected(followed, ahead, actuation.continuous[i], ahead_s - now_s, period_s);
    if (!follows) ahead = followed.until_rest(ahead_s - now_s);
  } else {
    const double last_a = jerk_known ? last_ref_a[i] : followed.a;
    now = shift_reference(followed, last_a, now_s, period_s);
    ahead = shift_reference(followed, last_a, ahead_s, period_s);
  }
  last_ref_a[i] = followed.a;
  ref_now_q[i] = now.q;
  ref_now_v[i] = now.v;
  ref_q[i] = ahead.q;
  ref_v[i] = ahead.v;
  ref_a[i] = ahead.a;
}

// The reference is lost: brakes to rest and holds.
void Controller::Impl::stop_reference() noexcept {
  for (int i = 0; i < robot_n; ++i) {
    const bool free = !drives(i) || follows_state();
    if (free) {
      limiters[i].reset(state.q[i], state.v[i]);
    } else {
      limiters[i].stop(motion_limits[i], step_s);
    }
    const Point now = limiters[i].now();
    const Point ahead = now.until_rest(parameters->prediction * period_s);
    followed_q[i] = ref_now_q[i] = now.q;
    followed_v[i] = ref_now_v[i] = now.v;
    followed_a[i] = now.a;
    ref_q[i] = ahead.q;
    ref_v[i] = ahead.v;
    ref_a[i] = ahead.a;
  }
}

Point shift_reference(const Point& now, double last_a, double shift_s, double period_s) noexcept {
  const double jerk = (now.a - last_a) / period_s;
  const Point p = now.after(shift_s);
  return {p.q + jerk * shift_s * shift_s * shift_s / 6.0, p.v + 0.5 * jerk * shift_s * shift_s, p.a + jerk * shift_s};
}

// --- Prediction ------------------------------------------------------------------------------------------------------

// Coordinates without a reference of their own: the state itself is predicted, with the commanded accelerations.
void Controller::Impl::predict() noexcept {
  const bool feeds_back = parameters->law == Law::computed_torque;
  for (int i = 0; i < n; ++i) {
    if (i >= robot_n || !actuation.actuated[i] || parameters->law == Law::task_space) {
      const Point now{state.q[i], state.v[i], 0.0};
      const Point ahead = control::predict(now, commands[i], a_command[i], parameters->prediction, period_s);
      q_hat[i] = ahead.q;
      v_hat[i] = v_seen[i] = ahead.v;
      terms.position_error[i] = terms.velocity_error[i] = ref_v[i] = ref_a[i] = 0.0;
      continue;
    }
    const Point offset{offset_q[i], offset_v[i], offset_a[i]};
    const Point offset_ahead = offset.after(parameters->prediction * period_s);
    ref_now_q[i] += offset.q;
    ref_now_v[i] += offset.v;
    ref_q[i] += offset_ahead.q;
    ref_v[i] += offset_ahead.v;
    const bool wraps = actuation.continuous[i];
    const double error = ref_now_q[i] - state.q[i];
    const double advance = ref_q[i] - ref_now_q[i];
    const Point now{wraps ? wrapped(error) : error, ref_now_v[i] - state.v[i], 0.0};
    const JointGains& gain = gains_in_force[i];
    const double next_a = feeds_back ? -feedback_scale[i] * (gain.p * now.q + gain.d * now.v) : 0.0;
    const Point ahead = control::predict(now, commands[i], next_a, parameters->prediction, period_s);
    q_hat[i] = state.q[i] + (wraps ? wrapped(advance) : advance) - (ahead.q - now.q);
    v_hat[i] = v_seen[i] = ref_v[i] - ahead.v;
    terms.position_error[i] = ahead.q;
    terms.velocity_error[i] = ahead.v;
    if (parameters->law == Law::feedforward) {  // paper 004 eq 72: M, C, g at the reference
      q_hat[i] = ref_q[i];
      v_hat[i] = ref_v[i];
    }
  }
}

Point predict(Point now, const Commands& commands, double next_a, double prediction, double period_s) noexcept {
  std::size_t whole = 0;
  while (whole < Commands::cycles && static_cast<double>(whole + 1) <= prediction) ++whole;
  for (std::size_t back = whole; back > 0; --back) {
    now.a = commands.at(back);
    now = now.after(period_s);
  }
  now.a = next_a;
  return now.after((prediction - static_cast<double>(whole)) * period_s);
}

}  // namespace dyn::control
