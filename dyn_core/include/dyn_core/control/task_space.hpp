// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Control of one frame's pose in its own space (Khatib 1987): with J, Lambda and Jbar of operational_space.hpp, e the
// pose error (m; rotation vector in rad) and e' the twist error, all in base axes at the frame's origin,
//   tau = J^T F + N^T tau_0 + C v + g
//   computed torque   F = Lambda (a_ref + P e + D e' - Jdot v)
//   impedance         F = Lambda (a_ref - Jdot v) + K e + D e' + W         W: reference wrench on the environment
//   with inertia Md   F = Lambda (a_ref - Jdot v + Md^-1 (K e + D e' + W + F_ext)) - F_ext
// F_ext = Jbar^T tau_ext is the external wrench at the frame from the momentum observer. tau_0 = M (p (posture - q) - d
// v) acts in the null space only. Passive joints: F compensates the acceleration of the frame due to their bias.
//
// A target that is far away is approached within limits: the velocity demanded by the feedback, D^-1 K e, is at most
// the velocity limit and one from which the frame can still stop with half of the acceleration limit; the acceleration
// of the feedback is at most its limit. Nearer than that the feedback is linear, to the bit. A rotation error is taken
// the short way round; near half a turn, the same way as in the cycle before.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/control/passive_joints.hpp"
#include "dyn_core/control/prediction.hpp"
#include "dyn_core/operational_space.hpp"

namespace dyn::control {

using Vec6d = Eigen::Matrix<double, 6, 1, Eigen::DontAlign>;  // linear, angular

enum class TaskMode : std::uint8_t { computed_torque, impedance };
enum class TaskAxes : std::uint8_t { base, frame };  // of stiffness, damping and inertia

struct TaskParameters {
  TaskMode mode = TaskMode::computed_torque;
  TaskAxes axes = TaskAxes::base;
  // Computed torque, linear and angular: 1/s^2 and 1/s.
  double p_linear = 400.0, p_angular = 400.0, d_linear = 40.0, d_angular = 40.0;
  bool reject_external = false;  // computed torque: compensates F_ext
  // Impedance: N/m, N m/rad; N s/m, N m s/rad, where 0 is 2 ratio sqrt(K m); kg, kg m^2, where 0 is the arm's own.
  std::array<double, 6> stiffness{500.0, 500.0, 500.0, 30.0, 30.0, 30.0};
  std::array<double, 6> damping{};
  std::array<double, 6> inertia{};
  double damping_ratio = 1.0;
  // Of the frame: m/s, rad/s; m/s^2, rad/s^2.
  double velocity_limit = 0.5, angular_velocity_limit = 1.5;
  double acceleration_limit = 10.0, angular_acceleration_limit = 30.0;
  // Null space: 1/s^2, 1/s. An empty posture is the one at activation.
  double posture_p = 0.0, posture_d = 10.0;
  std::vector<double> posture;
  // Lambda is damped where the smallest singular value of J (m and rad) is below damp_below.
  double damp_below = 0.05, singular_damping = 0.1;
};
// Every number of TaskParameters, at most ranges::gain, by its name in ROS (task.NAME) and in the YAML of `dyn run`.
struct TaskNumber {
  std::string_view name;
  double TaskParameters::*member;
  bool above;  // 0, or at least 0
};
inline constexpr std::array<TaskNumber, 13> task_numbers{
    {{"p_linear", &TaskParameters::p_linear, true},
     {"p_angular", &TaskParameters::p_angular, true},
     {"d_linear", &TaskParameters::d_linear, true},
     {"d_angular", &TaskParameters::d_angular, true},
     {"velocity_limit", &TaskParameters::velocity_limit, true},
     {"angular_velocity_limit", &TaskParameters::angular_velocity_limit, true},
     {"acceleration_limit", &TaskParameters::acceleration_limit, true},
     {"angular_acceleration_limit", &TaskParameters::angular_acceleration_limit, true},
     {"damping_ratio", &TaskParameters::damping_ratio, false},
     {"posture_p", &TaskParameters::posture_p, false},
     {"posture_d", &TaskParameters::posture_d, false},
     {"damp_below", &TaskParameters::damp_below, false},
     {"singular_damping", &TaskParameters::singular_damping, false}}};
struct TaskAxisNumbers {  // one for each axis, from 0 to ranges::gain
  std::string_view name;
  std::array<double, 6> TaskParameters::*member;
};
inline constexpr std::array<TaskAxisNumbers, 3> task_axis_numbers{{{"stiffness", &TaskParameters::stiffness},
                                                                   {"damping", &TaskParameters::damping},
                                                                   {"inertia", &TaskParameters::inertia}}};
// One sentence about the first thing wrong with it; empty if all is well.
std::string find_fault(const TaskParameters& parameters, int coordinates);

// The frame's pose in the base frame, twist and its rate in base axes.
struct TaskPoint {
  Vec3d p_m = Vec3d::Zero();
  Mat3d R = Mat3d::Identity();
  Vec6d twist = Vec6d::Zero(), acceleration = Vec6d::Zero();

  [[nodiscard]] DYN_REALTIME TaskPoint after(double time_s) const noexcept;
  [[nodiscard]] DYN_REALTIME bool is_finite() const noexcept;
};

struct TaskReference {
  TaskPoint point;               // at the time of ReferenceInput's q, v, a
  Vec6d wrench = Vec6d::Zero();  // that the frame is to exert on the environment, N and N m, base axes
  bool given = false;            // false: the frame stays at the last target, before the first one where it is
};

// Results of the last cycle, for reports.
struct TaskCycle {
  bool known = false;  // there has been one since activation; before it, nothing here says where the frame is
  TaskPoint measured, target;
  Vec6d error = Vec6d::Zero();     // target less measured
  Vec6d force = Vec6d::Zero();     // F, on the frame
  Vec6d external = Vec6d::Zero();  // F_ext, on the frame
  double smallest_singular_value = 0.0;
  double effort_share = 1.0;  // of F and tau_0 that the effort limits left
  bool damped = false;        // near a singular posture
  bool limited = false;       // the target is approached within the limits of the frame
};

// Everything that one cycle passes to the next: a copy of it undoes a cycle.
struct TaskMemory {
  explicit TaskMemory(int max_coordinates) : posture(max_coordinates) {}
  TaskCycle cycle;
  TaskPoint target;
  Vec6d last_acceleration = Vec6d::Zero();  // of the target
  Vec3d last_rotation = Vec3d::Zero();      // error
  std::array<Commands, 6> commands;         // accelerations of the error
  std::vector<double> posture;              // at activation
  bool begins = true;                       // the target starts at the measured pose
};

struct TaskInput {
  std::span<const double> q, v;          // measured, model's coordinates
  std::span<const double> q_hat, v_hat;  // where the dynamics were updated
  const std::vector<double>& external;   // N m or N, by coordinate
  const PassiveJoints& passive;
  const std::vector<bool>& followed;  // another controller moves it
  const std::vector<double>& lower;   // position limits, robot's coordinates
  const std::vector<double>& upper;
  double feedback_scale;  // 0 to 1
  double hold_s;  // for which a torque is expected to act: what is fed back is scaled by that too, a wrench is not
  double prediction, period_s, lead_s;
  bool holds;  // the reference is lost: stay where the frame was then
};
struct TaskOutput {            // N m or N, by coordinate
  VectorRef<double> inertia;   // J^T Lambda (a_ref - Jdot v), and W
  VectorRef<double> feedback;  // the rest of J^T F, and the null space
};

class TaskSpaceLaw {
 public:
  explicit TaskSpaceLaw(int max_coordinates);

  // The loop. `dynamics` are at q_hat and v_hat; `frame` is an index of `frames`.
  DYN_REALTIME Status evaluate(const TaskParameters& parameters, const TaskReference& reference, const TaskInput& in,
                               Dynamics& dynamics, Frames& frames, int frame, TaskMemory& memory,
                               TaskOutput out) noexcept;

 private:
  struct Gains {
    Vec6d K, D, m;
    std::array<bool, 6> shaped{};  // on accelerations, else on forces
  };
  struct Feedback {
    Vec6d acceleration, force;
  };
  struct Forces {
    Vec6d reference, feedback;
  };
  void choose_target(const TaskParameters& parameters, const TaskReference& reference, const TaskInput& in,
                     TaskMemory& memory) noexcept;
  void find_errors(const TaskParameters& parameters, const TaskInput& in, TaskMemory& memory, Vec6d& error,
                   Vec6d& rate) const noexcept;
  [[nodiscard]] Forces find_forces(const TaskParameters& parameters, const TaskReference& reference,
                                   const TaskInput& in, const Dynamics& dynamics, const Vec6d& Jdot_v,
                                   TaskMemory& memory) noexcept;
  [[nodiscard]] Gains gains_in(const Mat3d& axes, const TaskParameters& parameters) const noexcept;
  [[nodiscard]] double rate_of_damping(const Mat3d& axes, const TaskParameters& parameters) const noexcept;
  [[nodiscard]] Feedback feed_back(const TaskParameters& parameters, const Vec6d& error, const Vec6d& rate,
                                   const Vec6d& wrench, const Mat3d& axes, TaskMemory& memory) const noexcept;
  [[nodiscard]] static Vec6d at_frame(const std::vector<double>& tau, const ConstMatrixRef<double>& Jbar) noexcept;
  void add_null_space(const TaskParameters& parameters, const TaskInput& in, const Dynamics& dynamics,
                      const ConstMatrixRef<double>& J, const TaskMemory& memory, VectorRef<double>& tau) noexcept;

  OperationalSpace space_;
  double hold_s_ = 0.0, period_s_ = 0.0;
  double hold_scale_ = 1.0;  // of all that is fed back, and not of the wrench that is told
  std::vector<double> wanted_, tau_0_;
};

}  // namespace dyn::control
