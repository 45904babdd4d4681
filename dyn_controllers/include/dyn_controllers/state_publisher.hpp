// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// ~/controller_state, and once a second /diagnostics: every so many cycles the loop leaves a sample in a
// lockfree::Latest; timers of the node's executor make the messages. The loop neither waits nor wakes anybody.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnostic_msgs/msg/diagnostic_array.hpp"
#include "dyn_controllers/arm.hpp"
#include "dyn_core/lockfree/latest.hpp"
#include "dyn_msgs/msg/controller_state.hpp"
#include "rclcpp/rclcpp.hpp"

namespace dyn_controllers {

// Cycles since configuration, and those of them in which something was not as it should be.
struct CycleCounts {
  std::uint64_t all = 0, held_reference = 0, held_torque = 0, saturated = 0, collision = 0, fallback = 0;
};

struct CycleSample {
  std::int64_t stamp_ns = 0;
  std::vector<double> q, v, reference_q, reference_v, reference_a;
  dyn::control::Terms terms;
  dyn::control::CycleReport report;
  CycleCounts counts;
};

class StatePublisher {
 public:
  StatePublisher(rclcpp_lifecycle::LifecycleNode& node, const Arm& arm, double rate_hz, double period_s);

  DYN_REALTIME void sample(const rclcpp::Time& time, const Arm& arm, const dyn::control::CycleReport& report) noexcept;

 private:
  DYN_REALTIME void count(const dyn::control::CycleReport& report) noexcept;
  void publish();
  void diagnose();

  const long every_;  // cycles; 0: never
  long cycle_ = 0;
  CycleCounts counts_;           // the loop's
  CycleCounts seen_, reported_;  // the executor's: of the newest sample, of the last diagnosis
  dyn::lockfree::Latest<CycleSample> samples_;
  dyn_msgs::msg::ControllerState message_;
  rclcpp::Publisher<dyn_msgs::msg::ControllerState>::SharedPtr publisher_;
  diagnostic_msgs::msg::DiagnosticArray diagnosis_;
  rclcpp::Publisher<diagnostic_msgs::msg::DiagnosticArray>::SharedPtr diagnostics_;
  rclcpp::Clock::SharedPtr clock_;
  rclcpp::TimerBase::SharedPtr timer_, slow_timer_;
};

}  // namespace dyn_controllers
