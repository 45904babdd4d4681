// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/scenario_frame.hpp"

#include <algorithm>
#include <chrono>

#include "dyn_controllers/vector_messages.hpp"

namespace dyn_controllers {

using dyn_msgs::msg::TaskState;
using geometry_msgs::msg::PoseStamped, geometry_msgs::msg::TwistStamped, geometry_msgs::msg::WrenchStamped;

ScenarioFrame::ScenarioFrame(rclcpp::Node& node, const dyn::sim::ArmConfig& arm, const std::string& controller,
                             const std::string& plant, ScenarioRecord& record)
    : node_(node),
      arm_(arm),
      pose_(node.create_publisher<PoseStamped>(controller + "/target_pose", 1)),
      twist_(node.create_publisher<TwistStamped>(controller + "/target_twist", 1)),
      wrench_(node.create_publisher<WrenchStamped>(controller + "/target_wrench", 1)),
      states_(node.create_subscription<TaskState>(
          controller + "/task_state", rclcpp::QoS(50),
          [&record](const TaskState::ConstSharedPtr& state) { record.add(*state); })),
      walls_(node.create_subscription<WrenchStamped>(
          plant + "/wall_force", rclcpp::QoS(50),
          [&record](const WrenchStamped::ConstSharedPtr& force) { record.add(*force); })) {}

bool ScenarioFrame::has_a_listener() const {
  return pose_->get_subscription_count() > 0 && twist_->get_subscription_count() > 0 &&
         wrench_->get_subscription_count() > 0;
}

void ScenarioFrame::play(const rclcpp::Time& begin, double duration_s) {
  constexpr std::chrono::milliseconds every(2);
  timer_ = rclcpp::create_timer(&node_, node_.get_clock(), rclcpp::Duration(every), [this, begin, duration_s] {
    const double time_s = (node_.now() - begin).seconds();
    if (time_s < 0.0) return;
    send(std::min(time_s, duration_s));
    if (time_s > duration_s) timer_->cancel();
  });
}

void ScenarioFrame::send(double time_s) {
  const dyn::control::TaskReference now = arm_.poses->sample(time_s);
  PoseStamped pose;
  TwistStamped twist;
  WrenchStamped wrench;
  pose.header.stamp = twist.header.stamp = wrench.header.stamp = node_.now();
  put(now.point, pose.pose);
  put(now.point.twist, twist.twist);
  put(now.wrench, wrench.wrench);
  pose_->publish(pose);
  twist_->publish(twist);
  wrench_->publish(wrench);
}

}  // namespace dyn_controllers
