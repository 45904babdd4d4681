// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Numbers of messages that are finite and absurd: refused with their range, and the reference before them stays.
#include "dyn_controllers/task_space_controller.hpp"
#include "dyn_controllers/torque_controller.hpp"
#include "log_capture.hpp"
#include "plugin_fixture.hpp"

namespace dyn_controllers::test {
namespace {

using geometry_msgs::msg::PoseStamped, geometry_msgs::msg::TwistStamped, geometry_msgs::msg::WrenchStamped;
using trajectory_msgs::msg::JointTrajectory, trajectory_msgs::msg::JointTrajectoryPoint;

// Published until the log has the words.
template <class Message>
void expect_refused(Room& room, const std::string& topic, const Message& message, const std::string& why) {
  const auto publisher = room.node->create_publisher<Message>("/controller/" + topic, 1);
  const LogCapture log;
  EXPECT_TRUE(room.spin_until([&] {
    publisher->publish(message);
    return LogCapture::count(why) > 0;
  })) << why;
}

TEST(MessageRanges, OfReferencesOfJoints) {
  Plugin<ComputedTorqueController> plugin;
  plugin.start(false);
  Room room(*plugin.controller->get_node());
  ASSERT_EQ(plugin.update(), return_type::OK);
  const double before = plugin.command("joint1/effort");
  JointTrajectoryPoint far;
  far.positions.assign(7, 0.0);
  far.positions[3] = 1e9;
  expect_refused(room, "reference", far, "positions have the entry 1e+09, which is not from -1e+06 to 1e+06");
  JointTrajectoryPoint fast;
  fast.positions.assign(7, 0.0);
  fast.velocities.assign(7, -1e200);
  expect_refused(room, "reference", fast, "velocities have the entry -1e+200, which is not from -1e+06 to 1e+06");
  JointTrajectory jerky;
  jerky.joint_names = arm7_joints();
  jerky.points.resize(1);
  jerky.points[0].positions.assign(7, 0.0);
  jerky.points[0].accelerations.assign(7, 1e308);
  expect_refused(room, "joint_trajectory", jerky, "accelerations have the entry 1e+308, which is not from -1e+09");
  ASSERT_EQ(plugin.update(), return_type::OK);
  EXPECT_EQ(plugin.command("joint1/effort"), before);
}

TEST(MessageRanges, OfReferencesOfAFrame) {
  auto parameters = arm7_parameters();
  parameters["frame"] = rclcpp::ParameterValue("tool0");
  Plugin<TaskSpaceController> plugin(parameters);
  plugin.start(false);
  Room room(*plugin.controller->get_node());
  ASSERT_EQ(plugin.update(), return_type::OK);
  PoseStamped pose;
  pose.pose.orientation.w = 1.0;
  pose.pose.position.y = 1e9;
  expect_refused(room, "target_pose", pose, "~/target_pose has the entry 1e+09, which is not from -100000 to 100000");
  TwistStamped twist;
  twist.twist.angular.z = 1e200;
  expect_refused(room, "target_twist", twist, "~/target_twist has the entry 1e+200, which is not from -1e+06");
  WrenchStamped wrench;
  wrench.wrench.force.x = -1e308;
  expect_refused(room, "target_wrench", wrench, "~/target_wrench has the entry -1e+308, which is not from -1e+09");
  const dyn::Vec3d target_m = plugin.controller->arm().task().target.p_m;
  ASSERT_EQ(plugin.update(), return_type::OK);
  EXPECT_EQ(plugin.controller->arm().task().target.p_m, target_m);
}

}  // namespace
}  // namespace dyn_controllers::test
