// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The control law, and what is added to it.
#include <algorithm>
#include <cmath>

#include "control/cycle.hpp"

namespace dyn::control {

// The terms of the torque, and their sum, which is finite where the status is ok.
Status Controller::Impl::apply_law(Dynamics& dynamics) noexcept {
  for (int i = 0; i < robot_n; ++i) {
    const double clamp = parameters->gains[i].i_clamp;
    integral_term[i] = std::clamp(parameters->gains[i].i * integral[i], -clamp, clamp);
  }
  update_anti_swing_offset(dynamics);
  const LawOutput out{write_view(terms.inertia),
                      write_view(terms.coriolis),
                      write_view(terms.gravity),
                      write_view(terms.feedback),
                      write_view(a_command),
                      write_view(sliding_v),
                      write_view(pid)};
  const LawInput in{dynamics.M(),
                    dynamics.C(),
                    dynamics.g(),
                    dynamics.h(),
                    read_view(v_hat),
                    read_view(terms.position_error),
                    read_view(terms.velocity_error),
                    read_view(ref_v),
                    read_view(wanted_a),
                    read_view(integral_term),
                    parameters->gains,
                    feedback_scale()};
  learning = parameters->law == Law::adaptive && !holding;
  Status status;
  switch (parameters->law) {
    case Law::computed_torque: status = computed_torque(in, passive, out); break;
    case Law::feedforward: feedforward(in, out); break;
    case Law::gravity_compensation: gravity_compensation(in, out); break;
    case Law::passivity: status = passivity(in, passive, out); break;
    case Law::adaptive: status = adaptive(in, passive, dynamics.tree(), read_view(q_hat), payload, out); break;
    case Law::task_space: break;  // stages/task.cpp
  }
  return status.ok() ? sum_terms() : status;
}

// Anti-swing: the reference itself is moved by an offset o, which returns to 0 slowly, so that the feedback follows it
// instead of working against it (a stiff arm turns a push of the right phase into one of the wrong):
//   o'' = da - 2 r o' - r^2 o,  da the accelerations that damp the swing, r slower than any load swings.
void Controller::Impl::update_anti_swing_offset(const Dynamics& dynamics) noexcept {
  constexpr double return_per_s = 1.0;
  std::fill_n(offset_a.data(), n, 0.0);
  if (parameters->law == Law::computed_torque && parameters->passive_damping > 0.0 && passive.count() > 0) {
    anti_swing.damp(dynamics.tree(), read_view(q_hat), read_view(v_hat), dynamics.M(), parameters->passive_damping,
                    passive, write_view(offset_a));
  }
  for (int i = 0; i < robot_n; ++i) {
    if (!actuation.actuated[i]) continue;
    offset_a[i] -= return_per_s * (2.0 * offset_v[i] + return_per_s * offset_q[i]);
    if (offset_a[i] != 0.0) offset_a[i] = offset_acceleration_within_limits(i);
  }
  for (int i = 0; i < n; ++i) wanted_a[i] = ref_a[i] + offset_a[i];
}

// Such that reference and offset together can still stop before the position limits, with what effort is left for that.
double Controller::Impl::offset_acceleration_within_limits(int i) const noexcept {
  const MotionLimits limits = motion_limits(i);
  const double q = followed_q[i] + offset_q[i];
  const double v = followed_v[i] + offset_v[i];
  const auto last_step = [this](double a) { return 0.125 * a * period_s * period_s; };  // may be too long by this
  const double above = limits.upper - q - last_step(limits.stop_at_upper);
  const double below = q - limits.lower - last_step(limits.stop_at_lower);
  const double up = approach_velocity(above, v, limits.stop_at_upper, period_s);
  const double down = approach_velocity(below, -v, limits.stop_at_lower, period_s);
  return std::min(std::max(offset_a[i], (-down - v) / period_s), (up - v) / period_s);
}

// At the reference velocity, where it does not chatter.
double Controller::Impl::friction_at(int i) const noexcept {
  if (i >= robot_n || !actuation.actuated[i] || !parameters->friction_compensation) return 0.0;
  return friction_torque(actuation.friction[i], ref_v[i], friction_compensation_rate);
}

Status Controller::Impl::sum_terms() noexcept {
  for (int i = 0; i < n; ++i) {
    const double gravity = parameters->gravity_compensation == GravityCompensation::full ? terms.gravity[i] : 0.0;
    const bool driven = i < robot_n && actuation.actuated[i];
    terms.friction[i] = friction_at(i);
    terms.demanded[i] =
        driven ? terms.inertia[i] + terms.coriolis[i] + gravity + terms.friction[i] + terms.feedback[i] : 0.0;
    if (!std::isfinite(terms.demanded[i])) return Status::not_finite(i, terms.demanded[i]);
  }
  return {};
}

double Controller::Impl::feedback_scale() const noexcept {
  if (parameters->ramp_in_s <= 0.0 || active_s >= parameters->ramp_in_s) return 1.0;
  const double x = active_s / parameters->ramp_in_s;
  return x * x * (3.0 - 2.0 * x);
}

}  // namespace dyn::control
