// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// References from topics, for a controller that is not chained: ~/reference (one point, joints in the order of
// `joints`) and ~/joint_trajectory (joints by name, in any order; one point: for interpolation, chain
// joint_trajectory_controller). A malformed message is refused with a warning and changes nothing; warnings are logged
// at most once a second, with the number of those that were suppressed.
#pragma once

#include <string>
#include <vector>

#include "dyn_controllers/callback_gate.hpp"
#include "dyn_controllers/refusals.hpp"
#include "dyn_core/lockfree/latest.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "trajectory_msgs/msg/joint_trajectory.hpp"

namespace dyn_controllers {

struct Reference {
  std::vector<double> q, v, a;  // by joint of `joints`
};

class ReferenceTopics {
 public:
  ReferenceTopics(rclcpp_lifecycle::LifecycleNode& node, const std::vector<std::string>& joints);

  // The loop: true if there is a new one.
  DYN_REALTIME bool take() noexcept { return references_.take(); }
  DYN_REALTIME const Reference& newest() const noexcept { return references_.front(); }

 private:
  void take_point(const trajectory_msgs::msg::JointTrajectoryPoint& point);
  void take_trajectory(const trajectory_msgs::msg::JointTrajectory& trajectory);
  // `order`: which entry of the point is the k-th joint.
  void hand_over(const trajectory_msgs::msg::JointTrajectoryPoint& point, const std::vector<size_t>& order);

  std::vector<std::string> joints_;
  Refusals refusals_;
  dyn::lockfree::Latest<Reference> references_;
  rclcpp::Subscription<trajectory_msgs::msg::JointTrajectoryPoint>::SharedPtr point_;
  rclcpp::Subscription<trajectory_msgs::msg::JointTrajectory>::SharedPtr trajectory_;
  CallbackGate gate_;
};

}  // namespace dyn_controllers
