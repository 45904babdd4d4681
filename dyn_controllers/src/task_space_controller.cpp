// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/task_space_controller.hpp"

#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers {

using controller_interface::return_type;

namespace {

constexpr size_t pose_size = 7;  // position, quaternion x, y, z, w; then the optional ones
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

std::vector<ChainableArmController::ReferenceName> TaskSpaceController::reference_names() const {
  std::vector<ReferenceName> references;
  for (const char* name : names) references.push_back({frame_, name, references.size() < pose_size});
  return references;
}

void TaskSpaceController::open_topics() {
  frame_ = arm().frame();
  const std::string root = arm().live().newest_model()->links().front().name;
  topics_ = std::make_unique<TaskTopics>(*get_node(), root, frame_);
  publisher_ =
      std::make_unique<TaskPublisher>(*get_node(), root, frame_, arm().state_publish_rate(), 1.0 / get_update_rate());
  arm().set_task(&reference_);
}

void TaskSpaceController::close_topics() noexcept {
  topics_.reset();
  publisher_.reset();
}

// The target is the present pose of the frame until one comes.
void TaskSpaceController::begin_references() {
  topics_->begin();
  reference_ = {};
  forget_references(0.0);
}

// A pose stays valid: only a twist times out.
return_type TaskSpaceController::update_reference_from_subscribers(const rclcpp::Time&, const rclcpp::Duration&) {
  reference_ = topics_->next(arm().task(), arm().reference_timeout_s(), 1.0 / get_update_rate());
  fresh_reference_ = true;
  return return_type::OK;
}

void TaskSpaceController::take_chained_reference() noexcept {
  const bool all = take_references();
  const std::vector<double>& given = taken();
  const Eigen::Quaterniond turn(given[6], given[3], given[4], given[5]);
  const double length = turn.norm();
  fresh_reference_ = all && length > 0.9 && length < 1.1;
  if (all && !fresh_reference_) note_bad_reference();
  if (!fresh_reference_) return;
  reference_.point.p_m = {given[0], given[1], given[2]};
  reference_.point.R = turn.normalized().toRotationMatrix();
  for (size_t i = 0; i < 6; ++i) {
    reference_.point.twist[i] = given[pose_size + i];
    reference_.point.acceleration[i] = given[pose_size + 6 + i];
    reference_.wrench[i] = given[pose_size + 12 + i];
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
