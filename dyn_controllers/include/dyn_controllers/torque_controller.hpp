// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Computed torque and feedforward as ros2_control plugins: chainable, references `CONTROLLER/JOINT/{position, velocity,
// acceleration}` from joint_trajectory_controller or another controller above, or from topics. The two differ in the
// law of dyn_core that they run, and in the interfaces that they may command.
#pragma once

#include <memory>
#include <vector>

#include "dyn_controllers/chainable_arm_controller.hpp"
#include "dyn_controllers/reference_topics.hpp"

namespace dyn_controllers {

class TorqueController : public ChainableArmController {
 protected:
  using ChainableArmController::ChainableArmController;

  [[nodiscard]] std::vector<ReferenceName> reference_names() const override;
  void begin_references() override;
  void open_topics() override;
  void close_topics() noexcept override { topics_.reset(); }
  controller_interface::return_type update_and_write_commands(const rclcpp::Time& time,
                                                              const rclcpp::Duration& period) override;
  controller_interface::return_type update_reference_from_subscribers(const rclcpp::Time& time,
                                                                      const rclcpp::Duration& period) override;

 private:
  DYN_REALTIME void take_chained_reference() noexcept;

  std::unique_ptr<ReferenceTopics> topics_;
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
