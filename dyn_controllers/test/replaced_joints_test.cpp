// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// An arm that gets another module with a motor, and loses it again, while it moves: ~/replace_joints of the controllers
// and of the simulated arm, on a real controller manager. Interfaces are there for all eight joints from the beginning.
#include <cmath>
#include <limits>

#include "controller_manager_fixture.hpp"
#include "dyn_msgs/msg/validation.hpp"
#include "dyn_msgs/srv/replace_joints.hpp"

namespace dyn_controllers::test {
namespace {

using dyn_msgs::srv::AttachPayload, dyn_msgs::srv::ReplaceJoints;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string module_urdf() { return dyn::read_urdf_text(dyn::find_robot("arm7_module")); }
const std::vector<double> start_q{0.0, 0.3, 0.0, 0.6, 0.0, -0.3, 0.0, 0.0};

ReplaceJoints::Request with_module() {
  ReplaceJoints::Request request;
  request.urdf = module_urdf();
  return request;
}

ReplaceJoints::Request without_module() {
  ReplaceJoints::Request request;
  request.urdf = arm7_urdf();
  request.map.resize(1);
  request.map[0].joint = "joint8";
  return request;
}

class ModuleTest : public ManagerTest {
 protected:
  void bring_up(const std::string& type, const std::string& parameters) {
    const Extras extras{"", {}, parameters, {"joint8"}};
    const std::vector<Spec> controllers{
        {"computed_torque_controller", "dyn_controllers/" + type},
        {"joint_trajectory_controller", "joint_trajectory_controller/JointTrajectoryController"}};
    make_manager(with_simulated_arm(module_urdf(), start_q, extras), controllers,
                 parameters_file({"computed_torque_controller", "joint_trajectory_controller"}, extras));
    if (HasFatalFailure()) return;
    goals = user->create_publisher<trajectory_msgs::msg::JointTrajectory>(
        "/joint_trajectory_controller/joint_trajectory", 1);
    torque = std::dynamic_pointer_cast<TorqueController>(controller("computed_torque_controller"));
    ASSERT_NE(torque, nullptr);
  }
  void activate() { switch_to({"computed_torque_controller", "joint_trajectory_controller"}, {}); }
  // While the arm rests. `module`: of joint8.
  void send_goal(double size, double module, int seconds) {
    trajectory_msgs::msg::JointTrajectory goal;
    goal.joint_names = arm7_joints();
    goal.joint_names.emplace_back("joint8");
    trajectory_msgs::msg::JointTrajectoryPoint point;
    for (size_t i = 0; i < 7; ++i) point.positions.push_back(start_q[i] + size * (i % 2 == 0 ? 1.0 : -1.0));
    point.positions.push_back(module);
    point.velocities.assign(8, 0.0);
    point.accelerations.assign(8, 0.0);
    point.time_from_start.sec = seconds;
    goal.points = {point};
    const std::vector<double> before = torque->arm().reference_q();
    ASSERT_TRUE(publish_until(*goals, goal, [&] { return torque->arm().reference_q() != before; }));
  }
  // The reference of cycle k is meant for cycle k + 1. Errors of the joints that the arm has.
  void track(int count) {
    for (int i = 0; i < count && !HasFatalFailure(); ++i) {
      const std::vector<double> wanted = torque->arm().reference_q(), before = torque->arm().effort();
      cycle();
      for (size_t joint = 0; joint < 8; ++joint) {
        largest_step = std::max(largest_step, std::abs(torque->arm().effort()[joint] - before[joint]));
        if (joint == 7 && !torque->arm().has(7)) continue;
        largest = std::max(largest, std::abs(torque->arm().q()[joint] - wanted[joint]));
      }
    }
  }
  // The controller knows one cycle before: its next torque is the first that the arm gets with its other joints.
  void replace(const ReplaceJoints::Request& request, size_t joints) {
    const auto answer = call<ReplaceJoints>("/computed_torque_controller/replace_joints", request);
    ASSERT_TRUE(answer->success) << answer->message;
    EXPECT_EQ(answer->joint_names.size(), joints);
    generation = answer->generation;
    if (torque->get_lifecycle_state().id() == State::PRIMARY_STATE_ACTIVE) track(1);
    const auto plant = call<ReplaceJoints>("/simulated_arm/replace_joints", request);
    ASSERT_TRUE(plant->success) << plant->message;
    EXPECT_EQ(plant->joint_names.size(), joints);
  }

  rclcpp::Publisher<trajectory_msgs::msg::JointTrajectory>::SharedPtr goals;
  std::shared_ptr<TorqueController> torque;
  std::uint64_t generation = 0;
  double largest = 0.0, largest_step = 0.0;
};

TEST_F(ModuleTest, ComesAndGoesInMotion) {
  bring_up("ComputedTorqueController", "    effort_rate_limit: 1000.0\n    validation: {mode: monitor, rate: 200.0}\n");
  dyn_msgs::msg::Validation validation;
  const auto subscription = user->create_subscription<dyn_msgs::msg::Validation>(
      "/computed_torque_controller/validation", 10,
      [&](const dyn_msgs::msg::Validation::ConstSharedPtr& message) { validation = *message; });
  replace(without_module(), 7);  // nothing is active yet
  activate();
  cycles(100);
  largest_step = 0.0;
  send_goal(0.5, 0.0, 2);
  track(800);
  EXPECT_LT(largest, 1e-5);
  EXPECT_GT(std::abs(torque->arm().v()[0]), 0.05) << "in motion";
  EXPECT_EQ(torque->arm().q()[7], 0.0);
  EXPECT_EQ(torque->arm().effort()[7], 0.0);

  replace(with_module(), 8);
  EXPECT_GT(std::abs(torque->arm().v()[0]), 0.05) << "in motion";
  track(1500);
  EXPECT_TRUE(torque->arm().has(7));
  EXPECT_GT(std::abs(torque->arm().effort()[7]), 0.1);
  for (size_t i = 0; i < 8; ++i) EXPECT_LT(std::abs(torque->arm().terms().external[i]), 0.5) << i;
#ifdef DYN_HAS_ORACLE
  EXPECT_TRUE(spin_until([&] {
    cycle();
    return validation.generation == generation;
  }));
#endif
  send_goal(-0.4, 0.6, 2);
  track(900);
  EXPECT_GT(std::abs(torque->arm().v()[7]), 0.05) << "in motion, its own motor too";

  replace(without_module(), 7);
  track(1500);
  EXPECT_EQ(torque->arm().effort()[7], 0.0);
  EXPECT_EQ(torque->arm().q()[7], 0.0);
  for (size_t i = 0; i < 7; ++i) EXPECT_NEAR(torque->arm().q()[i], start_q[i] - (i % 2 == 0 ? 0.4 : -0.4), 1e-4) << i;
  EXPECT_LT(largest, 2e-3);
  EXPECT_LE(largest_step, 1.0 + 1e-9) << "effort_rate_limit in a period";
  EXPECT_EQ(validation.breaches, 0U);
  std::printf("a module on and off: largest error %.3g rad, largest step of a torque %.3g N m\n", largest,
              largest_step);
}

// Drives with a loop of their own, behind position, velocity and effort.
TEST_F(ModuleTest, ComesAndGoesBelowTheFeedforwardLaw) {
  bring_up("FeedforwardController", "    command_interfaces: [position, velocity, effort]\n");
  // N m/rad in this law: joint8 moves little inertia.
  (void)torque->get_node()->set_parameter(rclcpp::Parameter("gains.joint8.p", 20.0));
  (void)torque->get_node()->set_parameter(rclcpp::Parameter("gains.joint8.d", 1.0));
  activate();
  cycles(100);
  send_goal(0.3, -0.3, 2);
  track(500);
  replace(without_module(), 7);
  track(500);
  EXPECT_EQ(torque->arm().effort()[7], 0.0);
  replace(with_module(), 8);
  track(2000);
  for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(torque->arm().q()[i], start_q[i] + (i % 2 == 0 ? 0.3 : -0.3), 2e-3) << i;
}

TEST_F(ModuleTest, WhatCannotBeIsRefusedAndChangesNothing) {
  bring_up("ComputedTorqueController", "");
  activate();
  cycles(200);
  const auto before = torque->arm().live().newest_model();
  const auto refused = [&](const ReplaceJoints::Request& request, const std::string& why, bool by_the_plant) {
    for (const std::string node : {"/computed_torque_controller", "/simulated_arm"}) {
      if (node == "/simulated_arm" && !by_the_plant) continue;
      const auto answer = call<ReplaceJoints>(node + "/replace_joints", request);
      EXPECT_FALSE(answer->success) << node << ": " << why;
      EXPECT_NE(answer->message.find(why), std::string::npos) << node << ": " << answer->message;
    }
  };
  const auto changed = [](std::string text, const std::string& what, const std::string& by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
      text.replace(at, what.size(), by);
    }
    return text;
  };
  auto request = without_module();
  request.map.clear();
  refused(request, "'map' must give for 'joint8'", true);
  request = without_module();
  request.map.push_back(request.map[0]);
  refused(request, "joint 'joint8' is listed twice", true);
  request = without_module();
  request.map[0].joint = "elbow";
  refused(request, "no joint 'elbow'", true);
  request = with_module();
  request.urdf = changed(request.urdf, "joint8", "joint9");
  request.map.resize(1);
  request.map[0].joint = "joint8";
  request.map[0].becomes = "joint9";
  refused(request, "joint 'joint9' has no interfaces", true);
  request = with_module();
  request.urdf =
      changed(request.urdf, "<joint name=\"joint8\" type=\"revolute\">", "<joint name=\"joint8\" type=\"prismatic\">");
  refused(request, "joint 'joint8' is prismatic", true);
  request.urdf = "no robot at all";
  refused(request, "robot_description", true);
  request = without_module();
  request.transition_time.sec = -1;
  refused(request, "transition_time", false);
  EXPECT_EQ(torque->arm().live().newest_model(), before);
  track(200);
  EXPECT_LT(largest, 1e-5);
}

// A controller by itself, with states of the test's own.
std::map<std::string, rclcpp::ParameterValue> eight_joints() {
  auto all = arm7_parameters();
  auto joints = arm7_joints();
  joints.emplace_back("joint8");
  all["joints"] = rclcpp::ParameterValue(joints);
  all["gains.joint8.p"] = rclcpp::ParameterValue(400.0);
  all["gains.joint8.d"] = rclcpp::ParameterValue(40.0);
  return all;
}

TEST(ReplacedJoints, AStateThatTheArmDoesNotHaveIsIgnored) {
  Plugin<ComputedTorqueController> plugin(eight_joints(), module_urdf());
  ASSERT_TRUE(plugin.configure());
  Room room(*plugin.controller->get_node());
  plugin.initial["joint8/position"] = nan;
  ASSERT_TRUE(plugin.controller->set_chained_mode(true));
  EXPECT_FALSE(plugin.activate());
  ASSERT_TRUE(room.call<ReplaceJoints>("replace_joints", without_module())->success);
  ASSERT_TRUE(plugin.activate());
  Plugin<ComputedTorqueController> seven;
  seven.start(true);
  const auto cycle = [](auto& one, const std::vector<std::string>& joints) {
    for (const std::string& joint : joints) (void)one.reference(joint + "/position").set_value(0.1);
    EXPECT_EQ(one.update(), return_type::OK);
  };
  auto joints = arm7_joints();
  for (int i = 0; i < 100; ++i) cycle(seven, joints);
  joints.emplace_back("joint8");
  for (int i = 0; i < 100; ++i) cycle(plugin, joints);
  for (const std::string& joint : arm7_joints()) {
    EXPECT_EQ(plugin.command(joint + "/effort"), seven.command(joint + "/effort")) << joint;
  }
  EXPECT_EQ(plugin.command("joint8/effort"), 0.0);
  // Parameters and payloads are those of the seven joints.
  EXPECT_TRUE(plugin.set("gains.joint8.p", rclcpp::ParameterValue(300.0)).successful);
  EXPECT_FALSE(plugin.set("gains.joint8.d", rclcpp::ParameterValue(0.0)).successful);
  ASSERT_TRUE(room.call<AttachPayload>("attach_payload", box())->success);
  cycle(plugin, joints);
  EXPECT_EQ(plugin.command("joint8/effort"), 0.0);
  // And with the module its state counts again.
  plugin.set_state("joint8/position", 0.2);
  ASSERT_TRUE(room.call<ReplaceJoints>("replace_joints", with_module())->success);
  cycle(plugin, joints);
  EXPECT_NE(plugin.command("joint8/effort"), 0.0);
  EXPECT_EQ(plugin.controller->arm().live().payloads().size(), 1U);
}

}  // namespace
}  // namespace dyn_controllers::test
