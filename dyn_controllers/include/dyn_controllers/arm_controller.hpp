// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Common part of the controllers of this package that command an arm, for either base class of ros2_control: the
// lifetime of the ArmNode from on_configure to on_cleanup, the claimed interfaces, the reports of a cycle.
#pragma once

#include <memory>

#include "controller_interface/chainable_controller_interface.hpp"
#include "controller_interface/controller_interface.hpp"
#include "dyn_controllers/arm_node.hpp"
#include "dyn_controllers/wrench_interfaces.hpp"

namespace dyn_controllers {

// Base: controller_interface::ControllerInterface or controller_interface::ChainableControllerInterface.
template <class Base>
class ArmController : public Base {
 public:
  using CallbackReturn = controller_interface::CallbackReturn;
  using InterfaceConfiguration = controller_interface::InterfaceConfiguration;
  using State = rclcpp_lifecycle::State;

  CallbackReturn on_init() override;
  [[nodiscard]] InterfaceConfiguration command_interface_configuration() const override;
  [[nodiscard]] InterfaceConfiguration state_interface_configuration() const override;
  CallbackReturn on_configure(const State& previous) override;
  CallbackReturn on_activate(const State& previous) override;
  CallbackReturn on_deactivate(const State& previous) override;
  CallbackReturn on_cleanup(const State& previous) override;
  CallbackReturn on_error(const State& previous) override;

  // Between on_configure and on_cleanup.
  [[nodiscard]] Arm& arm() noexcept { return arm_node_->arm(); }
  [[nodiscard]] const Arm& arm() const noexcept { return arm_node_->arm(); }

 protected:
  explicit ArmController(dyn::control::Law law) : law_(law) {}

  // For the log, diagnostics, introspection and ~/controller_state. ERROR where the controller has failed.
  DYN_REALTIME controller_interface::return_type report_cycle(const rclcpp::Time& time,
                                                              const dyn::control::CycleReport& report) noexcept;
  // A reference that is not finite came in this cycle.
  DYN_REALTIME void note_bad_reference() noexcept { bad_reference_ = true; }
  // Of a chainable controller: state interfaces of the wrench at the observed frame; none without a frame.
  [[nodiscard]] WrenchInterfaces::List export_wrench();
  [[nodiscard]] DYN_REALTIME bool is_set_up() const noexcept { return arm_node_ != nullptr; }

 private:
  const dyn::control::Law law_;
  std::shared_ptr<parameters::ParamListener> listener_;
  std::unique_ptr<ControllerJointNumbers> numbers_;
  std::unique_ptr<ArmNode> arm_node_;
  WrenchInterfaces wrench_;
  bool bad_reference_ = false;
};

extern template class ArmController<controller_interface::ControllerInterface>;
extern template class ArmController<controller_interface::ChainableControllerInterface>;

}  // namespace dyn_controllers
