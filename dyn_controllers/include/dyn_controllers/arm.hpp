// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The common part of every torque controller of this package: the live model, the control law of dyn_core, and the
// mapping of ros2_control interfaces to coordinates. configure() and every method named a writer run outside the loop
// and throw dyn::ModelError; read(), step() and write() belong to the loop and are real-time safe.
//
// The model is the whole tree. Coordinates in `joints` get commands; passive ones have no motor; all others are moved
// by another controller: their reference is their own state, with gains of 0, so that the law takes their motion as
// given.
//
// Interfaces are claimed for the robot of configure(). After replace_joints() the model may have fewer of its joints,
// in another order: those it does not have get no effort, and their states are ignored. All vectors here keep the
// coordinates of the first robot; entries_ says which of them the model has.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dyn_controllers/arm_observation.hpp"
#include "dyn_controllers/dyn_controllers_parameters.hpp"
#include "dyn_controllers/joint_numbers.hpp"
#include "dyn_controllers/learner_slot.hpp"
#include "dyn_controllers/validation.hpp"
#include "dyn_core/control/controller.hpp"
#include "dyn_core/live/live_model.hpp"
#include "dyn_core/lockfree/latest.hpp"
#include "hardware_interface/loaned_command_interface.hpp"
#include "hardware_interface/loaned_state_interface.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"

namespace dyn_controllers {

class Arm {
 public:
  // `urdf`: the robot's description. `node`: for ~/validation and log messages. `numbers` must outlive this object.
  Arm(const rclcpp_lifecycle::LifecycleNode::SharedPtr& node, ControllerJointNumbers& numbers, const std::string& urdf,
      dyn::control::Law law, const parameters::Params& params, double period_s);

  // --- Names, fixed when made ----------------------------------------------------------------------------------------
  [[nodiscard]] const std::vector<std::string>& joints() const noexcept { return joints_; }
  [[nodiscard]] const std::vector<std::string>& coordinate_names() const noexcept { return coordinate_names_; }
  [[nodiscard]] const std::vector<std::string>& passive_payload_joints() const noexcept { return payload_joints_; }
  [[nodiscard]] const std::string& frame() const noexcept { return frame_; }
  [[nodiscard]] double state_publish_rate() const noexcept { return state_publish_rate_; }
  // coordinate_names(), then passive_payload_joints(): the order of every vector below.
  [[nodiscard]] std::vector<std::string> all_coordinate_names() const;
  // JOINT/position of every coordinate, then JOINT/velocity of every coordinate, then the orientation of a moving base:
  // the order in which read() takes them.
  [[nodiscard]] std::vector<std::string> state_interfaces() const;
  // JOINT/INTERFACE, joint after joint for each of `interfaces` in turn: the order in which write() takes them.
  [[nodiscard]] std::vector<std::string> command_interfaces() const;

  // Writers: any thread but the loop's. None of them calls into ROS while it holds the writers' mutex, since a
  // parameter callback is a writer too.
  // All parameters that may change while active. Nothing changes if one of them is invalid.
  void set_parameters(const parameters::Params& params);
  void check_parameters(const parameters::Params& params) const;  // throws what set_parameters would
  // A new description of the same joints: its inertias, limits and friction are used from the next cycle on. Returns a
  // sentence about what was applied; empty if the text is the same.
  std::string replace_description(const std::string& urdf);
  // A new description whose joints may be others, of those that the robot had when this object was made: `map` says
  // what becomes of the coordinates (dyn_core/model/joint_changes.hpp). Nothing changes where it is refused.
  dyn::live::Applied replace_joints(const std::string& urdf, const dyn::CoordinateMap& map, double transition_time_s);
  // For payloads: attach() also refuses what the arm cannot carry in its present posture, and warns of what it could
  // not carry in others.
  [[nodiscard]] dyn::live::LiveModel& live() noexcept { return *live_; }
  // For learner(): of what `link` carries, with this arm's model, payloads, friction and period.
  [[nodiscard]] LearnerSlot::Learner make_learner(const std::string& link, double duration_s, double cutoff_hz);
  // Fed by every step.
  [[nodiscard]] LearnerSlot& learner() noexcept { return learner_; }
  // Another number after each activation and deactivation, and of what a learner takes for given.
  [[nodiscard]] std::uint64_t activation() const noexcept { return activation_.load(std::memory_order_relaxed); }
  [[nodiscard]] static bool is_active(std::uint64_t activation) noexcept { return activation % 2 == 1; }
  [[nodiscard]] std::uint64_t conditions() const noexcept { return conditions_.load(std::memory_order_relaxed); }

  // --- The loop ------------------------------------------------------------------------------------------------------
  // A state that cannot be read becomes NaN, and step() holds the last good torque.
  DYN_REALTIME void read(const std::vector<hardware_interface::LoanedStateInterface>& interfaces) noexcept;
  // Integrals, observer and hold are reset; the reference is the state that was read last, at rest.
  DYN_REALTIME void activate() noexcept;
  DYN_REALTIME void deactivate() noexcept;
  // The reference of the k-th of joints().
  DYN_REALTIME void set_reference(size_t k, double q, double v, double a) noexcept;
  // For hand guiding: the reference of every coordinate is its state.
  DYN_REALTIME void follow_state() noexcept;
  // References come from another controller, one period ahead unless reference_lead says otherwise; or from topics.
  DYN_REALTIME void set_chained(bool chained) noexcept { chained_ = chained; }
  // For the law task_space: must outlive this object, and is read by every step.
  void set_task(const dyn::control::TaskReference* task) noexcept { task_ = task; }
  [[nodiscard]] DYN_REALTIME const dyn::control::TaskCycle& task() const noexcept { return controller_->task(); }
  [[nodiscard]] DYN_REALTIME double reference_timeout_s() const noexcept {
    return reference_timeout_s_.load(std::memory_order_relaxed);
  }
  // `elapsed_s`: since the update before, as the controller manager measured it.
  DYN_REALTIME dyn::control::CycleReport step(bool fresh_reference, double elapsed_s) noexcept;
  // After a step: what else the motion shows.
  DYN_REALTIME void observe(const rclcpp::Time& time, const dyn::control::CycleReport& report) noexcept {
    observation_->note(time, *controller_, report, controller_->state().v);
  }
  [[nodiscard]] DYN_REALTIME const ArmObservation& observation() const noexcept { return *observation_; }
  // The result of the last step.
  DYN_REALTIME void write(std::vector<hardware_interface::LoanedCommandInterface>& interfaces) noexcept;
  // The gravity torque of the arm at rest, and its present position: for hardware that keeps the last command.
  DYN_REALTIME void write_rest(std::vector<hardware_interface::LoanedCommandInterface>& interfaces) noexcept;

  [[nodiscard]] DYN_REALTIME size_t coordinate(size_t k) const noexcept { return controlled_[k]; }
  // A torque above this is sure to move the coordinate; infinity if none is commanded.
  [[nodiscard]] DYN_REALTIME double moving_torque(size_t i) const noexcept;
  // Whether the model has this coordinate, of the first robot or of a payload.
  [[nodiscard]] DYN_REALTIME bool has(size_t i) const noexcept {
    return i < states() ? present_->front()[i] != 0 : i < states() + payload_states_;
  }
  [[nodiscard]] DYN_REALTIME size_t states() const noexcept { return coordinate_names_.size(); }
  // With those of payloads that may be attached.
  [[nodiscard]] DYN_REALTIME size_t all_states() const noexcept { return states() + payload_joints_.size(); }
  [[nodiscard]] DYN_REALTIME bool has_stepped() const noexcept { return stepped_; }
  [[nodiscard]] DYN_REALTIME bool fallback_holds() const noexcept { return live_->fallback().hold; }
  [[nodiscard]] DYN_REALTIME bool state_is_finite() const noexcept;
  [[nodiscard]] const std::vector<double>& q() const noexcept { return q_; }
  [[nodiscard]] const std::vector<double>& v() const noexcept { return v_; }
  // As it was given; followed(): after the limits, for the robot's coordinates; braked to rest while the state is lost.
  [[nodiscard]] dyn::control::FollowedReference followed() const noexcept {
    return {{followed_q_.data(), states()}, {followed_v_.data(), states()}, {followed_a_.data(), states()}};
  }
  [[nodiscard]] const std::vector<double>& reference_q() const noexcept { return ref_q_; }
  [[nodiscard]] const std::vector<double>& reference_v() const noexcept { return ref_v_; }
  [[nodiscard]] const std::vector<double>& reference_a() const noexcept { return ref_a_; }
  [[nodiscard]] const std::vector<double>& effort() const noexcept { return effort_; }
  [[nodiscard]] const dyn::control::Terms& terms() const noexcept {
    return controller_->has_entries() ? terms_ : controller_->terms();
  }
  // Null where validation.mode is off.
  [[nodiscard]] const Validation::Residuals* residuals() const noexcept {
    return validation_ ? &validation_->newest() : nullptr;
  }

 private:
  enum class Command : std::uint8_t { position, velocity, effort };
  struct Posture {
    bool known = false;  // while the controller is active
    std::vector<double> q;
    dyn::Vec3d gravity_mps2 = dyn::Vec3d::Zero();  // in the root link, where the base moves
  };

  [[nodiscard]] dyn::control::Parameters converted(const parameters::Params& params,
                                                   const std::vector<int>& entries) const;
  void check(const parameters::Params& params) const;
  [[nodiscard]] dyn::control::Actuation actuation_of(const dyn::Model& model) const;
  [[nodiscard]] std::vector<int> entries_of(const dyn::Model& model) const;
  [[nodiscard]] std::vector<double> posture_of(const dyn::Model& model, const Posture& posture) const;
  void check_frame(const dyn::Model& model) const;
  [[nodiscard]] std::string obstacle_to_frame(const dyn::Model& model, const std::string& frame) const;
  [[nodiscard]] ArmObservation::Frame frame_to_observe(const dyn::Model& model, const std::vector<std::string>& frames,
                                                       const std::string& wanted) const;
  void read_limits();
  void show_numbers();
  void check_payloads_by(const dyn::control::Parameters& control, const parameters::Params& params);
  void refuse_payload_without_state(const dyn::Model& model) const;
  DYN_REALTIME double command(Command what, size_t coordinate) const noexcept;
  DYN_REALTIME void take_followed() noexcept;
  DYN_REALTIME void brake_reference() noexcept;
  DYN_REALTIME void read_base(const std::vector<hardware_interface::LoanedStateInterface>& interfaces,
                              size_t first) noexcept;
  void check_replacement(const dyn::Model& robot, const dyn::control::Actuation& actuation) const;
  [[nodiscard]] DYN_REALTIME int coordinate_of(size_t i) const noexcept {
    return controller_->has_entries() ? coordinate_of_[i] : static_cast<int>(i);
  }
  DYN_REALTIME void note_payloads(const dyn::live::Generation& generation) noexcept;
  DYN_REALTIME void show_posture() noexcept;
  DYN_REALTIME void reorder(dyn::control::CycleReport& report) noexcept;
  DYN_REALTIME void learn(const dyn::control::CycleReport& report) noexcept;
  [[nodiscard]] DYN_REALTIME bool base_moves() const noexcept { return !base_sensor_.empty(); }

  ControllerJointNumbers& numbers_;
  dyn::control::Law law_;
  std::string urdf_;
  const std::string frame_;
  const double state_publish_rate_, period_s_;
  const std::string payload_link_;
  const std::vector<std::string> passive_joints_;  // as the parameter names them
  const dyn::ModelOptions model_options_;
  std::vector<std::string> joints_, coordinate_names_, payload_joints_;
  std::vector<std::string> command_names_;
  std::vector<Command> commands_;
  std::vector<size_t> controlled_;                                     // coordinates of joints_
  std::vector<size_t> followed_;                                       // coordinates whose reference is their state
  std::vector<double> given_effort_limit_, given_acceleration_limit_;  // by the user; 0: none

  mutable std::mutex writers_;  // between writers; the loop never takes it
  parameters::Params params_;
  std::atomic<bool> lead_by_mode_;   // reference_lead is -1
  std::atomic<bool> holds_gravity_;  // gravity_compensation is full
  std::atomic<double> reference_timeout_s_;
  std::atomic<bool> drive_adds_gravity_;  // gravity_compensation is hardware
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  std::atomic<std::uint64_t> activation_{0}, conditions_{0};
  LearnerSlot learner_;

  std::vector<int> entries_;           // by coordinate of the newest model's robot: its place in coordinate_names_
  dyn::control::Actuation actuation_;  // of that robot
  // By coordinate: the newest model has it; from writers to the loop.
  std::unique_ptr<dyn::lockfree::Latest<std::vector<char>>> present_;
  std::unique_ptr<dyn::lockfree::Latest<Posture>> posture_;  // from the loop to the check of payloads
  std::unique_ptr<dyn::live::LiveModel> live_;
  std::unique_ptr<dyn::control::Controller> controller_;
  std::unique_ptr<Validation> validation_;
  std::unique_ptr<ArmObservation> observation_;

  std::string base_sensor_;  // empty: the base is fixed
  // If it moves: gravity in the sensor's world frame, from writers to the loop ...
  dyn::lockfree::Latest<dyn::Vec3d> world_gravity_;
  dyn::Vec3d gravity_ = dyn::Vec3d::Zero();  // ... and in the root link, in this cycle

  // By coordinate, those of payloads after the robot's.
  std::vector<double> q_, v_, ref_q_, ref_v_, ref_a_, followed_q_, followed_v_, followed_a_, effort_;
  dyn::control::Terms terms_;
  std::vector<double> acting_;      // by coordinate of the model: the efforts with what the drives add
  std::vector<int> coordinate_of_;  // the model's, in the last step; -1: it does not have it
  const dyn::control::TaskReference* task_ = nullptr;
  size_t payload_states_ = 0;  // coordinates of payloads in the model
  bool chained_ = false;
  bool stepped_ = false;         // since it was activated
  bool state_is_lost_ = false;   // in the last step: the state, or the result
  std::vector<double> braking_;  // meanwhile, by coordinate: deceleration of the followed reference
};

}  // namespace dyn_controllers
