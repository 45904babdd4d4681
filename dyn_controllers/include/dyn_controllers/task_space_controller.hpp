// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Impedance or computed torque of one frame (control/task_space.hpp) as a ros2_control plugin. Chainable: references
// `CONTROLLER/FRAME/position.x` .. of a pose, twist, acceleration and wrench from the controller above, once a cycle;
// or from topics.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dyn_controllers/chainable_arm_controller.hpp"
#include "dyn_controllers/task_publisher.hpp"
#include "dyn_controllers/task_topics.hpp"

namespace dyn_controllers {

class TaskSpaceController : public ChainableArmController {
 public:
  TaskSpaceController() : ChainableArmController(dyn::control::Law::task_space) {}

 protected:
  [[nodiscard]] std::vector<ReferenceName> reference_names() const override;
  void open_topics() override;
  void close_topics() noexcept override;
  void begin_references() override;
  controller_interface::return_type update_reference_from_subscribers(const rclcpp::Time& time,
                                                                      const rclcpp::Duration& period) override;
  controller_interface::return_type update_and_write_commands(const rclcpp::Time& time,
                                                              const rclcpp::Duration& period) override;

 private:
  DYN_REALTIME void take_chained_reference() noexcept;

  std::string frame_;
  std::unique_ptr<TaskTopics> topics_;
  std::unique_ptr<TaskPublisher> publisher_;
  dyn::control::TaskReference reference_;
};

}  // namespace dyn_controllers
