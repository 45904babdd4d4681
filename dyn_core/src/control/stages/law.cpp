// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The stage law: runs the law that is set, with integrals and anti-swing; then the laws (dyn_core/control/laws.hpp).
#include <algorithm>
#include <cmath>

#include "control/cycle.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::control {
namespace {

double row_dot(const ConstMatrixRef<double>& A, Eigen::Index row, const VectorRef<double>& x) noexcept {
  double sum = 0.0;
  for (Eigen::Index j = 0; j < x.size(); ++j) sum += A(row, j) * x[j];
  return sum;
}

double scale_of(const LawInput& in, Eigen::Index i) noexcept {
  return in.feedback_scale.empty() ? 1.0 : in.feedback_scale[i];
}

double pid(const LawInput& in, Eigen::Index i) noexcept {
  if (i >= static_cast<Eigen::Index>(in.gains.size())) return 0.0;
  const JointGains& gain = in.gains[i];
  return scale_of(in, i) * (gain.p * in.error[i] + gain.d * in.error_rate[i] + in.integral[i]);
}

[[maybe_unused]] bool sizes_fit(const LawInput& in, const LawOutput& out) noexcept {
  const Eigen::Index n = in.v.size();
  bool fit = in.M.rows() == n && in.M.cols() == n && in.C.rows() == n && in.C.cols() == n;
  for (const auto* x : {&in.g, &in.h, &in.error, &in.error_rate, &in.reference_v, &in.reference_a, &in.integral}) {
    fit = fit && x->size() == n;
  }
  for (const auto* x : {&out.inertia, &out.coriolis, &out.gravity, &out.feedback, &out.a, &out.sliding_v, &out.pid}) {
    fit = fit && x->size() == n;
  }
  for (const double scale : in.feedback_scale) fit = fit && scale >= 0.0 && scale <= 1.0;
  return fit && (in.feedback_scale.empty() || in.feedback_scale.size() >= in.gains.size());
}

}  // namespace

// Integrals, anti-swing, then the law that is set: the terms of the torque.
Status Controller::Impl::apply_law(Dynamics& dynamics) noexcept {
  task.begins = true;  // task_space after this law
  for (int i = 0; i < robot_n; ++i) {
    const double clamp = parameters->gains[i].i_clamp;
    integral_term[i] = std::clamp(parameters->gains[i].i * integral[i], -clamp, clamp);
  }
  std::copy_n(ref_a.data(), n, wanted_a.data());
  const bool damps_swing =
      parameters->law == Law::computed_torque && parameters->passive_damping > 0.0 && passive.count() > 0;
  if (damps_swing || offset_moves) update_anti_swing_offset(dynamics, damps_swing);
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
                    gains_in_force,
                    feedback_scale};
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
  if (status.code == Status::Code::singular_inertia) status.body = body_of(dynamics.tree(), status.body);
  return status;
}

// Anti-swing: an offset o, which returns to 0 slowly, is added to the reference, so that the feedback follows it
// instead of working against it (a stiff feedback would reverse the phase of an acceleration added to the torque):
//   o'' = da - 2 r o' - r^2 o,  da the accelerations that damp the swing, r slower than any load swings.
void Controller::Impl::update_anti_swing_offset(const Dynamics& dynamics, bool damps_swing) noexcept {
  constexpr double return_per_s = 1.0;
  offset_moves = true;
  std::fill_n(offset_a.data(), n, 0.0);
  if (damps_swing) {
    anti_swing.damp(dynamics.tree(), read_view(q_hat), read_view(v_hat), dynamics.M(), parameters->passive_damping,
                    passive, write_view(offset_a));
  }
  for (int i = 0; i < robot_n; ++i) {
    if (!actuation.actuated[i]) continue;
    offset_a[i] -= return_per_s * (2.0 * offset_v[i] + return_per_s * offset_q[i]);
    if (offset_a[i] != 0.0) offset_a[i] = offset_acceleration_within_limits(i);
  }
  for (int i = 0; i < n; ++i) wanted_a[i] += offset_a[i];
}

// Limited so that reference plus offset can still stop before the position limits, with the effort that is left.
double Controller::Impl::offset_acceleration_within_limits(int i) const noexcept {
  const MotionLimits limits = motion_limits[i];
  const double q = followed_q[i] + offset_q[i];
  const double v = followed_v[i] + offset_v[i];
  const auto last_step = [this](double a) { return 0.125 * a * period_s * period_s; };  // may be too long by this
  const double above = limits.upper - q - last_step(limits.stop_at_upper);
  const double below = q - limits.lower - last_step(limits.stop_at_lower);
  const double up = approach_velocity(above, v, limits.stop_at_upper, period_s);
  const double down = approach_velocity(below, -v, limits.stop_at_lower, period_s);
  return std::min(std::max(offset_a[i], (-down - v) / period_s), (up - v) / period_s);
}

// At the reference velocity, since the measured one would chatter.
double Controller::Impl::friction_at(int i) const noexcept {
  if (i >= robot_n || !actuation.actuated[i] || !parameters->friction_compensation) return 0.0;
  return friction_torque(friction_now(actuation.friction[i], i), ref_v[i], friction_compensation_rate);
}

// So that a new description changes the torque by and by.
void Controller::Impl::begin_friction_ramp(const Actuation& before) noexcept {
  const size_t joints_of_both = std::min(before.friction.size(), friction_before.size());
  for (size_t i = 0; i < joints_of_both; ++i) {
    friction_before[i] = friction_now(before.friction[i], static_cast<int>(i));
  }
  friction_ramp_s = friction_left_s = actuation.friction_transition_s;
}

JointFriction Controller::Impl::friction_now(const JointFriction& to, int i) const noexcept {
  if (friction_left_s <= 0.0) return to;
  return blended(friction_before[i], to, friction_left_s / friction_ramp_s);
}

// --- The laws
// ---------------------------------------------------------------------------------------------------------

Status computed_torque(const LawInput& in, PassiveJoints& passive, LawOutput out) noexcept {
  DYN_EXPECTS(sizes_fit(in, out));
  const Eigen::Index n = in.v.size();
  for (Eigen::Index i = 0; i < n; ++i) {
    out.pid[i] = pid(in, i);
    out.a[i] = in.reference_a[i] + out.pid[i];
    out.inertia[i] = out.feedback[i] = 0.0;
  }
  if (const Status status = passive.solve_accelerations(in.M, in.h, out.a); !status.ok()) return status;
  for (Eigen::Index j = 0; j < n; ++j) {  // by columns: M is column-major
    const double by_feedback = out.pid[j];
    const double otherwise = out.a[j] - by_feedback;
    for (Eigen::Index i = 0; i < n; ++i) {
      out.inertia[i] += in.M(i, j) * otherwise;
      out.feedback[i] += in.M(i, j) * by_feedback;
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    out.gravity[i] = in.g[i];
    out.coriolis[i] = in.h[i] - in.g[i];
  }
  return {};
}

void feedforward(const LawInput& in, LawOutput out) noexcept {
  DYN_EXPECTS(sizes_fit(in, out));
  for (Eigen::Index i = 0; i < in.v.size(); ++i) {
    out.a[i] = in.reference_a[i];
    out.feedback[i] = pid(in, i);
    out.gravity[i] = in.g[i];
    out.coriolis[i] = in.h[i] - in.g[i];
  }
  for (Eigen::Index i = 0; i < in.v.size(); ++i) out.inertia[i] = row_dot(in.M, i, out.a);
}

void gravity_compensation(const LawInput& in, LawOutput out) noexcept {
  DYN_EXPECTS(sizes_fit(in, out));
  for (Eigen::Index i = 0; i < in.v.size(); ++i) {
    const bool own = i < static_cast<Eigen::Index>(in.gains.size());
    out.a[i] = 0.0;
    out.inertia[i] = 0.0;
    out.coriolis[i] = 0.0;
    out.gravity[i] = in.g[i];
    out.feedback[i] = own ? -scale_of(in, i) * in.gains[i].d * in.v[i] : 0.0;
  }
}

Status passivity(const LawInput& in, PassiveJoints& passive, LawOutput out) noexcept {
  DYN_EXPECTS(sizes_fit(in, out));
  const Eigen::Index n = in.v.size();
  for (Eigen::Index i = 0; i < n; ++i) {
    const bool own = i < static_cast<Eigen::Index>(in.gains.size());
    const JointGains gain = own ? in.gains[i] : JointGains{};
    const double scale = own ? scale_of(in, i) : 0.0;
    const double lambda = gain.d > 0.0 ? scale * gain.p / gain.d : 0.0;
    out.sliding_v[i] = in.reference_v[i] + lambda * in.error[i];
    out.a[i] = in.reference_a[i] + lambda * in.error_rate[i];
    out.gravity[i] = in.g[i];
    out.feedback[i] = -scale * gain.d * in.M(i, i) * (in.v[i] - out.sliding_v[i]);
    out.inertia[i] = out.coriolis[i] = 0.0;
  }
  for (const int i : passive.coordinates()) {  // nothing drives these: s = 0
    out.sliding_v[i] = in.v[i];
    out.feedback[i] = 0.0;
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < n; ++i) out.coriolis[i] += in.C(i, j) * out.sliding_v[j];
  }
  VectorRef<double>& without_a = out.inertia;  // holds C v_s + g until M a_s is written below
  for (Eigen::Index i = 0; i < n; ++i) without_a[i] = out.coriolis[i] + in.g[i];
  const Status status = passive.solve_accelerations(in.M, {without_a.data(), n}, out.a);
  for (Eigen::Index i = 0; i < n; ++i) out.inertia[i] = row_dot(in.M, i, out.a);
  return status;
}

Status adaptive(const LawInput& in, PassiveJoints& passive, const Tree& tree, const ConstVectorRef<double>& q,
                PayloadEstimate& payload, LawOutput out) noexcept {
  const Status status = passivity(in, passive, out);
  payload.add_torque(tree, q, in.v, {out.sliding_v.data(), out.sliding_v.size()}, {out.a.data(), out.a.size()},
                     out.feedback);
  return status;
}

}  // namespace dyn::control
