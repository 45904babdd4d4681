// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Hand guiding: gravity is compensated and the motion damped (gains.JOINT.d). There is no reference, so no controller
// can be chained to it.
#pragma once

#include "dyn_controllers/arm_controller.hpp"

namespace dyn_controllers {

class GravityCompensationController : public ArmController<controller_interface::ControllerInterface> {
 public:
  GravityCompensationController() : ArmController(dyn::control::Law::gravity_compensation) {}

  controller_interface::return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) override;
};

}  // namespace dyn_controllers
