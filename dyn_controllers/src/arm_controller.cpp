// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/arm_controller.hpp"

#include <string>
#include <utility>
#include <vector>

#include "dyn_controllers/reported.hpp"

namespace dyn_controllers {

using controller_interface::interface_configuration_type;
using controller_interface::InterfaceConfiguration;
using controller_interface::return_type;

template <class Base>
CallbackReturn ArmController<Base>::on_init() {
  return reported(this->get_node()->get_logger(), CallbackReturn::ERROR, [this] {
    listener_ = std::make_shared<parameters::ParamListener>(this->get_node());
    numbers_ = std::make_unique<ControllerJointNumbers>(this->get_node());
  });
}

template <class Base>
CallbackReturn ArmController<Base>::on_configure(const State&) {
  const CallbackReturn configured = reported(this->get_node()->get_logger(), CallbackReturn::FAILURE, [this] {
    const bool effort_only = listener_->get_params().command_interfaces == std::vector<std::string>{"effort"};
    if (law_ != dyn::control::Law::feedforward && !effort_only) {
      throw dyn::ModelError("command_interfaces: this controller commands effort only");
    }
    arm_node_ = std::make_unique<ArmNode>(this->get_node(), *numbers_, this->get_robot_description(), law_, listener_,
                                          this->get_update_rate());
  });
  if (configured != CallbackReturn::SUCCESS) numbers_->release();
  return configured;
}

template <class Base>
CallbackReturn ArmController<Base>::on_cleanup(const State&) {
  arm_node_.reset();
  numbers_->release();
  return CallbackReturn::SUCCESS;
}

// A transition failed: back to the state before on_configure.
template <class Base>
CallbackReturn ArmController<Base>::on_error(const State&) {
  arm_node_.reset();
  if (numbers_) numbers_->release();
  return CallbackReturn::SUCCESS;
}

template <class Base>
InterfaceConfiguration ArmController<Base>::command_interface_configuration() const {
  return {interface_configuration_type::INDIVIDUAL,
          arm_node_ ? arm_node_->arm().command_interfaces() : std::vector<std::string>{}};
}

template <class Base>
InterfaceConfiguration ArmController<Base>::state_interface_configuration() const {
  return {interface_configuration_type::INDIVIDUAL,
          arm_node_ ? arm_node_->arm().state_interfaces() : std::vector<std::string>{}};
}

// Runs in the loop, as on_deactivate does.
template <class Base>
CallbackReturn ArmController<Base>::on_activate(const State&) {
  arm().read(this->state_interfaces_);
  if (!arm().state_is_finite()) {
    arm_node_->reporter().refuse_activation(arm());
    return CallbackReturn::FAILURE;
  }
  arm().activate();
  bad_reference_ = false;
  arm_node_->reporter().begin();
  arm_node_->introspection().show(true);
  return CallbackReturn::SUCCESS;
}

// Only hardware can hold an arm: see docs/ros2.md. The gravity torque is left in the commands.
template <class Base>
CallbackReturn ArmController<Base>::on_deactivate(const State&) {
  arm_node_->introspection().show(false);
  arm_node_->reporter().end();
  arm().deactivate();
  arm().write_rest(this->command_interfaces_);
  wrench_.show({});
  return CallbackReturn::SUCCESS;
}

// Only if the frame is named: joint_state_broadcaster claims all state interfaces by default, and the controller
// manager does not deactivate a controller whose interfaces another one reads.
template <class Base>
WrenchInterfaces::List ArmController<Base>::export_wrench() {
  return arm().observation().frame_is_named() ? wrench_.make(this->get_node()->get_name()) : WrenchInterfaces::List{};
}

template <class Base>
return_type ArmController<Base>::report_cycle(const rclcpp::Time& time,
                                              const dyn::control::CycleReport& report) noexcept {
  arm_node_->reporter().note(arm(), report, std::exchange(bad_reference_, false));
  arm_node_->introspection().settle();
  arm().observe(time, report);
  wrench_.show(arm().observation().wrench());
  arm_node_->state().sample(time, arm(), report);
  const bool failed = report.mode == dyn::control::CycleReport::Mode::failed;
  return failed ? return_type::ERROR : return_type::OK;
}

template class ArmController<controller_interface::ControllerInterface>;
template class ArmController<controller_interface::ChainableControllerInterface>;

}  // namespace dyn_controllers
