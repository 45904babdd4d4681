// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/gravity_compensation_controller.hpp"

#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers {

using controller_interface::interface_configuration_type;
using controller_interface::InterfaceConfiguration;
using controller_interface::return_type;

controller_interface::CallbackReturn GravityCompensationController::on_init() {
  try {
    listener_ = std::make_shared<parameters::ParamListener>(get_node());
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

controller_interface::CallbackReturn GravityCompensationController::on_configure(const State&) {
  try {
    if (listener_->get_params().command_interfaces != std::vector<std::string>{"effort"}) {
      throw dyn::ModelError("command_interfaces: this controller commands effort and nothing else");
    }
    node_room_ = std::make_unique<ArmNode>(get_node(), get_robot_description(), dyn::control::Law::gravity_compensation,
                                           listener_, get_update_rate());
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::FAILURE;
  }
  return CallbackReturn::SUCCESS;
}

controller_interface::CallbackReturn GravityCompensationController::on_cleanup(const State&) {
  node_room_.reset();
  return CallbackReturn::SUCCESS;
}

InterfaceConfiguration GravityCompensationController::command_interface_configuration() const {
  return {interface_configuration_type::INDIVIDUAL,
          node_room_ ? node_room_->arm().command_interfaces() : std::vector<std::string>{}};
}

InterfaceConfiguration GravityCompensationController::state_interface_configuration() const {
  return {interface_configuration_type::INDIVIDUAL,
          node_room_ ? node_room_->arm().state_interfaces() : std::vector<std::string>{}};
}

controller_interface::CallbackReturn GravityCompensationController::on_activate(const State&) {
  Arm& arm = node_room_->arm();
  arm.read(state_interfaces_);
  if (!arm.state_is_finite()) return CallbackReturn::FAILURE;
  arm.activate();
  return CallbackReturn::SUCCESS;
}

// Only hardware can hold an arm: see docs/ros2.md. What is left in the commands is the torque of gravity.
controller_interface::CallbackReturn GravityCompensationController::on_deactivate(const State&) {
  node_room_->arm().write_rest(command_interfaces_);
  return CallbackReturn::SUCCESS;
}

return_type GravityCompensationController::update(const rclcpp::Time& time, const rclcpp::Duration&) {
  Arm& arm = node_room_->arm();
  arm.read(state_interfaces_);
  arm.follow_state();
  const dyn::control::CycleReport report = arm.step(true);
  arm.write(command_interfaces_);
  node_room_->state().sample(time, arm, report);
  const bool failed = report.mode == dyn::control::CycleReport::Mode::failed;
  return failed ? return_type::ERROR : return_type::OK;
}

}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(dyn_controllers::GravityCompensationController, controller_interface::ControllerInterface)
