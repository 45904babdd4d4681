// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Errors and state at the predicted time.
#include <cmath>
#include <numbers>

#include "control/cycle.hpp"

namespace dyn::control {
namespace {

// To (-pi, pi]: the short way round for a continuous joint.
double wrapped(double angle) noexcept { return std::remainder(angle, 2.0 * std::numbers::pi); }
}  // namespace

// Errors and state at the predicted time. Coordinates without a reference of their own move on as they do.
void Controller::Impl::predict() noexcept {
  const double scale = feedback_scale();
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
    const JointGains& gain = parameters->gains[i];
    const double next_a = feeds_back ? -scale * (gain.p * now.q + gain.d * now.v) : 0.0;
    const Point ahead = control::predict(now, commands[i], next_a, parameters->prediction, period_s);
    q_hat[i] = state.q[i] + (wraps ? wrapped(advance) : advance) - (ahead.q - now.q);
    v_hat[i] = v_seen[i] = ref_v[i] - ahead.v;
    terms.position_error[i] = ahead.q;
    terms.velocity_error[i] = ahead.v;
  }
}

}  // namespace dyn::control
