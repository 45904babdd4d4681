// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// joint_trajectory_controller above the computed-torque controller above the simulated arm, all active.
#pragma once

#include <cmath>

#include "controller_manager_fixture.hpp"
#include "dyn_msgs/srv/detach_payload.hpp"

namespace dyn_controllers::test {

using dyn_msgs::srv::AttachPayload, dyn_msgs::srv::DetachPayload;
inline const std::vector<double> ready{0.0, 0.3, 0.0, 0.6, 0.0, -0.3, 0.0};

class LoopTest : public ManagerTest {
 protected:
  void bring_up(const std::vector<Spec>& more = {}, const Extras& extras = {}) {
    std::vector<Spec> controllers{
        {"computed_torque_controller", "dyn_controllers/ComputedTorqueController"},
        {"joint_trajectory_controller", "joint_trajectory_controller/JointTrajectoryController"}};
    controllers.insert(controllers.end(), more.begin(), more.end());
    start(ready, controllers, extras);
    if (HasFatalFailure()) return;
    goals = user->create_publisher<trajectory_msgs::msg::JointTrajectory>(
        "/joint_trajectory_controller/joint_trajectory", 1);
    computed = std::dynamic_pointer_cast<TorqueController>(controller("computed_torque_controller"));
    ASSERT_NE(computed, nullptr);
    switch_to({"computed_torque_controller", "joint_trajectory_controller"}, {});
  }

  void send_goal(double size, int seconds) {
    trajectory_msgs::msg::JointTrajectory goal;
    goal.joint_names = arm7_joints();
    trajectory_msgs::msg::JointTrajectoryPoint point;
    for (size_t i = 0; i < 7; ++i) point.positions.push_back(ready[i] + size * (i % 2 == 0 ? 1.0 : -1.0));
    point.velocities.assign(7, 0.0);
    point.accelerations.assign(7, 0.0);
    point.time_from_start.sec = seconds;
    goal.points = {point};
    const std::vector<double> before = computed->arm().reference_q();
    ASSERT_TRUE(publish_until(*goals, goal, [&] { return computed->arm().reference_q() != before; }));
  }

  // The reference of cycle k is meant for cycle k + 1.
  void track(int count) {
    for (int i = 0; i < count && !HasFatalFailure(); ++i) {
      const std::vector<double> wanted = computed->arm().reference_q();
      cycle();
      for (size_t joint = 0; joint < 7; ++joint) {
        const double error = computed->arm().q()[joint] - wanted[joint];
        squares += error * error;
        largest = std::max(largest, std::abs(error));
        moved = std::max(moved, std::abs(computed->arm().q()[joint] - ready[joint]));
        ++samples;
      }
    }
  }
  // The controller knows one cycle before: its next torque is the first that the arm gets with the payload.
  AttachPayload::Response take_on(const AttachPayload::Request& payload) {
    const auto answer = call<AttachPayload>("/computed_torque_controller/attach_payload", payload);
    EXPECT_TRUE(answer->success) << answer->message;
    track(1);
    EXPECT_TRUE(call<AttachPayload>("/simulated_arm/attach_payload", payload)->success);
    return *answer;
  }
  void take_off(const std::string& name) {
    DetachPayload::Request off;
    off.name = name;
    EXPECT_TRUE(call<DetachPayload>("/computed_torque_controller/detach_payload", off)->success);
    track(1);
    EXPECT_TRUE(call<DetachPayload>("/simulated_arm/detach_payload", off)->success);
  }
  [[nodiscard]] double rms() const { return std::sqrt(squares / static_cast<double>(samples)); }

  rclcpp::Publisher<trajectory_msgs::msg::JointTrajectory>::SharedPtr goals;
  std::shared_ptr<TorqueController> computed;
  double squares = 0.0, largest = 0.0, moved = 0.0;
  long samples = 0;
};

}  // namespace dyn_controllers::test
