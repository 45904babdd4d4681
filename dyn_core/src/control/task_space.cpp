// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/task_space.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dyn::control {
namespace {

const auto linear = Eigen::seqN(Eigen::fix<0>, Eigen::fix<3>);
const auto angular = Eigen::seqN(Eigen::fix<3>, Eigen::fix<3>);

Mat3d rotation_of(const Vec3d& turn) noexcept {
  const double angle = turn.norm();
  if (angle == 0.0) return Mat3d::Identity();
  return Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix();
}

// The rotation vector of R, at most half a turn long; within `both_ways` of half a turn that of the direction of
// `last`, which may be a little longer.
Vec3d rotation_vector(const Mat3d& R, const Vec3d& last) noexcept {
  constexpr double both_ways = 0.3;  // rad from half a turn
  Eigen::Quaterniond turn(R);
  if (turn.w() < 0.0) turn.coeffs() = -turn.coeffs();
  const double sine = turn.vec().norm();
  if (sine == 0.0) return Vec3d::Zero();
  const double angle = 2.0 * std::atan2(sine, turn.w());
  const Vec3d axis = turn.vec() / sine;
  const bool other_way = angle > std::numbers::pi - both_ways && axis.dot(last) < 0.0;
  return axis * (other_way ? angle - 2.0 * std::numbers::pi : angle);
}

// Shortens x to the length `most`. True where it was longer.
template <class X>
bool shorten(X&& x, double most) noexcept {
  const double length = x.norm();
  if (!(length > most)) return false;
  x *= most / length;
  return true;
}

Vec6d turned(const Mat3d& R, const Vec6d& x) noexcept {
  Vec6d y;
  y << R * x(linear), R * x(angular);
  return y;
}

Mat3d axes_of(const TaskParameters& parameters, const TaskMemory& memory) noexcept {
  return parameters.axes == TaskAxes::frame ? memory.cycle.measured.R : Mat3d::Identity();
}

}  // namespace

TaskPoint TaskPoint::after(double time_s) const noexcept {
  const Vec6d way = (twist + 0.5 * time_s * acceleration) * time_s;
  return {p_m + way(linear), rotation_of(way(angular)) * R, twist + time_s * acceleration, acceleration};
}

bool TaskPoint::is_finite() const noexcept {
  return p_m.allFinite() && R.allFinite() && twist.allFinite() && acceleration.allFinite();
}

TaskSpaceLaw::TaskSpaceLaw(int max_coordinates)
    : space_(max_coordinates), wanted_(max_coordinates), tau_0_(max_coordinates) {}

// The target at the time of the state.
void TaskSpaceLaw::choose_target(const TaskParameters& parameters, const TaskReference& reference, const TaskInput& in,
                                 TaskMemory& memory) noexcept {
  TaskPoint& target = memory.target;
  if (memory.begins) {
    target = memory.cycle.measured;
    target.twist.setZero();
    target.acceleration.setZero();
    memory.last_rotation.setZero();
    for (Commands& history : memory.commands) history.reset();
    std::copy(in.q.begin(), in.q.end(), memory.posture.begin());
  }
  const bool given = reference.given && !in.holds;
  if (given) target = reference.point.after(-in.lead_s);
  memory.cycle.limited = false;
  if (!given) return;
  const bool fast = shorten(target.twist(linear), parameters.velocity_limit);
  const bool turns_fast = shorten(target.twist(angular), parameters.angular_velocity_limit);
  const bool hard = shorten(target.acceleration(linear), parameters.acceleration_limit);
  const bool turns_hard = shorten(target.acceleration(angular), parameters.angular_acceleration_limit);
  memory.cycle.limited = fast || turns_fast || hard || turns_hard;
}

// K, D and the inertia that the feedback acts on, in `axes`; of computed torque, on accelerations.
TaskSpaceLaw::Gains TaskSpaceLaw::gains_in(const Mat3d& axes, const TaskParameters& parameters) const noexcept {
  const bool computed = parameters.mode == TaskMode::computed_torque;
  const auto Lambda = space_.Lambda();
  const Mat3d mass = axes.transpose() * Lambda.topLeftCorner<3, 3>() * axes;
  const Mat3d turning = axes.transpose() * Lambda.bottomRightCorner<3, 3>() * axes;
  Gains gains;
  for (int i = 0; i < 6; ++i) {
    const double own = i < 3 ? mass(i, i) : turning(i - 3, i - 3);
    gains.shaped[i] = computed || parameters.inertia[i] > 0.0;
    gains.m[i] = computed ? 1.0 : gains.shaped[i] ? parameters.inertia[i] : own;
    gains.K[i] = !computed ? parameters.stiffness[i] : i < 3 ? parameters.p_linear : parameters.p_angular;
    const double by_ratio = 2.0 * parameters.damping_ratio * std::sqrt(gains.K[i] * gains.m[i]);
    gains.D[i] = computed                      ? (i < 3 ? parameters.d_linear : parameters.d_angular)
                 : parameters.damping[i] > 0.0 ? parameters.damping[i]
                                               : by_ratio;
    gains.K[i] = stiffness_by_hold(gains.K[i], gains.D[i], hold_s_, period_s_);
  }
  return gains;
}

// The fastest rate, 1/s, at which the damping changes a velocity of the frame or of the null space. D of the impedance
// changes it by Lambda^-1 D: at most by the largest row sum of |D^1/2 Lambda^-1 D^1/2|, which has the same eigenvalues.
double TaskSpaceLaw::rate_of_damping(const Mat3d& axes, const TaskParameters& parameters) const noexcept {
  const Gains gains = gains_in(axes, parameters);
  Eigen::Matrix<double, 6, 6> mobility = Eigen::Matrix<double, 6, 6>(space_.Lambda()).inverse();
  for (int c = 0; c < 6; ++c) mobility.col(c) = turned(axes.transpose(), mobility.col(c));
  for (int r = 0; r < 6; ++r) mobility.row(r) = turned(axes.transpose(), mobility.row(r).transpose()).transpose();
  double fastest = parameters.posture_d;
  for (int i = 0; i < 6; ++i) {
    double rate = gains.shaped[i] ? gains.D[i] / gains.m[i] : 0.0;
    for (int j = 0; j < 6; ++j) {
      if (!gains.shaped[i] && !gains.shaped[j]) rate += std::sqrt(gains.D[i] * gains.D[j]) * std::abs(mobility(i, j));
    }
    fastest = std::max(fastest, rate);
  }
  return fastest;
}

// Error and rate in base axes. The velocity and acceleration that they demand are limited (task_space.hpp).
TaskSpaceLaw::Feedback TaskSpaceLaw::feed_back(const TaskParameters& parameters, const Vec6d& error, const Vec6d& rate,
                                               const Vec6d& wrench, const Mat3d& axes,
                                               TaskMemory& memory) const noexcept {
  const bool computed = parameters.mode == TaskMode::computed_torque;
  const Gains gains = gains_in(axes, parameters);
  Vec6d e = turned(axes.transpose(), error);
  const auto approach = [&](auto part, double fastest, double hardest) {
    Vec3d wanted = Vec3d::Zero();  // velocity
    for (int i = 0; i < 3; ++i) {
      if (gains.D(part)[i] > 0.0) wanted[i] = gains.K(part)[i] / gains.D(part)[i] * e(part)[i];
    }
    const double stopping = computed ? std::sqrt(hardest * e(part).norm()) : fastest;
    const double most = std::min(fastest, stopping), speed = wanted.norm();
    if (speed > most) e(part) *= most / speed;
    return speed > most;
  };
  const bool far = approach(linear, parameters.velocity_limit, parameters.acceleration_limit);
  const bool turned_away = approach(angular, parameters.angular_velocity_limit, parameters.angular_acceleration_limit);
  Vec6d force = hold_scale_ * (gains.K.cwiseProduct(e) + gains.D.cwiseProduct(turned(axes.transpose(), rate)));
  if (!computed) force += turned(axes.transpose(), wrench);
  const bool pushed = computed && shorten(force(linear), parameters.acceleration_limit);
  const bool spun = computed && shorten(force(angular), parameters.angular_acceleration_limit);
  memory.cycle.limited = memory.cycle.limited || far || turned_away || pushed || spun;
  const Vec6d external = hold_scale_ * turned(axes.transpose(), memory.cycle.external);
  Feedback out{Vec6d::Zero(), Vec6d::Zero()};
  for (int i = 0; i < 6; ++i) {
    if (!gains.shaped[i]) {
      out.force[i] = force[i];
    } else {
      out.acceleration[i] = computed ? force[i] : (force[i] + external[i]) / gains.m[i];
    }
  }
  return {turned(axes, out.acceleration), turned(axes, out.force)};
}

// tau_0 = M a_0, a_0 towards the posture and away from position limits;  N^T tau_0 = tau_0 - J^T Jbar^T tau_0.
void TaskSpaceLaw::add_null_space(const TaskParameters& parameters, const TaskInput& in, const Dynamics& dynamics,
                                  const ConstMatrixRef<double>& J, const TaskMemory& memory,
                                  VectorRef<double>& tau) noexcept {
  constexpr double margin = 0.15;      // rad or m from a position limit
  constexpr double push_back = 100.0;  // 1/s^2
  const double posture_p = stiffness_by_hold(parameters.posture_p, parameters.posture_d, in.hold_s, in.period_s);
  const size_t n = in.q_hat.size();
  const auto& posture = parameters.posture.empty() ? memory.posture : parameters.posture;
  for (size_t i = 0; i < n; ++i) {
    wanted_[i] = tau_0_[i] = 0.0;
    if (i >= in.lower.size() || in.followed[i]) continue;
    const double q = in.q_hat[i];
    wanted_[i] = posture_p * (posture[i] - q) - parameters.posture_d * in.v_hat[i];
    const double room = 0.5 * (in.upper[i] - in.lower[i]);
    const double near = std::min(margin, 0.5 * room);
    if (q > in.upper[i] - near) wanted_[i] -= push_back * (q - in.upper[i] + near);
    if (q < in.lower[i] + near) wanted_[i] += push_back * (in.lower[i] + near - q);
    wanted_[i] *= in.feedback_scale * hold_scale_;
  }
  const auto M = dynamics.M();
  const Eigen::Index size = n;
  for (Eigen::Index j = 0; j < size; ++j) {
    for (Eigen::Index i = 0; i < size; ++i) tau_0_[i] += M(i, j) * wanted_[j];
  }
  for (const int i : in.passive.coordinates()) tau_0_[i] = 0.0;
  const Vec6d taken_away = at_frame(tau_0_, space_.dynamically_consistent_inverse());
  for (Eigen::Index i = 0; i < size; ++i) tau[i] += tau_0_[i] - J.col(i).dot(taken_away);
}

// Jbar^T tau: the wrench on the frame due to joint torques, base axes.
Vec6d TaskSpaceLaw::at_frame(const std::vector<double>& tau, const ConstMatrixRef<double>& Jbar) noexcept {
  Vec6d sum = Vec6d::Zero();
  for (Eigen::Index i = 0; i < Jbar.rows(); ++i) sum += Jbar.row(i).transpose() * tau[i];
  return sum;
}

// Errors at the time of the state, and from them at the predicted time. Those of an impedance are not predicted, since
// they depend on external forces that are not known in advance.
void TaskSpaceLaw::find_errors(const TaskParameters& parameters, const TaskInput& in, TaskMemory& memory, Vec6d& error,
                               Vec6d& rate) const noexcept {
  TaskCycle& cycle = memory.cycle;
  const TaskPoint& target = cycle.target = memory.target;
  cycle.error(linear) = target.p_m - cycle.measured.p_m;
  memory.last_rotation = rotation_vector(target.R * cycle.measured.R.transpose(), memory.last_rotation);
  cycle.error(angular) = memory.last_rotation;
  error = cycle.error;
  rate = target.twist - cycle.measured.twist;
  if (parameters.mode == TaskMode::impedance) return;
  for (int i = 0; i < 6; ++i) {
    const Commands& history = memory.commands[i];
    const double d = i < 3 ? parameters.d_linear : parameters.d_angular;
    const double p = stiffness_by_hold(i < 3 ? parameters.p_linear : parameters.p_angular, d, in.hold_s, in.period_s);
    const double most = i < 3 ? parameters.acceleration_limit : parameters.angular_acceleration_limit;
    const double next = std::clamp(-in.feedback_scale * hold_scale_ * (p * error[i] + d * rate[i]), -most, most);
    const Point ahead = predict({error[i], rate[i], 0.0}, history, next, in.prediction, in.period_s);
    error[i] = ahead.q;
    rate[i] = ahead.v;
  }
}

// F of the reference, and of the feedback, whose gains are in `axes`.
TaskSpaceLaw::Forces TaskSpaceLaw::find_forces(const TaskParameters& parameters, const TaskReference& reference,
                                               const TaskInput& in, const Dynamics& dynamics, const Vec6d& Jdot_v,
                                               TaskMemory& memory) noexcept {
  const bool computed = parameters.mode == TaskMode::computed_torque;
  Vec6d error, rate;
  find_errors(parameters, in, memory, error, rate);
  const Mat3d axes = axes_of(parameters, memory);
  const Vec6d wrench = reference.given && !in.holds ? reference.wrench : Vec6d::Zero();
  Feedback feedback = feed_back(parameters, error, rate, wrench, axes, memory);
  feedback.acceleration *= in.feedback_scale;
  feedback.force *= in.feedback_scale;
  for (int i = 0; i < 6; ++i) memory.commands[i].push(-feedback.acceleration[i]);

  // The target's acceleration at the predicted time, by the jerk of the last two. It was given for the time of the
  // reference, which runs ahead by lead_s.
  const double shift = in.prediction - in.lead_s / in.period_s;
  const Vec6d& a = memory.target.acceleration;
  const Vec6d last = memory.begins ? a : memory.last_acceleration;
  const Vec6d wanted = a + (a - last) * shift;
  memory.last_acceleration = a;

  const auto Jbar = space_.dynamically_consistent_inverse();
  const Eigen::Matrix<double, 6, 6> Lambda = space_.Lambda();  // of fixed size: products are not allocated
  Forces forces{Lambda * (wanted - Jdot_v), Lambda * feedback.acceleration + feedback.force};
  for (const int i : in.passive.coordinates()) {
    forces.reference += Jbar.row(i).transpose() * dynamics.h()[i];
  }
  if (computed) forces.reference += wrench;
  Vec6d made_up = turned(axes.transpose(), memory.cycle.external);
  for (int i = 0; i < 6; ++i) {
    const bool shaped = parameters.inertia[i] > 0.0;
    if (!(computed ? parameters.reject_external : shaped)) made_up[i] = 0.0;
  }
  forces.feedback -= turned(axes, made_up);
  return forces;
}

Status TaskSpaceLaw::evaluate(const TaskParameters& parameters, const TaskReference& reference, const TaskInput& in,
                              Dynamics& dynamics, Frames& frames, int frame, TaskMemory& memory,
                              TaskOutput out) noexcept {
  TaskCycle& cycle = memory.cycle;
  if (const Status status = frames.update(in.q, in.v, frame, frame_pose | frame_twist); !status.ok()) return status;
  cycle.measured = {frames.position(frame), frames.rotation(frame), frames.twist_base_axes(frame), Vec6d::Zero()};
  choose_target(parameters, reference, in, memory);

  frames.update(dynamics, frame, frame_pose | frame_twist | frame_J | frame_Jdot_v);
  space_.set_damping(parameters.damp_below, parameters.singular_damping);
  const OperationalSpaceStatus status = space_.update(dynamics, frames, frame);
  if (!status.usable())
    return status.inertia.ok() ? Status::singular(-1, status.smallest_singular_value) : status.inertia;
  hold_s_ = in.hold_s;
  period_s_ = in.period_s;
  hold_scale_ = in.hold_s > in.period_s
                    ? scale_by_hold(rate_of_damping(axes_of(parameters, memory), parameters), in.hold_s, in.period_s)
                    : 1.0;
  cycle.damped = !status.ok();
  cycle.smallest_singular_value = status.smallest_singular_value;
  const auto J = frames.J_base_axes(frame);
  cycle.external = at_frame(in.external, space_.dynamically_consistent_inverse());
  const Forces forces = find_forces(parameters, reference, in, dynamics, frames.Jdot_v_base_axes(frame), memory);
  memory.begins = false;
  cycle.known = true;
  cycle.force = forces.reference + forces.feedback;
  for (Eigen::Index i = 0; i < J.cols(); ++i) {
    out.inertia[i] = J.col(i).dot(forces.reference);
    out.feedback[i] = J.col(i).dot(forces.feedback);
  }
  add_null_space(parameters, in, dynamics, J, memory, out.feedback);
  for (const int i : in.passive.coordinates()) {
    out.inertia[i] = out.feedback[i] = 0.0;
  }
  return {};
}

}  // namespace dyn::control
