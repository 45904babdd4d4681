// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/task_space_controller.hpp"

#include <cmath>
#include <limits>

#include "dyn_controllers/handles.hpp"
#include "dyn_controllers/reported.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers {

using controller_interface::return_type;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr size_t pose_size = 7;  // position, quaternion x, y, z, w; then what may be left out
constexpr const char* names[] = {"position.x",
                                 "position.y",
                                 "position.z",
                                 "orientation.x",
                                 "orientation.y",
                                 "orientation.z",
                                 "orientation.w",
                                 "linear_velocity.x",
                                 "linear_velocity.y",
                                 "linear_velocity.z",
                                 "angular_velocity.x",
                                 "angular_velocity.y",
                                 "angular_velocity.z",
                                 "linear_acceleration.x",
                                 "linear_acceleration.y",
                                 "linear_acceleration.z",
                                 "angular_acceleration.x",
                                 "angular_acceleration.y",
                                 "angular_acceleration.z",
                                 "force.x",
                                 "force.y",
                                 "force.z",
                                 "torque.x",
                                 "torque.y",
                                 "torque.z"};

}  // namespace

controller_interface::CallbackReturn TaskSpaceController::on_configure(const State& previous) {
  const CallbackReturn configured = ArmController::on_configure(previous);
  if (configured != CallbackReturn::SUCCESS) return configured;
  return reported(get_node()->get_logger(), CallbackReturn::FAILURE, [this] {
    frame_ = arm().frame();
    const std::string root = arm().live().newest_model()->links().front().name;
    topics_ = std::make_unique<TaskTopics>(*get_node(), root, frame_);
    publisher_ =
        std::make_unique<TaskPublisher>(*get_node(), root, frame_, arm().state_publish_rate(), 1.0 / get_update_rate());
    arm().set_task(&reference_);
  });
}

controller_interface::CallbackReturn TaskSpaceController::on_cleanup(const State& previous) {
  forget_references(none);
  topics_.reset();
  publisher_.reset();
  return ArmController::on_cleanup(previous);
}

controller_interface::CallbackReturn TaskSpaceController::on_error(const State& previous) {
  forget_references(none);
  topics_.reset();
  publisher_.reset();
  return ArmController::on_error(previous);
}

std::vector<hardware_interface::CommandInterface::SharedPtr>
TaskSpaceController::on_export_reference_interfaces_list() {
  std::vector<hardware_interface::CommandInterface::SharedPtr> all;
  for (const char* name : names) {
    hardware_interface::InterfaceInfo info;
    info.name = name;
    info.data_type = "double";  // and without an initial value: NaN
    const hardware_interface::InterfaceDescription description(std::string(get_node()->get_name()) + '/' + frame_,
                                                               info);
    all.push_back(std::make_shared<hardware_interface::CommandInterface>(description));
  }
  taken_.assign(all.size(), none);
  return all;
}

bool TaskSpaceController::on_set_chained_mode(bool chained) {
  forget_references(none);
  if (is_set_up()) arm().set_chained(chained);
  return true;
}

// The target is where the frame is, until one comes.
controller_interface::CallbackReturn TaskSpaceController::on_activate(const State& previous) {
  const CallbackReturn activated = ArmController::on_activate(previous);
  if (activated != CallbackReturn::SUCCESS) return activated;
  topics_->begin();
  reference_ = {};
  fresh_reference_ = false;
  forget_references(0.0);
  return CallbackReturn::SUCCESS;
}

controller_interface::CallbackReturn TaskSpaceController::on_deactivate(const State& previous) {
  forget_references(none);
  return ArmController::on_deactivate(previous);
}

void TaskSpaceController::forget_references(double rest) noexcept {
  for (size_t i = 0; i < ordered_exported_reference_interfaces_.size(); ++i) {
    put(*ordered_exported_reference_interfaces_[i], i < pose_size ? none : rest);
  }
}

// A pose that was given once stays: nothing times out but a twist.
return_type TaskSpaceController::update_reference_from_subscribers(const rclcpp::Time&, const rclcpp::Duration&) {
  reference_ = topics_->next(arm().task(), arm().reference_timeout_s(), 1.0 / get_update_rate());
  fresh_reference_ = true;
  return return_type::OK;
}

// Every handle is read once: at a second look it may be locked.
void TaskSpaceController::take_chained_reference() noexcept {
  bool some = false, all = true;
  for (size_t i = 0; i < taken_.size(); ++i) {
    taken_[i] = value_of(*ordered_exported_reference_interfaces_[i]);
    all = all && std::isfinite(taken_[i]);
    some = some || (i < pose_size && !std::isnan(taken_[i]));
  }
  forget_references(0.0);
  const Eigen::Quaterniond turn(taken_[6], taken_[3], taken_[4], taken_[5]);
  const double length = turn.norm();
  fresh_reference_ = all && length > 0.9 && length < 1.1;
  if (some && !fresh_reference_) note_bad_reference();
  if (!fresh_reference_) return;
  reference_.point.p_m = {taken_[0], taken_[1], taken_[2]};
  reference_.point.R = turn.normalized().toRotationMatrix();
  for (size_t i = 0; i < 6; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    reference_.point.twist[row] = taken_[pose_size + i];
    reference_.point.acceleration[row] = taken_[pose_size + 6 + i];
    reference_.wrench[row] = taken_[pose_size + 12 + i];
  }
  reference_.given = true;
}

return_type TaskSpaceController::update_and_write_commands(const rclcpp::Time& time, const rclcpp::Duration& period) {
  const dyn::realtime::Scope scope("TaskSpaceController::update");
  arm().read(state_interfaces_);
  arm().follow_state();
  if (is_in_chained_mode()) take_chained_reference();
  const dyn::control::CycleReport report = arm().step(fresh_reference_, period.seconds());
  arm().write(command_interfaces_);
  publisher_->sample(time, arm().task());
  return report_cycle(time, report);
}

}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(dyn_controllers::TaskSpaceController, controller_interface::ChainableControllerInterface)
