// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/reference_topics.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "dyn_controllers/message_range.hpp"
#include "dyn_core/numeric/ranges.hpp"

namespace dyn_controllers {
namespace {

using trajectory_msgs::msg::JointTrajectory;
using trajectory_msgs::msg::JointTrajectoryPoint;

Reference zeros(size_t n) {
  const std::vector<double> zero(n, 0.0);
  return {zero, zero, zero};
}

// Velocities and accelerations may be omitted: then they are 0.
void copy(const std::vector<double>& from, const std::vector<size_t>& order, const std::string& what, bool needed,
          double most, std::vector<double>& to) {
  if (from.empty() && !needed) {
    std::fill(to.begin(), to.end(), 0.0);
    return;
  }
  if (from.size() != to.size()) {
    throw std::invalid_argument(std::to_string(from.size()) + ' ' + what + " for " + std::to_string(to.size()) +
                                " joints");
  }
  for (size_t k = 0; k < to.size(); ++k) {
    to[k] = from[order[k]];
    check_range(what + " have", to[k], most);
  }
}

}  // namespace

ReferenceTopics::ReferenceTopics(rclcpp_lifecycle::LifecycleNode& node, const std::vector<std::string>& joints)
    : joints_(joints), refusals_(node), references_(zeros(joints.size())) {
  const auto qos = rclcpp::SystemDefaultsQoS();
  point_ = rclcpp::create_subscription<JointTrajectoryPoint>(
      node, "~/reference", qos,
      gate_.guard([this](const JointTrajectoryPoint::ConstSharedPtr& point) { take_point(*point); }));
  trajectory_ = rclcpp::create_subscription<JointTrajectory>(
      node, "~/joint_trajectory", qos,
      gate_.guard([this](const JointTrajectory::ConstSharedPtr& trajectory) { take_trajectory(*trajectory); }));
}

void ReferenceTopics::take_point(const JointTrajectoryPoint& point) {
  std::vector<size_t> order(joints_.size());
  std::iota(order.begin(), order.end(), 0U);
  hand_over(point, order);
}

void ReferenceTopics::take_trajectory(const JointTrajectory& trajectory) {
  if (trajectory.points.size() != 1) {
    refusals_.refuse("~/joint_trajectory has " + std::to_string(trajectory.points.size()) +
                     " points, but must have one; send trajectories to joint_trajectory_controller");
    return;
  }
  std::vector<size_t> order;
  for (const std::string& joint : joints_) {
    const auto& names = trajectory.joint_names;
    const auto found = std::find(names.begin(), names.end(), joint);
    if (found == names.end() || names.size() != joints_.size()) {
      refusals_.refuse("the joints of ~/joint_trajectory are not those of `joints` ('" + joint + "')");
      return;
    }
    order.push_back(found - names.begin());
  }
  hand_over(trajectory.points.front(), order);
}

void ReferenceTopics::hand_over(const JointTrajectoryPoint& point, const std::vector<size_t>& order) {
  Reference& reference = references_.back();
  try {
    copy(point.positions, order, "positions", true, dyn::ranges::position, reference.q);
    copy(point.velocities, order, "velocities", false, dyn::ranges::velocity, reference.v);
    copy(point.accelerations, order, "accelerations", false, dyn::ranges::acceleration, reference.a);
  } catch (const std::invalid_argument& error) {
    refusals_.refuse(error.what());
    return;
  }
  references_.publish();
}

}  // namespace dyn_controllers
