// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Logs refused messages: the first one at once, further ones of the same second together.
#pragma once

#include <cstdint>
#include <string>

#include "dyn_controllers/callback_gate.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"

namespace dyn_controllers {

class Refusals {
 public:
  explicit Refusals(rclcpp_lifecycle::LifecycleNode& node);
  void refuse(const std::string& why);

 private:
  void flush();

  rclcpp::Logger logger_;
  std::uint64_t refused_ = 0;  // since the last line
  bool told_ = false;          // one was logged in this second
  std::string last_refusal_;
  rclcpp::TimerBase::SharedPtr timer_;
  CallbackGate gate_;
};

}  // namespace dyn_controllers
