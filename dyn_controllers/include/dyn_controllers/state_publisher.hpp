// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// ~/controller_state: every few cycles the loop leaves a sample in a lockfree::Latest; a timer of the node's executor
// makes the message from it. The loop neither waits nor wakes another thread.
#pragma once

#include <cstdint>
#include <vector>

#include "dyn_controllers/arm.hpp"
#include "dyn_controllers/callback_gate.hpp"
#include "dyn_core/lockfree/latest.hpp"
#include "dyn_msgs/msg/controller_state.hpp"
#include "rclcpp/rclcpp.hpp"

namespace dyn_controllers {

struct CycleSample {
  std::int64_t stamp_ns = 0;
  std::vector<double> q, v, reference_q, reference_v, reference_a;
  dyn::control::Terms terms;
  dyn::control::CycleReport report;
  dyn::control::DelayEstimate delay;
};

class StatePublisher {
 public:
  StatePublisher(rclcpp_lifecycle::LifecycleNode& node, const Arm& arm, double rate_hz, double period_s);

  DYN_REALTIME void sample(const rclcpp::Time& time, const Arm& arm, const dyn::control::CycleReport& report) noexcept;

 private:
  void publish();

  const long every_;  // cycles; 0: never
  long cycle_ = 0;
  dyn::lockfree::Latest<CycleSample> samples_;
  dyn_msgs::msg::ControllerState message_;
  rclcpp::Publisher<dyn_msgs::msg::ControllerState>::SharedPtr publisher_;
  rclcpp::TimerBase::SharedPtr timer_;
  CallbackGate gate_;
};

}  // namespace dyn_controllers
