// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/chainable_arm_controller.hpp"

#include <cmath>
#include <limits>
#include <memory>

#include "dyn_controllers/handles.hpp"
#include "dyn_controllers/reported.hpp"

namespace dyn_controllers {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

}  // namespace

controller_interface::CallbackReturn ChainableArmController::on_configure(const State& previous) {
  const CallbackReturn configured = ArmController::on_configure(previous);
  if (configured != CallbackReturn::SUCCESS) return configured;
  return reported(get_node()->get_logger(), CallbackReturn::FAILURE, [this] { open_topics(); });
}

controller_interface::CallbackReturn ChainableArmController::on_cleanup(const State& previous) {
  forget_references(none);
  close_topics();
  return ArmController::on_cleanup(previous);
}

controller_interface::CallbackReturn ChainableArmController::on_error(const State& previous) {
  forget_references(none);
  close_topics();
  return ArmController::on_error(previous);
}

controller_interface::CallbackReturn ChainableArmController::on_activate(const State& previous) {
  const CallbackReturn activated = ArmController::on_activate(previous);
  if (activated != CallbackReturn::SUCCESS) return activated;
  fresh_reference_ = false;
  begin_references();
  return CallbackReturn::SUCCESS;
}

controller_interface::CallbackReturn ChainableArmController::on_deactivate(const State& previous) {
  forget_references(none);
  return ArmController::on_deactivate(previous);
}

// Between the deactivation of the controllers above and the activation of their successors.
bool ChainableArmController::on_set_chained_mode(bool chained) {
  forget_references(none);
  if (is_set_up()) arm().set_chained(chained);
  return true;
}

std::vector<hardware_interface::CommandInterface::SharedPtr>
ChainableArmController::on_export_reference_interfaces_list() {
  std::vector<hardware_interface::CommandInterface::SharedPtr> all;
  required_.clear();
  for (const ReferenceName& reference : reference_names()) {
    hardware_interface::InterfaceInfo info;
    info.name = reference.name;
    info.data_type = "double";  // and without an initial value: NaN
    const hardware_interface::InterfaceDescription description(
        std::string(get_node()->get_name()) + '/' + reference.prefix, info);
    all.push_back(std::make_shared<hardware_interface::CommandInterface>(description));
    required_.push_back(reference.required ? 1 : 0);
  }
  taken_.assign(all.size(), none);
  return all;
}

std::vector<hardware_interface::StateInterface::SharedPtr> ChainableArmController::on_export_state_interfaces_list() {
  return export_wrench();
}

void ChainableArmController::forget_references(double rest) noexcept {
  for (size_t i = 0; i < ordered_exported_reference_interfaces_.size(); ++i) {
    put(*ordered_exported_reference_interfaces_[i], required_[i] != 0 ? none : rest);
  }
}

bool ChainableArmController::take_references() noexcept {
  bool some = false, all = !taken_.empty();
  for (size_t i = 0; i < taken_.size(); ++i) {
    taken_[i] = value_of(*ordered_exported_reference_interfaces_[i]);
    all = all && std::isfinite(taken_[i]);
    some = some || (required_[i] != 0 && !std::isnan(taken_[i]));
  }
  if (some && !all) note_bad_reference();
  forget_references(0.0);
  return all;
}

}  // namespace dyn_controllers
