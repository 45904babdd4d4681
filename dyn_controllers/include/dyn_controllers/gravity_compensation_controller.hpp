// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Hand guiding: the arm carries itself and is damped (gains.JOINT.d), nothing else. There is no reference, so nothing
// to chain above it.
#pragma once

#include "dyn_controllers/arm_controller.hpp"

namespace dyn_controllers {

class GravityCompensationController : public ArmController<controller_interface::ControllerInterface> {
 public:
  GravityCompensationController() : ArmController(dyn::control::Law::gravity_compensation) {}

  controller_interface::return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) override;
};

}  // namespace dyn_controllers
