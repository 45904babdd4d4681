// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/task_topics.hpp"

#include <stdexcept>

#include "dyn_controllers/message_range.hpp"
#include "dyn_core/numeric/ranges.hpp"

namespace dyn_controllers {
namespace {

using dyn::control::TaskReference, dyn::control::Vec6d;

Vec6d turned(const dyn::Mat3d& R, const Vec6d& x) noexcept {
  Vec6d y;
  y << R * x.head<3>(), R * x.tail<3>();
  return y;
}

template <class A, class B>
Vec6d six(const A& linear, const B& angular, const char* topic, double most) {
  Vec6d x;
  x << linear.x, linear.y, linear.z, angular.x, angular.y, angular.z;
  for (const double value : x) check_range(topic + std::string(" has"), value, most);
  return x;
}

}  // namespace

TaskTopics::TaskTopics(rclcpp_lifecycle::LifecycleNode& node, const std::string& root, const std::string& frame)
    : root_(root), frame_(frame), refusals_(node), poses_(Point{}), twists_(Six{}), wrenches_(Six{}) {
  const auto qos = rclcpp::SystemDefaultsQoS();
  const auto checked = [this](auto&& take) {
    try {
      take();
    } catch (const std::invalid_argument& error) {
      refusals_.refuse(error.what());
    }
  };
  using geometry_msgs::msg::PoseStamped, geometry_msgs::msg::TwistStamped, geometry_msgs::msg::WrenchStamped;
  pose_ = rclcpp::create_subscription<PoseStamped>(
      node, "~/target_pose", qos, gate_.guard([this, checked](const PoseStamped::ConstSharedPtr& message) {
        checked([&] { take_pose(*message); });
      }));
  twist_ = rclcpp::create_subscription<TwistStamped>(
      node, "~/target_twist", qos, gate_.guard([this, checked](const TwistStamped::ConstSharedPtr& message) {
        checked([&] { take_twist(*message); });
      }));
  wrench_ = rclcpp::create_subscription<WrenchStamped>(
      node, "~/target_wrench", qos, gate_.guard([this, checked](const WrenchStamped::ConstSharedPtr& message) {
        checked([&] { take_wrench(*message); });
      }));
}

bool TaskTopics::axes_of(const std::string& frame_id, const char* topic) const {
  if (frame_id.empty() || frame_id == root_) return false;
  if (frame_id == frame_) return true;
  throw std::invalid_argument(std::string(topic) + " is in frame '" + frame_id.substr(0, 64) +
                              "'; it may be in the root link '" + root_ + "' or in '" + frame_ + "'");
}

void TaskTopics::take_pose(const geometry_msgs::msg::PoseStamped& message) {
  constexpr const char* topic = "~/target_pose";
  if (axes_of(message.header.frame_id, topic)) {
    throw std::invalid_argument(std::string(topic) + " is in frame '" + frame_ +
                                "', which moves with it; the root link '" + root_ + "' is wanted");
  }
  const auto& p = message.pose.position;
  const auto& r = message.pose.orientation;
  const Eigen::Quaterniond turn(r.w, r.x, r.y, r.z);
  const double length = turn.norm();
  if (!(length > 0.99 && length < 1.01)) {
    throw std::invalid_argument(std::string(topic) + ": the length of the quaternion is " + std::to_string(length) +
                                ", not 1");
  }
  Point& point = poses_.back();
  point.p_m = {p.x, p.y, p.z};
  point.R = turn.normalized().toRotationMatrix();
  check_range(std::string(topic) + " has", point.p_m, dyn::ranges::length_m);
  poses_.publish();
}

void TaskTopics::take_twist(const geometry_msgs::msg::TwistStamped& message) {
  twists_.back() = {six(message.twist.linear, message.twist.angular, "~/target_twist", dyn::ranges::velocity),
                    axes_of(message.header.frame_id, "~/target_twist")};
  twists_.publish();
}

void TaskTopics::take_wrench(const geometry_msgs::msg::WrenchStamped& message) {
  wrenches_.back() = {six(message.wrench.force, message.wrench.torque, "~/target_wrench", dyn::ranges::effort),
                      axes_of(message.header.frame_id, "~/target_wrench")};
  wrenches_.publish();
}

void TaskTopics::begin() noexcept {
  (void)poses_.take();
  (void)twists_.take();
  (void)wrenches_.take();
  reference_ = {};
  moves_ = pushes_ = false;
}

const TaskReference& TaskTopics::next(const dyn::control::TaskCycle& last, double timeout_s, double period_s) noexcept {
  const bool placed = poses_.take();
  twist_age_s_ += period_s;
  if (twists_.take()) {
    twist_age_s_ = 0.0;
    moves_ = true;
  }
  moves_ = moves_ && !(timeout_s > 0.0 && twist_age_s_ > timeout_s);
  pushes_ = wrenches_.take() || pushes_;
  const bool begins_where_held = last.known && (moves_ || pushes_);
  Point& point = reference_.point;
  if (placed) {
    point = poses_.front();
  } else if (reference_.given) {
    point.twist = last.target.twist;  // within the frame's limits: the target does not run away from the frame
    point = point.after(period_s);
  } else if (begins_where_held) {
    point = last.target;
  }
  reference_.given = reference_.given || placed || begins_where_held;
  const Six& twist = twists_.front();
  point.twist.setZero();
  if (moves_) point.twist = twist.in_frame ? turned(point.R, twist.value) : twist.value;
  const Six& wrench = wrenches_.front();
  if (pushes_ && last.known) reference_.wrench = wrench.in_frame ? turned(last.measured.R, wrench.value) : wrench.value;
  return reference_;
}

}  // namespace dyn_controllers
