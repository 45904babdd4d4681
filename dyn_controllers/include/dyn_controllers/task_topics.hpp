// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Targets of a frame from topics, for a controller that is not chained: ~/target_pose, ~/target_twist and
// ~/target_wrench, of the frame, in the axes of the root link or, by header.frame_id, of the frame itself (twist and
// wrench). The target stays at the last pose, and moves on from there with the twist, until reference_timeout after the
// last twist. A malformed message is refused with a warning and changes nothing.
#pragma once

#include <string>

#include "dyn_controllers/callback_gate.hpp"
#include "dyn_controllers/refusals.hpp"
#include "dyn_core/control/task_space.hpp"
#include "dyn_core/lockfree/latest.hpp"
#include "geometry_msgs/msg/pose_stamped.hpp"
#include "geometry_msgs/msg/twist_stamped.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"

namespace dyn_controllers {

class TaskTopics {
 public:
  TaskTopics(rclcpp_lifecycle::LifecycleNode& node, const std::string& root, const std::string& frame);

  // The loop. Messages that came before are dropped.
  DYN_REALTIME void begin() noexcept;
  // One period later; `last`: what the controller has followed so far. A twist or a wrench waits for the first cycle
  // after activation, since only then it is known where the frame is.
  DYN_REALTIME const dyn::control::TaskReference& next(const dyn::control::TaskCycle& last, double timeout_s,
                                                       double period_s) noexcept;

 private:
  using Point = dyn::control::TaskPoint;
  struct Six {
    dyn::control::Vec6d value = dyn::control::Vec6d::Zero();
    bool in_frame = false;  // axes of the frame, else of the root link
  };
  // True where it is the frame's.
  [[nodiscard]] bool axes_of(const std::string& frame_id, const char* topic) const;
  void take_pose(const geometry_msgs::msg::PoseStamped& message);
  void take_twist(const geometry_msgs::msg::TwistStamped& message);
  void take_wrench(const geometry_msgs::msg::WrenchStamped& message);

  const std::string root_, frame_;
  Refusals refusals_;
  dyn::lockfree::Latest<Point> poses_;
  dyn::lockfree::Latest<Six> twists_, wrenches_;
  dyn::control::TaskReference reference_;  // the loop's
  double twist_age_s_ = 0.0;
  bool moves_ = false, pushes_ = false;
  rclcpp::Subscription<geometry_msgs::msg::PoseStamped>::SharedPtr pose_;
  rclcpp::Subscription<geometry_msgs::msg::TwistStamped>::SharedPtr twist_;
  rclcpp::Subscription<geometry_msgs::msg::WrenchStamped>::SharedPtr wrench_;
  CallbackGate gate_;
};

}  // namespace dyn_controllers
