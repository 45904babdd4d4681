// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/torque_controller.hpp"

#include <cmath>
#include <limits>

#include "dyn_controllers/handles.hpp"
#include "dyn_controllers/reported.hpp"
#include "hardware_interface/types/hardware_interface_type_values.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers {

using controller_interface::return_type;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

}  // namespace

controller_interface::CallbackReturn TorqueController::on_configure(const State& previous) {
  const CallbackReturn configured = ArmController::on_configure(previous);
  if (configured != CallbackReturn::SUCCESS) return configured;
  return reported(get_node()->get_logger(), CallbackReturn::FAILURE,
                  [this] { topics_ = std::make_unique<ReferenceTopics>(*get_node(), arm().joints()); });
}

controller_interface::CallbackReturn TorqueController::on_cleanup(const State& previous) {
  forget_references(none);
  topics_.reset();
  return ArmController::on_cleanup(previous);
}

controller_interface::CallbackReturn TorqueController::on_error(const State& previous) {
  forget_references(none);
  topics_.reset();
  return ArmController::on_error(previous);
}

std::vector<hardware_interface::CommandInterface::SharedPtr> TorqueController::on_export_reference_interfaces_list() {
  std::vector<hardware_interface::CommandInterface::SharedPtr> all;
  for (const std::string& joint : arm().joints()) {
    for (const char* name : {hardware_interface::HW_IF_POSITION, hardware_interface::HW_IF_VELOCITY,
                             hardware_interface::HW_IF_ACCELERATION}) {
      hardware_interface::InterfaceInfo info;
      info.name = name;
      info.data_type = "double";  // and without an initial value: NaN
      const hardware_interface::InterfaceDescription description(std::string(get_node()->get_name()) + '/' + joint,
                                                                 info);
      all.push_back(std::make_shared<hardware_interface::CommandInterface>(description));
    }
  }
  taken_.assign(all.size(), none);
  return all;
}

// Between the deactivation of those that were above and the activation of those that will be.
bool TorqueController::on_set_chained_mode(bool chained) {
  forget_references(none);
  if (is_set_up()) arm().set_chained(chained);
  return true;
}

controller_interface::CallbackReturn TorqueController::on_activate(const State& previous) {
  const CallbackReturn activated = ArmController::on_activate(previous);
  if (activated != CallbackReturn::SUCCESS) return activated;
  (void)topics_->take();  // what came before is old
  fresh_reference_ = false;
  seed_references();
  return CallbackReturn::SUCCESS;
}

controller_interface::CallbackReturn TorqueController::on_deactivate(const State& previous) {
  forget_references(none);
  return ArmController::on_deactivate(previous);
}

// Who is activated after this controller and begins at what it finds here begins at the state.
void TorqueController::seed_references() noexcept {
  size_t next = 0;
  for (size_t k = 0; next + 2 < ordered_exported_reference_interfaces_.size(); ++k) {
    put(*ordered_exported_reference_interfaces_[next++], arm().q()[arm().coordinate(k)]);
    put(*ordered_exported_reference_interfaces_[next++], 0.0);
    put(*ordered_exported_reference_interfaces_[next++], 0.0);
  }
}

void TorqueController::forget_references(double rates) noexcept {
  for (size_t i = 0; i < ordered_exported_reference_interfaces_.size(); ++i) {
    put(*ordered_exported_reference_interfaces_[i], i % 3 == 0 ? none : rates);
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

// state in -> model of this cycle -> M, C, g -> control law -> limits -> effort out -> sample
//
// A reference of the controller above that is not finite, or cannot be had, is none: the last one is kept, and held
// after reference_timeout. Every handle is read once: at a second look it may be locked.
return_type TorqueController::update_and_write_commands(const rclcpp::Time& time, const rclcpp::Duration& period) {
  const dyn::realtime::Scope scope("TorqueController::update");
  arm().read(state_interfaces_);
  if (is_in_chained_mode()) {
    bool positions = false, all = true;
    for (size_t i = 0; i < taken_.size(); ++i) {
      taken_[i] = value_of(*ordered_exported_reference_interfaces_[i]);
      all = all && std::isfinite(taken_[i]);
      positions = positions || (i % 3 == 0 && !std::isnan(taken_[i]));
    }
    fresh_reference_ = all && !taken_.empty();
    if (positions && !all) note_bad_reference();
    for (size_t k = 0; fresh_reference_ && k < arm().joints().size(); ++k) {
      arm().set_reference(k, taken_[3 * k], taken_[3 * k + 1], taken_[3 * k + 2]);
    }
    forget_references(0.0);
  }
  const dyn::control::CycleReport report = arm().step(fresh_reference_, period.seconds());
  arm().write(command_interfaces_);
  return report_cycle(time, report);
}

}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(dyn_controllers::ComputedTorqueController, controller_interface::ChainableControllerInterface)
PLUGINLIB_EXPORT_CLASS(dyn_controllers::FeedforwardController, controller_interface::ChainableControllerInterface)
