// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/refusals.hpp"

#include <chrono>

namespace dyn_controllers {

Refusals::Refusals(rclcpp_lifecycle::LifecycleNode& node) : logger_(node.get_logger()) {
  timer_ = node.create_wall_timer(std::chrono::seconds(1), gate_.guard([this] { flush(); }));
}

void Refusals::refuse(const std::string& why) {
  if (told_) {
    ++refused_;
    last_refusal_ = why;
    return;
  }
  told_ = true;
  RCLCPP_WARN(logger_, "reference refused: %s", why.c_str());
}

void Refusals::flush() {
  if (refused_ > 0) {
    RCLCPP_WARN(logger_, "%llu more references refused in the last second; the last one: %s",
                static_cast<unsigned long long>(refused_), last_refusal_.c_str());
  }
  told_ = refused_ > 0;
  refused_ = 0;
}

}  // namespace dyn_controllers
