// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/gravity_compensation_controller.hpp"

#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers {

controller_interface::return_type GravityCompensationController::update(const rclcpp::Time& time,
                                                                        const rclcpp::Duration& period) {
  const dyn::realtime::Scope scope("GravityCompensationController::update");
  arm().read(state_interfaces_);
  arm().follow_state();
  const dyn::control::CycleReport report = arm().step(true, period.seconds());
  arm().write(command_interfaces_);
  return report_cycle(time, report);
}

}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(dyn_controllers::GravityCompensationController, controller_interface::ControllerInterface)
