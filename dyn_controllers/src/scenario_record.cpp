// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/scenario_record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/numeric/residual.hpp"

namespace dyn_controllers {

using dyn::sim::ArmRecord, dyn::sim::FrameSignal, dyn::sim::Signal;
using dyn_msgs::msg::ControllerState, dyn_msgs::msg::TaskState;

namespace {

ArmRecord empty_record(const dyn::sim::ArmConfig& arm) {
  ArmRecord record;
  record.config = &arm;
  record.model = std::make_shared<const dyn::Model>(dyn::Model::build(arm.description, arm.live.model));
  record.coordinates = record.model->coordinate_names();
  record.sensed_known = false;
  return record;
}

}  // namespace

ScenarioRecord::ScenarioRecord(const dyn::sim::ArmConfig& arm, const std::vector<std::string>& joints)
    : record_(empty_record(arm)), judge_(*record_.model, arm) {
  record_.validation.unavailable_reason =
      "no residual came: validation.mode is off, or the controller was built without Pinocchio";
  for (const std::string& name : record_.coordinates) {
    tracked_.push_back(std::find(joints.begin(), joints.end(), name) != joints.end());
  }
}

void ScenarioRecord::begin_at(const rclcpp::Time& begin) {
  const std::scoped_lock lock(mutex_);
  begin_ = begin;
  begun_ = true;
}

bool ScenarioRecord::counts(const rclcpp::Time& stamp) const { return begun_ && stamp >= begin_; }

bool ScenarioRecord::has_seen_a_state() const {
  const std::scoped_lock lock(mutex_);
  return seen_ && (frame_seen_ || record_.config->poses == nullptr);
}

void ScenarioRecord::add(const ControllerState& state) {
  const std::scoped_lock lock(mutex_);
  seen_ = true;
  const rclcpp::Time stamp(state.header.stamp, begin_.get_clock_type());
  if (!counts(stamp) || state.joint_names.size() < record_.coordinates.size()) return;
  const double time_s = (stamp - begin_).seconds();
  record_.time_s.push_back(time_s);
  record_.jsim.push_back(static_cast<std::int16_t>(dyn::AlgorithmIndex::find_jsim(state.jsim_algorithm)));
  record_.flags.push_back(static_cast<std::uint8_t>(
      (state.saturated ? ArmRecord::flag_saturated : 0) | (state.collision ? ArmRecord::flag_collision : 0) |
      (state.ramping ? ArmRecord::flag_ramping : 0) | (state.fallback ? ArmRecord::flag_fallback : 0) |
      (state.mode != ControllerState::TRACKING ? ArmRecord::flag_holding : 0)));
  if (state.collision) {
    if (!collision_ && record_.collision_begins_s.size() < ArmRecord::most_collisions) {
      record_.collision_begins_s.push_back(time_s);
    }
    ++record_.collision_cycles;
  }
  collision_ = state.collision;
  put_signals(state);
  if (record_.config->poses) {
    record_.frame_signals.insert(record_.frame_signals.end(), frame_signals_.begin(), frame_signals_.end());
  }
  put_errors(state);
  judge(time_s, state);
  ++record_.rows;
}

void ScenarioRecord::judge(double time_s, const ControllerState& state) {
  dyn::control::CycleReport report;
  report.mode = static_cast<dyn::control::CycleReport::Mode>(state.mode);
  report.saturated = state.saturated;
  judge_.note(time_s, report, true);
  for (size_t i = 0; i < record_.coordinates.size(); ++i) {
    judge_.note_joint(time_s, i, state.position[i], state.position[i] + state.position_error[i], true);
  }
}

// The robot's coordinates come first in every message, those of payloads after them.
void ScenarioRecord::put_signals(const ControllerState& state) {
  const size_t n = record_.coordinates.size();
  const std::vector<double> unknown(n, std::numeric_limits<double>::quiet_NaN());
  const std::vector<std::pair<Signal, const std::vector<double>*>> all{
      {Signal::q, &state.position},
      {Signal::v, &state.velocity},
      {Signal::a, &unknown},
      {Signal::q_reference, &state.reference_position},
      {Signal::v_reference, &state.reference_velocity},
      {Signal::a_reference, &state.reference_acceleration},
      {Signal::position_error, &state.position_error},
      {Signal::velocity_error, &state.velocity_error},
      {Signal::inertia, &state.effort_inertia},
      {Signal::coriolis, &state.effort_coriolis},
      {Signal::gravity, &state.effort_gravity},
      {Signal::friction, &state.effort_friction},
      {Signal::feedback, &state.effort_feedback},
      {Signal::applied, &state.effort_applied},
      {Signal::external, &state.effort_external},
      {Signal::sensed, &unknown}};
  const size_t first = record_.signals.size();
  record_.signals.resize(first + static_cast<size_t>(Signal::count) * n);
  for (const auto& [signal, values] : all) {
    std::copy_n(values->begin(), n,
                record_.signals.begin() + static_cast<std::ptrdiff_t>(first + static_cast<size_t>(signal) * n));
  }
}

void ScenarioRecord::put_errors(const ControllerState& state) {
  for (size_t i = 0; i < tracked_.size(); ++i) {
    record_.torque_max = dyn::larger_error(record_.torque_max, std::abs(state.effort_applied[i]));
  }
  if (record_.config->poses) return;  // the frame is followed, not the joints
  last_error_ = 0.0;
  for (size_t i = 0; i < tracked_.size(); ++i) {
    if (!tracked_[i]) continue;
    const double error = state.position_error[i];
    squares_ += error * error;
    errors_ += 1.0;
    last_error_ = dyn::larger_error(last_error_, std::abs(error));
  }
  record_.tracking_max = dyn::larger_error(record_.tracking_max, last_error_);
  record_.tracking_rms = std::sqrt(squares_ / errors_);
}

void ScenarioRecord::add(const TaskState& state) {
  const std::scoped_lock lock(mutex_);
  frame_seen_ = true;
  const auto three = [](const auto& from) { return dyn::Vec3d(from.x, from.y, from.z); };
  const double distance = three(state.error.linear).norm(), angle = three(state.error.angular).norm();
  Eigen::Map<dyn::Vec3d>(at(FrameSignal::x)) = three(state.pose.position);
  Eigen::Map<dyn::Vec3d>(at(FrameSignal::target_x)) = three(state.target.position);
  Eigen::Map<dyn::Vec3d>(at(FrameSignal::force_x)) = three(state.force.force);
  *at(FrameSignal::distance) = distance;
  *at(FrameSignal::angle) = angle;
  const rclcpp::Time stamp(state.header.stamp, begin_.get_clock_type());
  if (!counts(stamp)) return;
  const bool touched = !Eigen::Map<const dyn::Vec3d>(at(FrameSignal::wall_x)).isZero();
  judge_.note_frame((stamp - begin_).seconds(), {distance, angle, three(state.target.position), touched});
  last_error_ = distance;
  squares_ += distance * distance;
  angle_squares_ += angle * angle;
  errors_ += 1.0;
  record_.tracking_max = dyn::larger_error(record_.tracking_max, distance);
  record_.tracking_rms = std::sqrt(squares_ / errors_);
  record_.angle_max = dyn::larger_error(record_.angle_max, angle);
  record_.angle_rms = std::sqrt(angle_squares_ / errors_);
}

void ScenarioRecord::add(const geometry_msgs::msg::WrenchStamped& wall_force) {
  const std::scoped_lock lock(mutex_);
  const auto& force = wall_force.wrench.force;
  Eigen::Map<dyn::Vec3d> newest(at(FrameSignal::wall_x));
  newest = dyn::Vec3d(force.x, force.y, force.z);
  if (begun_) record_.wall_force_max = dyn::larger_error(record_.wall_force_max, newest.norm());
}

double* ScenarioRecord::at(FrameSignal first) noexcept { return &frame_signals_[static_cast<size_t>(first)]; }

void ScenarioRecord::add(const dyn_msgs::msg::Validation& residual) {
  const std::scoped_lock lock(mutex_);
  const rclcpp::Time stamp(residual.header.stamp, begin_.get_clock_type());
  if (!counts(stamp)) return;
  auto& validation = record_.validation;
  validation.available = true;
  validation.unavailable_reason.clear();
  validation.samples = residual.samples;
  validation.breaches = residual.breaches;
  validation.dropped = residual.lost;
  validation.max_M = dyn::larger_error(validation.max_M, residual.mass_matrix);
  validation.max_Cv = dyn::larger_error(validation.max_Cv, residual.coriolis);
  validation.max_g = dyn::larger_error(validation.max_g, residual.gravity);
  record_.residuals.push_back({(stamp - begin_).seconds(), residual.mass_matrix, residual.coriolis, residual.gravity});
}

void ScenarioRecord::add(const dyn::sim::Event& event, double applied_s, const std::string& error) {
  const std::scoped_lock lock(mutex_);
  record_.events.push_back({event.time_s, applied_s, event.label, error});
}

ArmRecord ScenarioRecord::result(const dyn::sim::Ending& ending) const {
  const std::scoped_lock lock(mutex_);
  ArmRecord record = record_;
  judge_.write_failures(ending, record);
  return record;
}

std::string ScenarioRecord::summary() const {
  const std::scoped_lock lock(mutex_);
  std::ostringstream text;
  text.precision(3);
  text << record_.config->name << ": " << record_.rows << " samples, tracking error rms " << record_.tracking_rms
       << ", largest " << record_.tracking_max << ", at the end " << last_error_ << ", largest effort "
       << record_.torque_max;
  if (record_.config->poses) text << ", largest force of the walls " << record_.wall_force_max;
  if (record_.validation.available) {
    text << ", " << record_.validation.samples << " samples against Pinocchio with " << record_.validation.breaches
         << " breaches";
  }
  for (const double at_s : record_.collision_begins_s) text << ", collision at " << at_s << " s";
  return text.str();
}

}  // namespace dyn_controllers
