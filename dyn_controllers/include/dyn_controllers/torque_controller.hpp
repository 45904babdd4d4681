// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Computed torque and feedforward as ros2_control plugins: chainable, references `CONTROLLER/JOINT/{position, velocity,
// acceleration}` from joint_trajectory_controller or whatever is above, or from topics where nothing is. The two differ
// in the law of dyn_core that they run, and in what they may command.
//
// What stands in a reference interface is a reference that has come and was not taken yet, or nothing: NaN. Controllers
// above begin at what they find there (joint_trajectory_controller does), so an old reference would be a jump. Taken
// once a cycle; forgotten whenever who is above may change. While active, nothing is (NaN, 0, 0), so that who commands
// positions alone need not write the rest.
#pragma once

#include <memory>
#include <vector>

#include "dyn_controllers/arm_controller.hpp"
#include "dyn_controllers/reference_topics.hpp"

namespace dyn_controllers {

class TorqueController : public ArmController<controller_interface::ChainableControllerInterface> {
 public:
  CallbackReturn on_configure(const State& previous) override;
  CallbackReturn on_activate(const State& previous) override;
  CallbackReturn on_deactivate(const State& previous) override;
  CallbackReturn on_cleanup(const State& previous) override;
  CallbackReturn on_error(const State& previous) override;

 protected:
  using ArmController::ArmController;

  std::vector<hardware_interface::CommandInterface::SharedPtr> on_export_reference_interfaces_list() override;
  std::vector<hardware_interface::StateInterface::SharedPtr> on_export_state_interfaces_list() override {
    return export_wrench();
  }
  bool on_set_chained_mode(bool chained) override;
  controller_interface::return_type update_reference_from_subscribers(const rclcpp::Time& time,
                                                                      const rclcpp::Duration& period) override;
  controller_interface::return_type update_and_write_commands(const rclcpp::Time& time,
                                                              const rclcpp::Duration& period) override;

 private:
  DYN_REALTIME void seed_references() noexcept;
  // NaN in all positions, `rates` in velocities and accelerations.
  DYN_REALTIME void forget_references(double rates) noexcept;

  std::unique_ptr<ReferenceTopics> topics_;
  std::vector<double> taken_;     // position, velocity, acceleration of each joint, as they were read
  bool fresh_reference_ = false;  // the loop's: one has come for this cycle
};

class ComputedTorqueController : public TorqueController {
 public:
  ComputedTorqueController() : TorqueController(dyn::control::Law::computed_torque) {}
};

class FeedforwardController : public TorqueController {
 public:
  FeedforwardController() : TorqueController(dyn::control::Law::feedforward) {}
};

}  // namespace dyn_controllers
