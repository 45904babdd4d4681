// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The reference: as given, within the joints' limits, or on its way to rest where none comes; at the time of the state
// and at the predicted time.
#include <algorithm>
#include <cmath>

#include "control/cycle.hpp"

namespace dyn::control {

// The reference at the time of the state and at the predicted time: as given, within the joints' limits, or on its way
// to rest where none comes.
void Controller::Impl::update_reference(CycleReport& report) noexcept {
  const double now_s = -(parameters->reference_lead + reference.lead) * period_s;
  const double ahead_s = now_s + parameters->prediction * period_s;
  const bool task_finite = reference.task == nullptr || !reference.task->given || reference.task->point.is_finite();
  usable = take_reference(now_s, ahead_s) && task_finite;
  const bool fresh = usable && reference.fresh;
  stale_s = fresh ? 0.0 : stale_s + period_s;
  age_s += period_s;
  if (fresh && changed) {
    constexpr double longest_s = 0.1;  // what comes more slowly is no stream
    interval_s = age_s <= longest_s ? age_s : 0.0;
    age_s = 0.0;
  }
  report.reference_not_finite = !usable;
  const bool timed_out =
      live.fallback().hold || (parameters->reference_timeout_s > 0.0 && stale_s > parameters->reference_timeout_s);
  const bool resumes = bad_s > 0.0;  // the arm went on while the reference did not
  if (starts_at_state || resumes || (timed_out && !holding)) start_reference_at_state();
  starts_at_state = false;
  if (timed_out) {
    stop_reference();
  } else {
    allow_given_motion();
    for (int i = 0; i < robot_n; ++i) {
      const bool jerk_known = age_s == 0.0 && last_was_new && !limiters[i].limited();
      const bool limited = limit_reference(i, report);
      look_ahead(i, limited, jerk_known, now_s, ahead_s);
    }
  }
  any_limited = report.reference_limited;
  holding = timed_out;
  last_was_new = age_s == 0.0;
}

// False where it is not finite: then the last one that was is kept. What is wanted of passive joints is not looked at.
bool Controller::Impl::take_reference(double now_s, double ahead_s) noexcept {
  const auto own = static_cast<size_t>(robot_n);
  ReferenceInput now = reference;
  double sum = 0.0;  // NaN and infinity survive multiplication by zero
  if (reference.source != nullptr) {
    reference.source->sample(now_s, {ref_now_q.data(), own}, {ref_now_v.data(), own}, {ref_now_a.data(), own});
    reference.source->sample(ahead_s, {ref_q.data(), own}, {ref_v.data(), own}, {ref_a.data(), own});
    now.q = ref_now_q, now.v = ref_now_v, now.a = ref_now_a;
    for (int i = 0; i < robot_n; ++i) {
      if (actuation.actuated[i]) sum += 0.0 * ref_q[i] + 0.0 * ref_v[i] + 0.0 * ref_a[i];
    }
  }
  for (int i = 0; i < robot_n; ++i) {
    if (actuation.actuated[i]) sum += 0.0 * now.q[i] + 0.0 * now.v[i] + 0.0 * now.a[i];
  }
  changed = false;
  if (sum != 0.0) return false;
  for (int i = 0; i < robot_n; ++i) {
    const bool same = now.q[i] == given_q[i] && now.v[i] == given_v[i] && now.a[i] == given_a[i];
    changed = changed || (actuation.actuated[i] && !same);
  }
  std::copy_n(now.q.data(), robot_n, given_q.data());
  std::copy_n(now.v.data(), robot_n, given_v.data());
  std::copy_n(now.a.data(), robot_n, given_a.data());
  return true;
}

// What is given for this cycle. References that come more slowly than the loop, or come again unchanged while they say
// that they move, are extrapolated until the next one, for at most twice the time between the last two; then they
// stand.
Point Controller::Impl::given(int i) const noexcept {
  const Point last{given_q[i], given_v[i], given_a[i]};
  if (age_s == 0.0 || (reference.source != nullptr && usable)) return last;
  const double most_s = 2.0 * interval_s;
  const Point moved = last.after(std::min(age_s, most_s));
  return age_s <= most_s ? moved : Point{moved.q, 0.0, 0.0};
}

void Controller::Impl::start_reference_at_state() noexcept {
  task.begins = true;
  for (int i = 0; i < robot_n; ++i) {
    limiters[i].restart(state.q[i] - offset_q[i], state.v[i] - offset_v[i], actuation.continuous[i]);
  }
}

// Without acceleration_limit: what torque allows over the diagonal of M at the last cycle's state. The limiter's own
// trajectories take half of that, so that something is left for the feedback and for what other joints' accelerations
// need here.
MotionLimits Controller::Impl::motion_limits(int i) const noexcept {
  constexpr double least = 0.1;  // of the effort limit, for an arm that can barely hold itself
  MotionLimits limits;
  limits.lower = actuation.lower[i];
  limits.upper = actuation.upper[i];
  limits.velocity = actuation.velocity_limit[i];
  const double set = parameters->acceleration_limit.empty() ? 0.0 : parameters->acceleration_limit[i];
  if (set > 0.0) {
    limits.acceleration = limits.braking = limits.passing = limits.stop_at_lower = limits.stop_at_upper = set;
    return limits;
  }
  const double bound = effort_bound(i);
  const auto by_effort = [&](double left) {
    return std::clamp(std::max(left, least * bound) / std::max(diagonal_last[i], 1e-12), 1e-3, 1e9);
  };
  limits.braking = limits.passing = by_effort(bound - std::abs(bias_last[i]));
  limits.acceleration = 0.5 * limits.braking;
  limits.stop_at_lower = by_effort(bound - bias_last[i]);
  limits.stop_at_upper = by_effort(bound + bias_last[i]);
  return limits;
}

// The acceleration that a reference may have which passes: also more than over the diagonal of M, where the torque of
// the whole motion M a + C v + g is within the limits.
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
    wanted_by_v[i] = std::clamp((wanted.v - limiters[i].now().v) / period_s, -most, most);
    passing[i] = motion_limits(i).passing;
    const bool set = !parameters->acceleration_limit.empty() && parameters->acceleration_limit[i] > 0.0;
    more = more || (!set && std::max(std::abs(wanted_by_a[i]), std::abs(wanted_by_v[i])) > passing[i]);
  }
  if (!more) return;
  for (const auto* const wanted : {&wanted_by_a, &wanted_by_v}) {
    for (int i = 0; i < robot_n; ++i) {
      const bool set = !parameters->acceleration_limit.empty() && parameters->acceleration_limit[i] > 0.0;
      if (!drives(i) || set) continue;
      double tau = bias_last[i];
      for (int j = 0; j < robot_n; ++j) tau += M_last[j * robot_n + i] * (*wanted)[j];
      if (std::abs(tau) <= effort_bound(i)) passing[i] = std::max(passing[i], std::abs((*wanted)[i]));
    }
  }
}

// True where the joint does not follow what is given. Hand guiding follows the state.
bool Controller::Impl::limit_reference(int i, CycleReport& report) noexcept {
  const Point wanted = actuation.actuated[i] ? given(i) : Point{state.q[i], state.v[i], 0.0};
  Point followed = wanted;
  ReferenceLimit limit = ReferenceLimit::none;
  if (!drives(i) || follows_state()) {
    limiters[i].reset(state.q[i], state.v[i]);
  } else {
    MotionLimits limits = motion_limits(i);
    limits.passing = passing[i];
    limit = limiters[i].follow(wanted, actuation.continuous[i], limits, period_s);
    followed = limiters[i].now();
    const bool first = limit != ReferenceLimit::none && !report.reference_limited && !any_limited;
    if (first) cut = limits.cut(limit, wanted, cut.count + 1, i);
  }
  followed_q[i] = followed.q;
  followed_v[i] = followed.v;
  followed_a[i] = followed.a;
  report.reference_limited = report.reference_limited || limit != ReferenceLimit::none;
  return limit != ReferenceLimit::none;
}

// From what is followed to the time of the state and to the predicted one.
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
    MotionLimits limits = motion_limits(i);
    limits.passing = passing[i];
    const bool follows = !drives(i) || follows_state() ||
                         limits.connected(followed, ahead, actuation.continuous[i], ahead_s - now_s, period_s);
    if (!follows) ahead = followed.until_rest(ahead_s - now_s);
  } else {
    const double last_a = jerk_known ? last_ref_a[i] : followed.a;
    now = control::shift_reference(followed, last_a, now_s, period_s);
    ahead = control::shift_reference(followed, last_a, ahead_s, period_s);
  }
  last_ref_a[i] = followed.a;
  ref_now_q[i] = now.q;
  ref_now_v[i] = now.v;
  ref_q[i] = ahead.q;
  ref_v[i] = ahead.v;
  ref_a[i] = ahead.a;
}

// No reference any more: from the measured state to rest, and there.
void Controller::Impl::stop_reference() noexcept {
  for (int i = 0; i < robot_n; ++i) {
    const bool free = !drives(i) || follows_state();
    if (free) {
      limiters[i].reset(state.q[i], state.v[i]);
    } else {
      limiters[i].stop(motion_limits(i), period_s);
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

}  // namespace dyn::control
