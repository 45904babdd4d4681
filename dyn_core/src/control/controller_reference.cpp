// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The rooms of a control cycle (controller_impl.hpp) that say where the arm is to be: reference, errors and state at
// the predicted time, and how far the reference gives way. The loop's thread; no allocation, lock or system call.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "controller_impl.hpp"

namespace dyn::control {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

// To (-pi, pi]: the short way round for a continuous joint.
double wrapped(double angle) noexcept { return std::remainder(angle, 2.0 * std::numbers::pi); }

}  // namespace

// The reference at the time of the state and at the predicted time.
void Controller::Impl::shift_reference() noexcept {
  stale_s = reference.fresh ? 0.0 : stale_s + period_s;
  const bool timed_out =
      live.fallback().hold || (parameters->reference_timeout_s > 0.0 && stale_s > parameters->reference_timeout_s);
  const double now_s = -(parameters->reference_lead + reference.lead) * period_s;
  const double ahead_s = now_s + parameters->prediction * period_s;
  const size_t own = at(robot_n);
  if (timed_out) {
    hold_reference(!holding);
  } else if (reference.source != nullptr) {
    reference.source->sample(now_s, {ref_now_q.data(), own}, {ref_now_v.data(), own}, {ref_now_a.data(), own});
    reference.source->sample(ahead_s, {ref_q.data(), own}, {ref_v.data(), own}, {ref_a.data(), own});
  } else {
    for (size_t i = 0; i < own; ++i) {
      const Point given{reference.q[i], reference.v[i], reference.a[i]};
      const double last_a = reference.fresh && last_was_fresh ? last_ref_a[i] : given.a;
      const Point now = control::shift_reference(given, last_a, now_s, period_s);
      const Point ahead = control::shift_reference(given, last_a, ahead_s, period_s);
      ref_now_q[i] = now.q;
      ref_now_v[i] = now.v;
      ref_q[i] = ahead.q;
      ref_v[i] = ahead.v;
      ref_a[i] = ahead.a;
      last_ref_a[i] = given.a;
    }
  }
  holding = timed_out;
  last_was_fresh = reference.fresh;
}

// A reference that has not come for too long is brought to rest: its velocity decays with a time constant of a tenth of
// a second.
void Controller::Impl::hold_reference(bool begins) noexcept {
  constexpr double decay_per_s = 10.0;
  for (size_t i = 0; i < at(robot_n); ++i) {
    if (begins) {
      hold_q[i] = ref_q[i] - sway_q[i];  // predict() adds it again
      hold_v[i] = ref_v[i] - sway_v[i];
    }
    hold_q[i] += hold_v[i] * period_s;
    hold_v[i] -= std::min(1.0, decay_per_s * period_s) * hold_v[i];
    ref_q[i] = hold_q[i];
    ref_v[i] = hold_v[i];
    ref_a[i] = -decay_per_s * hold_v[i];
    const Point now = Point{ref_q[i], ref_v[i], ref_a[i]}.after(-parameters->prediction * period_s);
    ref_now_q[i] = now.q;
    ref_now_v[i] = now.v;
  }
}

// Errors and state at the predicted time. Passive coordinates have no reference and move on as they do.
void Controller::Impl::predict() noexcept {
  const double scale = feedback_scale();
  const bool feeds_back = parameters->law == Law::computed_torque;
  for (size_t i = 0; i < at(n); ++i) {
    if (i >= at(robot_n) || !actuation.actuated[i]) {
      const Point now{state.q[i], state.v[i], 0.0};
      const Point ahead = control::predict(now, commands[i], a_command[i], parameters->prediction, period_s);
      q_hat[i] = ahead.q;
      v_hat[i] = v_seen[i] = ahead.v;
      terms.position_error[i] = terms.velocity_error[i] = ref_v[i] = ref_a[i] = 0.0;
      continue;
    }
    const Point sway{sway_q[i], sway_v[i], sway_a[i]};
    const Point sway_ahead = sway.after(parameters->prediction * period_s);
    ref_now_q[i] += sway.q;
    ref_now_v[i] += sway.v;
    ref_q[i] += sway_ahead.q;
    ref_v[i] += sway_ahead.v;
    const bool wraps = actuation.continuous[i];
    const double error = ref_now_q[i] - state.q[i];
    const double way = ref_q[i] - ref_now_q[i];
    const Point now{wraps ? wrapped(error) : error, ref_now_v[i] - state.v[i], 0.0};
    const JointGains& gain = parameters->gains[i];
    const double next_a = feeds_back ? -scale * (gain.p * now.q + gain.d * now.v) : 0.0;
    const Point ahead = control::predict(now, commands[i], next_a, parameters->prediction, period_s);
    q_hat[i] = state.q[i] + (wraps ? wrapped(way) : way) - (ahead.q - now.q);
    v_hat[i] = v_seen[i] = ref_v[i] - ahead.v;
    terms.position_error[i] = ahead.q;
    terms.velocity_error[i] = ahead.v;
  }
}

// Anti-swing: the reference itself gives way by `sway` and comes back slowly, so that the feedback follows it instead
// of working against it (a stiff arm turns a push of the right phase into one of the wrong):
//   sway'' = da - 2 r sway' - r^2 sway,  da the accelerations that damp the swing, r slower than any load swings.
void Controller::Impl::give_way(const Dynamics& dynamics) noexcept {
  constexpr double return_per_s = 1.0;
  std::fill_n(sway_a.data(), n, 0.0);
  if (parameters->law == Law::computed_torque && parameters->passive_damping > 0.0 && passive.count() > 0) {
    anti_swing.damp(dynamics.tree(), read(q_hat, n), read(v_hat, n), dynamics.M(), parameters->passive_damping, passive,
                    write(sway_a, n));
  }
  for (size_t i = 0; i < at(robot_n); ++i) {
    if (!actuation.actuated[i]) continue;
    sway_a[i] -= return_per_s * (2.0 * sway_v[i] + return_per_s * sway_q[i]);
  }
  for (size_t i = 0; i < at(n); ++i) wanted_a[i] = ref_a[i] + sway_a[i];
}

}  // namespace dyn::control
