// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/task_publisher.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "dyn_controllers/vector_messages.hpp"

namespace dyn_controllers {
TaskPublisher::TaskPublisher(rclcpp_lifecycle::LifecycleNode& node, const std::string& root, const std::string& frame,
                             double rate_hz, double period_s)
    : every_(rate_hz > 0.0 ? std::max(1L, std::lround(1.0 / (rate_hz * period_s))) : 0), samples_(Sample{}) {
  if (every_ == 0) return;
  state_.header.frame_id = root;
  state_.frame = frame;
  const auto qos = rclcpp::SystemDefaultsQoS();
  states_ = rclcpp::create_publisher<dyn_msgs::msg::TaskState>(node, "~/task_state", qos);
  timer_ = node.create_wall_timer(std::chrono::duration<double>(0.5 / rate_hz), gate_.guard([this] { publish(); }));
}

void TaskPublisher::sample(const rclcpp::Time& time, const dyn::control::TaskCycle& cycle) noexcept {
  if (every_ == 0) return;
  cycle_ = (cycle_ + 1) % every_;
  if (cycle_ != 0) return;
  samples_.back() = {time.nanoseconds(), cycle};
  samples_.publish();
}

void TaskPublisher::publish() {
  if (!samples_.take()) return;
  const dyn::control::TaskCycle& cycle = samples_.front().cycle;
  state_.header.stamp = rclcpp::Time(samples_.front().stamp_ns);
  put(cycle.measured, state_.pose);
  put(cycle.measured.twist, state_.twist);
  put(cycle.target, state_.target);
  put(cycle.target.twist, state_.target_twist);
  put(cycle.error, state_.error);
  put(cycle.force, state_.force);
  put(cycle.external, state_.external);
  state_.smallest_singular_value = cycle.smallest_singular_value;
  state_.damped = cycle.damped;
  state_.limited = cycle.limited;
  state_.effort_share = cycle.effort_share;
  states_->publish(state_);
}

}  // namespace dyn_controllers
