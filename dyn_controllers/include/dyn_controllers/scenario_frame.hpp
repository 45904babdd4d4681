// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The frame of an arm under the law task_space in a scenario that is played on ROS: its poses, twists and wrenches go
// to the topics of the TaskSpaceController as time passes, and what it does comes back into the arm's record.
#pragma once

#include <string>

#include "dyn_controllers/scenario_record.hpp"
#include "geometry_msgs/msg/pose_stamped.hpp"
#include "geometry_msgs/msg/twist_stamped.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"
#include "rclcpp/rclcpp.hpp"

namespace dyn_controllers {

class ScenarioFrame {
 public:
  // `controller`, `plant`: names of their nodes. All references must outlive this object.
  ScenarioFrame(rclcpp::Node& node, const dyn::sim::ArmConfig& arm, const std::string& controller,
                const std::string& plant, ScenarioRecord& record);

  [[nodiscard]] bool has_a_listener() const;
  [[nodiscard]] const char* topic() const { return pose_->get_topic_name(); }
  // From `begin` on for `duration_s`; then the last pose stays.
  void play(const rclcpp::Time& begin, double duration_s);

 private:
  void send(double time_s);

  rclcpp::Node& node_;
  const dyn::sim::ArmConfig& arm_;
  rclcpp::Publisher<geometry_msgs::msg::PoseStamped>::SharedPtr pose_;
  rclcpp::Publisher<geometry_msgs::msg::TwistStamped>::SharedPtr twist_;
  rclcpp::Publisher<geometry_msgs::msg::WrenchStamped>::SharedPtr wrench_;
  rclcpp::Subscription<dyn_msgs::msg::TaskState>::SharedPtr states_;
  rclcpp::Subscription<geometry_msgs::msg::WrenchStamped>::SharedPtr walls_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace dyn_controllers
