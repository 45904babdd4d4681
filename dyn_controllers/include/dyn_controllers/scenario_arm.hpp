// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One arm of a `dyn run` configuration, played on ROS: its trajectory goes to joint_trajectory_controller, or the poses
// of its frame to the TaskSpaceController, its events
// to the services and parameters of controller and simulated arm, and ~/controller_state is accumulated into a record.
// Calls wait for their answers; another thread spins the node.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "control_msgs/action/follow_joint_trajectory.hpp"
#include "dyn_controllers/scenario_frame.hpp"
#include "dyn_controllers/scenario_record.hpp"
#include "dyn_msgs/srv/attach_payload.hpp"
#include "dyn_msgs/srv/detach_payload.hpp"
#include "dyn_msgs/srv/push.hpp"
#include "dyn_sim/run/config.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_action/rclcpp_action.hpp"
#include "trajectory_msgs/msg/joint_trajectory.hpp"

namespace dyn_controllers {

class ScenarioArm {
 public:
  // `space`: the arm's namespace, empty or "/NAME". Both arguments must outlive this object.
  ScenarioArm(rclcpp::Node& node, const dyn::sim::ArmConfig& arm, const std::string& space);

  // The first node, service or action that is not available yet; empty if all are.
  [[nodiscard]] std::string missing() const;
  [[nodiscard]] std::string missing_state() const;  // the same for what is recorded
  // From `begin` on for `duration_s`, then to rest within a second. Throws std::runtime_error if it is not accepted.
  void send_trajectory(const rclcpp::Time& begin, double duration_s);
  // The answer. Throws std::runtime_error with the reason if something was refused or did not answer.
  std::string apply(const dyn::sim::Event& event);
  [[nodiscard]] ScenarioRecord& record() noexcept { return record_; }
  [[nodiscard]] const dyn::sim::ArmConfig& config() const noexcept { return arm_; }

 private:
  using AttachPayload = dyn_msgs::srv::AttachPayload;
  using DetachPayload = dyn_msgs::srv::DetachPayload;
  using PushLink = dyn_msgs::srv::Push;
  using Follow = control_msgs::action::FollowJointTrajectory;

  [[nodiscard]] trajectory_msgs::msg::JointTrajectory trajectory(const rclcpp::Time& begin, double duration_s) const;
  template <class Request>
  std::string on_targets(dyn::sim::Target target, const typename rclcpp::Client<Request>::SharedPtr& model,
                         const typename rclcpp::Client<Request>::SharedPtr& plant,
                         const typename Request::Request::SharedPtr& request);
  std::string put(const dyn::sim::AttachEvent& event);
  std::string put(const dyn::sim::RobotEvent& event);
  std::string put(const dyn::sim::DetachEvent& event);
  std::string put(const dyn::sim::SetEvent& event);
  std::string put(const dyn::sim::PushEvent& event);
  [[noreturn]] static std::string put(const dyn::sim::EstimateEvent& event);

  const dyn::sim::ArmConfig& arm_;
  std::vector<std::string> all_joints_;  // by coordinate of the robot
  std::vector<std::string> joints_;      // those moved by the trajectory
  ScenarioRecord record_;
  std::unique_ptr<ScenarioFrame> frame_;             // under task_space
  rclcpp_action::Client<Follow>::SharedPtr follow_;  // otherwise
  rclcpp::Client<AttachPayload>::SharedPtr attach_model_, attach_plant_;
  rclcpp::Client<DetachPayload>::SharedPtr detach_model_, detach_plant_;
  rclcpp::Client<PushLink>::SharedPtr push_;
  rclcpp::AsyncParametersClient::SharedPtr parameters_;
  rclcpp::Subscription<dyn_msgs::msg::ControllerState>::SharedPtr states_;
  rclcpp::Subscription<dyn_msgs::msg::Validation>::SharedPtr residuals_;
};

}  // namespace dyn_controllers
