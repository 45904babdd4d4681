// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/torque_controller.hpp"

#include <cmath>

#include "dyn_controllers/handles.hpp"
#include "dyn_controllers/reported.hpp"
#include "hardware_interface/types/hardware_interface_type_values.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers {

using controller_interface::return_type;

controller_interface::CallbackReturn TorqueController::on_configure(const State& previous) {
  const CallbackReturn configured = ArmController::on_configure(previous);
  if (configured != CallbackReturn::SUCCESS) return configured;
  return reported(get_node()->get_logger(), CallbackReturn::FAILURE,
                  [this] { topics_ = std::make_unique<ReferenceTopics>(*get_node(), arm().joints()); });
}

controller_interface::CallbackReturn TorqueController::on_cleanup(const State& previous) {
  topics_.reset();
  return ArmController::on_cleanup(previous);
}

std::vector<hardware_interface::CommandInterface::SharedPtr> TorqueController::on_export_reference_interfaces_list() {
  std::vector<hardware_interface::CommandInterface::SharedPtr> all;
  for (const std::string& joint : arm().joints()) {
    for (const char* name : {hardware_interface::HW_IF_POSITION, hardware_interface::HW_IF_VELOCITY,
                             hardware_interface::HW_IF_ACCELERATION}) {
      hardware_interface::InterfaceInfo info;
      info.name = name;
      info.data_type = "double";
      const hardware_interface::InterfaceDescription description(std::string(get_node()->get_name()) + '/' + joint,
                                                                 info);
      all.push_back(std::make_shared<hardware_interface::CommandInterface>(description));
    }
  }
  return all;
}

bool TorqueController::on_set_chained_mode(bool chained) {
  arm().set_chained(chained);
  return true;
}

controller_interface::CallbackReturn TorqueController::on_activate(const State& previous) {
  const CallbackReturn activated = ArmController::on_activate(previous);
  if (activated != CallbackReturn::SUCCESS) return activated;
  (void)topics_->take();  // what came before is old
  seed_references();
  return CallbackReturn::SUCCESS;
}

// joint_trajectory_controller begins at what it finds in our reference interfaces: the state.
void TorqueController::seed_references() noexcept {
  size_t next = 0;
  for (size_t k = 0; next + 2 < ordered_exported_reference_interfaces_.size(); ++k) {
    put(*ordered_exported_reference_interfaces_[next++], arm().q()[arm().coordinate(k)]);
    put(*ordered_exported_reference_interfaces_[next++], 0.0);
    put(*ordered_exported_reference_interfaces_[next++], 0.0);
  }
}

return_type TorqueController::update_reference_from_subscribers(const rclcpp::Time&, const rclcpp::Duration&) {
  fresh_reference_ = topics_->take();
  const Reference& reference = topics_->newest();
  for (size_t k = 0; fresh_reference_ && k < reference.q.size(); ++k) {
    arm().set_reference(k, reference.q[k], reference.v[k], reference.a[k]);
  }
  return return_type::OK;
}

// A reference that is not finite, or cannot be had, is none: the last one is kept, and held after reference_timeout.
void TorqueController::read_chained_reference() noexcept {
  const auto value = [this](size_t i) { return value_of(*ordered_exported_reference_interfaces_[i]); };
  fresh_reference_ = true;
  for (size_t i = 0; i < ordered_exported_reference_interfaces_.size(); ++i) {
    fresh_reference_ = fresh_reference_ && std::isfinite(value(i));
  }
  for (size_t k = 0; fresh_reference_ && k < arm().joints().size(); ++k) {
    arm().set_reference(k, value(3 * k), value(3 * k + 1), value(3 * k + 2));
  }
}

// state in -> model of this cycle -> M, C, g -> control law -> limits -> effort out -> sample
return_type TorqueController::update_and_write_commands(const rclcpp::Time& time, const rclcpp::Duration&) {
  arm().read(state_interfaces_);
  if (is_in_chained_mode()) read_chained_reference();
  return finish_cycle(time, fresh_reference_);
}

}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(dyn_controllers::ComputedTorqueController, controller_interface::ChainableControllerInterface)
PLUGINLIB_EXPORT_CLASS(dyn_controllers::FeedforwardController, controller_interface::ChainableControllerInterface)
