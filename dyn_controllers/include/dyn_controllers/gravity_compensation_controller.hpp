// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Hand guiding: the arm carries itself and is damped (gains.JOINT.d), nothing else. There is no reference, so nothing
// to chain above it.
#pragma once

#include <memory>

#include "controller_interface/controller_interface.hpp"
#include "dyn_controllers/arm_node.hpp"

namespace dyn_controllers {

class GravityCompensationController : public controller_interface::ControllerInterface {
 public:
  using CallbackReturn = controller_interface::CallbackReturn;
  using State = rclcpp_lifecycle::State;

  CallbackReturn on_init() override;
  [[nodiscard]] controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  [[nodiscard]] controller_interface::InterfaceConfiguration state_interface_configuration() const override;
  CallbackReturn on_configure(const State& previous) override;
  CallbackReturn on_activate(const State& previous) override;
  CallbackReturn on_deactivate(const State& previous) override;
  CallbackReturn on_cleanup(const State& previous) override;
  controller_interface::return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) override;

 private:
  std::shared_ptr<parameters::ParamListener> listener_;
  std::unique_ptr<ArmNode> node_room_;
};

}  // namespace dyn_controllers
