// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/torque_controller.hpp"

#include <string>

#include "dyn_controllers/handles.hpp"
#include "hardware_interface/types/hardware_interface_type_values.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers {

using controller_interface::return_type;

std::vector<ChainableArmController::ReferenceName> TorqueController::reference_names() const {
  std::vector<ReferenceName> names;
  for (const std::string& joint : arm().joints()) {
    names.push_back({joint, hardware_interface::HW_IF_POSITION, true});
    names.push_back({joint, hardware_interface::HW_IF_VELOCITY, false});
    names.push_back({joint, hardware_interface::HW_IF_ACCELERATION, false});
  }
  return names;
}

void TorqueController::open_topics() { topics_ = std::make_unique<ReferenceTopics>(*get_node(), arm().joints()); }

// A controller that is activated after this one and begins at these values begins at the state.
void TorqueController::begin_references() {
  (void)topics_->take();  // messages that came before are dropped
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

// A reference that is not finite, or cannot be read, does not count: the last one is kept, and the arm is held after
// reference_timeout.
void TorqueController::take_chained_reference() noexcept {
  fresh_reference_ = take_references();
  for (size_t k = 0; fresh_reference_ && k < arm().joints().size(); ++k) {
    arm().set_reference(k, taken()[3 * k], taken()[3 * k + 1], taken()[3 * k + 2]);
  }
}

// state in -> model of this cycle -> M, C, g -> control law -> limits -> effort out -> sample
return_type TorqueController::update_and_write_commands(const rclcpp::Time& time, const rclcpp::Duration& period) {
  const dyn::realtime::Scope scope("TorqueController::update");
  arm().read(state_interfaces_);
  if (is_in_chained_mode()) take_chained_reference();
  const dyn::control::CycleReport report = arm().step(fresh_reference_, period.seconds());
  arm().write(command_interfaces_);
  return report_cycle(time, report);
}

}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(dyn_controllers::ComputedTorqueController, controller_interface::ChainableControllerInterface)
PLUGINLIB_EXPORT_CLASS(dyn_controllers::FeedforwardController, controller_interface::ChainableControllerInterface)
