// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Impedance or computed torque of one frame (control/task_space.hpp) as a ros2_control plugin. Chainable: references
// `CONTROLLER/FRAME/position.x` .. of a pose, twist, acceleration and wrench from whatever is above, once a cycle; or
// topics where nothing is. As in torque_controller.hpp what stands in a reference interface is a reference that was not
// taken yet, or NaN.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dyn_controllers/arm_controller.hpp"
#include "dyn_controllers/task_publisher.hpp"
#include "dyn_controllers/task_topics.hpp"

namespace dyn_controllers {

class TaskSpaceController : public ArmController<controller_interface::ChainableControllerInterface> {
 public:
  TaskSpaceController() : ArmController(dyn::control::Law::task_space) {}

  CallbackReturn on_configure(const State& previous) override;
  CallbackReturn on_activate(const State& previous) override;
  CallbackReturn on_deactivate(const State& previous) override;
  CallbackReturn on_cleanup(const State& previous) override;
  CallbackReturn on_error(const State& previous) override;

 protected:
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
  DYN_REALTIME void take_chained_reference() noexcept;
  // NaN in the pose, `rest` in what may be left out.
  DYN_REALTIME void forget_references(double rest) noexcept;

  std::string frame_;
  std::unique_ptr<TaskTopics> topics_;
  std::unique_ptr<TaskPublisher> publisher_;
  dyn::control::TaskReference reference_;
  std::vector<double> taken_;  // in the order of the interfaces
  bool fresh_reference_ = false;
};

}  // namespace dyn_controllers
