// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// ~/task_state, as state_publisher.hpp: samples from the loop, messages from a timer.
#pragma once

#include <cstdint>
#include <string>

#include "dyn_controllers/callback_gate.hpp"
#include "dyn_core/control/task_space.hpp"
#include "dyn_core/lockfree/latest.hpp"
#include "dyn_msgs/msg/task_state.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"

namespace dyn_controllers {

class TaskPublisher {
 public:
  TaskPublisher(rclcpp_lifecycle::LifecycleNode& node, const std::string& root, const std::string& frame,
                double rate_hz, double period_s);

  DYN_REALTIME void sample(const rclcpp::Time& time, const dyn::control::TaskCycle& cycle) noexcept;

 private:
  struct Sample {
    std::int64_t stamp_ns = 0;
    dyn::control::TaskCycle cycle;
  };
  void publish();

  const long every_;  // cycles; 0: never
  long cycle_ = 0;
  dyn::lockfree::Latest<Sample> samples_;
  dyn_msgs::msg::TaskState state_;
  rclcpp::Publisher<dyn_msgs::msg::TaskState>::SharedPtr states_;
  rclcpp::TimerBase::SharedPtr timer_;
  CallbackGate gate_;
};

}  // namespace dyn_controllers
