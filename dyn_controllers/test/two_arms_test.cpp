// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Two arms in one robot_description, with a hardware and a controller each: both models have the whole tree, each
// controls its seven joints and takes the other's motion as it is.
#include <cmath>

#include "controller_manager_fixture.hpp"
#include "several_arms.hpp"

namespace dyn_controllers::test {
namespace {

std::string parameters_of(const std::string& side) {
  std::ostringstream text;
  text << torque_parameters_of(side) << side
       << "_jtc:\n  ros__parameters:\n    command_interfaces: [position, velocity, acceleration]\n"
       << "    state_interfaces: [position, velocity]\n    joints: [";
  for (const std::string& joint : joints_of(side)) text << joint << ", ";
  text << "]\n    command_joints: [";
  for (const std::string& joint : joints_of(side)) text << side << '/' << joint << ", ";
  text << "]\n";
  return text.str();
}

class TwoArmsTest : public ManagerTest {
 protected:
  void SetUp() override {
    const auto file = std::filesystem::temp_directory_path() / ("two_arms_" + std::to_string(getpid()) + ".yaml");
    std::ofstream(file) << parameters_of("left") << parameters_of("right");
    const std::string type = "dyn_controllers/ComputedTorqueController";
    const std::string jtc = "joint_trajectory_controller/JointTrajectoryController";
    make_manager(several_arms({"left", "right"}),
                 {{"left", type}, {"right", type}, {"left_jtc", jtc}, {"right_jtc", jtc}}, file.string());
  }
  std::shared_ptr<TorqueController> side(const std::string& name) {
    return std::dynamic_pointer_cast<TorqueController>(controller(name));
  }
};

// The left one swings fast; the right one is told to stand still, and later the other way round.
TEST_F(TwoArmsTest, EachIsControlledByItself) {
  switch_to({"left", "right"}, {});
  ASSERT_NE(side("left"), nullptr);
  for (const char* moving : {"left", "right"}) {
    const auto arm = side(moving);
    const auto points =
        user->create_publisher<trajectory_msgs::msg::JointTrajectoryPoint>('/' + std::string(moving) + "/reference", 1);
    trajectory_msgs::msg::JointTrajectoryPoint point;
    point.positions.assign(7, 0.4);
    ASSERT_TRUE(
        publish_until(*points, point, [&] { return arm->arm().reference_q()[arm->arm().coordinate(0)] == 0.4; }));
    cycles(1500);
    for (size_t k = 0; k < 7; ++k) {
      EXPECT_NEAR(arm->arm().q()[arm->arm().coordinate(k)], 0.4, 1e-4) << moving << ' ' << k;
    }
    if (moving == std::string("left")) {
      const auto other = side("right");
      for (size_t k = 0; k < 7; ++k) EXPECT_NEAR(other->arm().q()[other->arm().coordinate(k)], 0.0, 1e-6);
    }
  }
}

// joint_trajectory_controller above each: both move at once, along trajectories of their own.
TEST_F(TwoArmsTest, EachFollowsATrajectoryOfItsOwn) {
  switch_to({"left", "right", "left_jtc", "right_jtc"}, {});
  const std::map<std::string, double> goals{{"left", 0.6}, {"right", -0.4}};
  for (const auto& [name, size] : goals) {
    const auto publisher =
        user->create_publisher<trajectory_msgs::msg::JointTrajectory>('/' + name + "_jtc/joint_trajectory", 1);
    trajectory_msgs::msg::JointTrajectory goal;
    goal.joint_names = joints_of(name);
    goal.points.resize(1);
    goal.points[0].positions.assign(7, size);
    goal.points[0].velocities.assign(7, 0.0);
    goal.points[0].accelerations.assign(7, 0.0);
    goal.points[0].time_from_start.sec = 2;
    const auto arm = side(name);
    ASSERT_TRUE(publish_until(*publisher, goal,
                              [&] { return std::abs(arm->arm().reference_q()[arm->arm().coordinate(0)]) > 1e-9; }));
  }
  double largest = 0.0;
  for (int i = 0; i < 2500 && !HasFatalFailure(); ++i) {
    std::map<std::string, std::vector<double>> wanted;  // by the next cycle
    for (const auto& [name, size] : goals) wanted[name] = side(name)->arm().reference_q();
    cycle();
    for (const auto& [name, size] : goals) {
      const Arm& arm = side(name)->arm();
      for (size_t k = 0; k < 7; ++k) {
        largest = std::max(largest, std::abs(arm.q()[arm.coordinate(k)] - wanted[name][arm.coordinate(k)]));
      }
    }
  }
  for (const auto& [name, size] : goals) {
    const Arm& arm = side(name)->arm();
    for (size_t k = 0; k < 7; ++k) EXPECT_NEAR(arm.q()[arm.coordinate(k)], size, 1e-6) << name << ' ' << k;
  }
  EXPECT_LT(largest, 1e-5);
  std::printf("two arms: largest error %.3g rad\n", largest);
}

// One controller goes; its arm brakes where it is, and the other does not notice.
TEST_F(TwoArmsTest, OneGoesAndTheOtherStays) {
  switch_to({"left", "right"}, {});
  cycles(100);
  switch_to({}, {"left"});
  cycles(500);
  const auto right = side("right");
  for (size_t i = 0; i < 14; ++i) EXPECT_NEAR(right->arm().q()[i], 0.0, 1e-4);
}

}  // namespace
}  // namespace dyn_controllers::test
