// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// From one controller to another: in motion without a kick, and at rest without a move.
#include <cmath>

#include "arm_watch.hpp"
#include "dyn_msgs/srv/push.hpp"
#include "loop_fixture.hpp"
#include "std_msgs/msg/float64_multi_array.hpp"

namespace dyn_controllers::test {
namespace {

class HandOverTest : public LoopTest {
 protected:
  std::shared_ptr<ArmWatch> add_watch() {
    auto added = std::make_shared<ArmWatch>();
    EXPECT_EQ(while_cycling([&] {
                return manager->add_controller(added, "arm_watch", "ArmWatch") != nullptr
                           ? manager->configure_controller("arm_watch")
                           : return_type::ERROR;
              }),
              return_type::OK);
    switch_to({"arm_watch"}, {});
    return added;
  }
};

// An interface that only changes hands keeps its command, and brakes know their limits: no kick, in full motion.
TEST_F(HandOverTest, AHandOverInMotionDoesNotKick) {
  bring_up({{"gravity_compensation", "dyn_controllers/GravityCompensationController"}});
  const auto watch = add_watch();
  send_goal(0.8, 1);
  cycles(450);
  double jump = 0.0;
  const auto smooth_cycles = [&](int count) {
    for (int i = 0; i < count && !HasFatalFailure(); ++i) {
      const std::vector<double> before = watch->v;
      cycle();
      for (size_t k = 0; k < 7; ++k) jump = std::max(jump, std::abs(watch->v[k] - before[k]));
    }
  };
  smooth_cycles(10);
  ASSERT_GT(std::abs(watch->v[0]), 0.5) << "it is in motion";
  switch_to({"gravity_compensation"}, {"joint_trajectory_controller", "computed_torque_controller"});
  smooth_cycles(20);
  switch_to({"computed_torque_controller"}, {"gravity_compensation"});
  smooth_cycles(20);
  switch_to({}, {"computed_torque_controller"});
  smooth_cycles(500);
  EXPECT_TRUE(watch->breach.empty()) << watch->breach;
  EXPECT_LT(jump, 1.0) << "30 N m at a wrist of 0.045 kg m^2 make 0.67";
  std::printf("hand-overs in motion: at most %.3g of the effort limits, %.3g rad/s a cycle\n", watch->strongest, jump);
}

// What joint_trajectory_controller finds in the reference interfaces is where it begins: not where the arm was before
// it was guided, whoever is activated first.
class GuidedTest : public HandOverTest {
 protected:
  const std::string computed_ = "computed_torque_controller", trajectory_ = "joint_trajectory_controller";

  void bring_up_guiding() {
    bring_up({{"gravity_compensation", "dyn_controllers/GravityCompensationController"},
              {"position_controller", "forward_command_controller/ForwardCommandController"}});
    watch = add_watch();
    cycles(100);
  }
  // By a force on the tool until some joint is a radian on, then left alone until it rests.
  void guide(double force_N) {
    const std::vector<double> begin = watch->q;
    const auto way = [&] {
      double most = 0.0;
      for (size_t k = 0; k < 7; ++k) most = std::max(most, std::abs(watch->q[k] - begin[k]));
      return most;
    };
    dyn_msgs::srv::Push::Request push;
    push.link = "tool0";
    push.force.y = force_N;
    push.duration = rclcpp::Duration::from_seconds(20.0);
    ASSERT_TRUE(call<dyn_msgs::srv::Push>("/simulated_arm/push", push)->success);
    for (int i = 0; i < 20000 && way() < 1.0; ++i) cycle();
    ASSERT_GT(way(), 0.99);
    push.force.y = 0.0;
    ASSERT_TRUE(call<dyn_msgs::srv::Push>("/simulated_arm/push", push)->success);
    rest();
  }
  void rest() {
    const auto moves = [&] {
      return std::any_of(watch->v.begin(), watch->v.end(), [](double v) { return std::abs(v) > 1e-4; });
    };
    for (int i = 0; i < 30000 && (i < 100 || moves()); ++i) cycle();
    ASSERT_FALSE(moves());
  }
  void expect_it_stays(const std::vector<std::string>& on, const std::vector<std::string>& off) {
    watch->forget();
    const std::vector<double> begin = watch->q;
    switch_to(on, off);
    double jump = 0.0;
    for (int i = 0; i < 2000 && !HasFatalFailure(); ++i) {
      cycle();
      for (size_t k = 0; k < 7; ++k) jump = std::max(jump, std::abs(watch->q[k] - begin[k]));
    }
    EXPECT_LT(jump, 1e-3) << on.front() << " first";
    EXPECT_TRUE(watch->breach.empty()) << watch->breach;
    std::printf("%s first: %.3g rad, %.3g of the velocity limits\n", on.front().c_str(), jump, watch->fastest);
  }
  std::shared_ptr<ArmWatch> watch;
};

TEST_F(GuidedTest, TheArmStaysWhereItWasGuidedTo) {
  bring_up_guiding();
  for (const bool trajectory_first : {true, false}) {
    switch_to({"gravity_compensation"}, {trajectory_, computed_});
    guide(trajectory_first ? 25.0 : -25.0);
    const std::vector<std::string> on = trajectory_first ? std::vector<std::string>{trajectory_, computed_}
                                                         : std::vector<std::string>{computed_, trajectory_};
    expect_it_stays(on, {"gravity_compensation"});
  }
}

TEST_F(GuidedTest, TheArmStaysWhereAPositionControllerLeftIt) {
  bring_up_guiding();
  switch_to({"position_controller"}, {trajectory_, computed_});
  const auto commands = user->create_publisher<std_msgs::msg::Float64MultiArray>("/position_controller/commands", 1);
  ASSERT_TRUE(spin_until([&] { return commands->get_subscription_count() > 0; }));
  std_msgs::msg::Float64MultiArray command;
  command.data = watch->q;
  for (int i = 0; i < 250; ++i) {
    command.data[0] += 0.002;
    commands->publish(command);
    executor->spin_some();
    cycles(10);
  }
  rest();
  ASSERT_GT(watch->q[0], 0.45);
  expect_it_stays({trajectory_, computed_}, {"position_controller"});
}

// After ~/reference only joint_trajectory_controller is activated: the controller below is started anew by itself.
TEST_F(GuidedTest, TheArmStaysWhereAReferenceLeftIt) {
  bring_up_guiding();
  switch_to({}, {trajectory_});
  trajectory_msgs::msg::JointTrajectoryPoint point;
  point.positions = watch->q;
  point.positions[0] += 0.5;
  const auto points =
      user->create_publisher<trajectory_msgs::msg::JointTrajectoryPoint>("/computed_torque_controller/reference", 1);
  ASSERT_TRUE(spin_until([&] { return points->get_subscription_count() > 0; }));
  for (int i = 0; i < 150; ++i) {
    points->publish(point);
    executor->spin_some();
    cycles(20);
  }
  ASSERT_GT(watch->q[0], 0.4);
  expect_it_stays({trajectory_}, {});
}

}  // namespace
}  // namespace dyn_controllers::test
