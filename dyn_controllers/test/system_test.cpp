// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The whole loop on a real controller manager: joint_trajectory_controller above the computed-torque controller above
// the simulated arm.
#include <cmath>
#include <random>

#include "arm_watch.hpp"
#include "controller_manager_msgs/srv/set_hardware_component_state.hpp"
#include "dyn_msgs/msg/controller_state.hpp"
#include "loop_fixture.hpp"
#include "pendulum.hpp"

namespace dyn_controllers::test {
namespace {

TEST_F(LoopTest, AGoalIsTrackedBelowTenMicroradians) {
  bring_up();
  send_goal(0.8, 2);
  track(2300);
  EXPECT_GT(moved, 0.75);
  EXPECT_LT(rms(), 1e-5);
  RecordProperty("rms_rad", std::to_string(rms()));
  std::printf("tracking: rms %.3g rad, largest %.3g rad\n", rms(), largest);
}

#ifdef DYN_HAS_MUJOCO
// Another engine behind the same hardware: MuJoCo's steps of half a millisecond.
TEST_F(LoopTest, AGoalIsTrackedOnMuJoCoToo) {
  Extras extras;
  extras.hardware_parameters = "<param name='engine'>mujoco</param>";
  bring_up({}, extras);
  send_goal(0.8, 2);
  track(2300);
  EXPECT_GT(moved, 0.75);
  EXPECT_LT(rms(), 1e-5);
  std::printf("tracking on MuJoCo: rms %.9g rad, largest %.9g rad\n", rms(), largest);
}
#endif

// A robot without effort commands: nothing is activated, and the arm stays braked.
TEST_F(ManagerTest, WhatTheHardwareDoesNotHaveIsNotClaimed) {
  std::string urdf = with_simulated_arm(arm7_urdf(), ready, {});
  const std::string effort = "<command_interface name='effort'/>";
  for (size_t at = urdf.find(effort); at != std::string::npos; at = urdf.find(effort)) urdf.erase(at, effort.size());
  const std::string name = "computed_torque_controller";
  make_manager(urdf, {{name, "dyn_controllers/ComputedTorqueController"}}, parameters_file({name}, {}));
  EXPECT_NE(while_cycling([&] {
              return manager->switch_controller({name}, {}, strict, true, rclcpp::Duration::from_seconds(10.0));
            }),
            return_type::OK);
  cycles(100);
  EXPECT_EQ(controller(name)->get_lifecycle_state().id(), State::PRIMARY_STATE_INACTIVE);
}

// A machine that is busy: one cycle in fifty comes 20 ms late on average, while the arm moves as fast as it may.
TEST_F(LoopTest, ALateLoopKeepsTheVelocityLimits) {
  bring_up();
  std::mt19937 random(1);
  std::exponential_distribution<double> lateness(1.0 / 0.02);
  std::uniform_real_distribution<double> chance(0.0, 1.0);
  const auto bounds = arm7_bounds();
  double fastest = 0.0;
  for (int goal = 0; goal < 4; ++goal) {
    send_goal(goal % 2 == 0 ? 0.5 : -0.4, 1);
    for (double left_s = 1.2; left_s > 0.0 && !HasFatalFailure();) {
      const auto elapsed =
          rclcpp::Duration::from_seconds(chance(random) < 0.02 ? 0.001 + std::min(0.1, lateness(random)) : 0.001);
      cycle_after(elapsed);
      left_s -= elapsed.seconds();
      for (size_t i = 0; i < 7; ++i) fastest = std::max(fastest, std::abs(computed->arm().v()[i]) / bounds[i].velocity);
    }
  }
  EXPECT_GT(fastest, 0.3);
  EXPECT_LE(fastest, 1.0);
  track(2000);
  largest = 0.0;
  track(200);
  EXPECT_LT(largest, 1e-3) << "and it is where it is to be";
}

TEST_F(LoopTest, AlgorithmsAreSwappedInMotion) {
  bring_up();
  send_goal(0.8, 2);
  const auto node = controller("computed_torque_controller")->get_node();
  for (const char* name : {"explicit", "gdahj", "denoc", "crba", "screw", "fused"}) {
    ASSERT_TRUE(node->set_parameter(rclcpp::Parameter("jsim_algorithm", name)).successful) << name;
    track(350);
  }
  EXPECT_GT(moved, 0.75);
  EXPECT_LT(rms(), 1e-5);
}

TEST_F(LoopTest, APayloadIsTakenOnAndOffInMotion) {
  bring_up();
  send_goal(0.8, 3);
  track(800);
  const double empty = rms();
  take_on(box());
  track(800);
  take_off("box");
  track(1700);
  EXPECT_GT(moved, 0.75);
  EXPECT_LT(empty, 1e-5);
  EXPECT_LT(largest, 1e-4);
}

// A pendulum on the flange: its joint is passive, its swing is read from the hardware, and the arm follows all the
// same.
TEST_F(LoopTest, AChainWithAJointOfItsOwnIsTakenOnAndOffInMotion) {
  Extras extras;
  extras.payload_joints = {"pendulum/swing"};
  bring_up({}, extras);
  send_goal(0.8, 3);
  track(700);
  const auto answer = take_on(pendulum_on_flange());
  ASSERT_TRUE(answer.success);
  EXPECT_EQ(answer.joint_names.back(), "pendulum/swing");
  track(900);
  EXPECT_GT(std::abs(computed->arm().v()[7]), 0.1) << "it swings";
  take_off("pendulum");
  track(1700);
  EXPECT_GT(moved, 0.75);
  EXPECT_LT(largest, 1e-4);
}

// Without the payload in the model the same arm is far off: the test above can fail.
TEST_F(LoopTest, APayloadThatTheControllerDoesNotKnowIsSeen) {
  bring_up();
  ASSERT_TRUE(call<AttachPayload>("/simulated_arm/attach_payload", box())->success);
  track(500);
  EXPECT_GT(largest, 1e-3);
}

TEST_F(LoopTest, TheArmIsBrakedWhenNobodyControlsIt) {
  bring_up();
  send_goal(0.8, 2);
  track(1000);  // in full motion
  switch_to({}, {"joint_trajectory_controller", "computed_torque_controller"});
  cycles(300);
  const auto stopped = watcher->q;
  cycles(1000);
  for (size_t i = 0; i < 7; ++i) EXPECT_NEAR(watcher->q[i], stopped[i], 1e-6);
  // And on again, from where it is, without a jump.
  switch_to({"computed_torque_controller", "joint_trajectory_controller"}, {});
  cycles(500);
  for (size_t i = 0; i < 7; ++i) EXPECT_NEAR(watcher->q[i], stopped[i], 1e-5);
}

TEST_F(LoopTest, SwitchesToAPositionControllerAndBackWithoutAJump) {
  bring_up({{"position_controller", "forward_command_controller/ForwardCommandController"}});
  cycles(100);
  switch_to({"position_controller"}, {"joint_trajectory_controller", "computed_torque_controller"});
  cycles(300);
  switch_to({"computed_torque_controller", "joint_trajectory_controller"}, {"position_controller"});
  track(300);
  EXPECT_LT(moved, 1e-4);
}

// The hardware fails in full motion: its controllers are deactivated, and it may be started again from where it braked.
TEST_F(LoopTest, AHardwareThatFailsTakesItsControllersDownAndComesBack) {
  Extras extras;
  extras.hardware_parameters = "<param name='fail_after'>3.0</param>";
  bring_up({}, extras);
  send_goal(0.8, 4);
  const auto active = [&](const std::string& name) {
    return controller(name)->get_lifecycle_state().id() == State::PRIMARY_STATE_ACTIVE;
  };
  may_fail = true;
  for (int i = 0; i < 5000 && active("computed_torque_controller"); ++i) cycle();
  EXPECT_FALSE(active("computed_torque_controller"));
  EXPECT_FALSE(active("joint_trajectory_controller"));
  EXPECT_GT(std::abs(computed->arm().v()[0]), 0.1) << "it was in motion";
  controller_manager_msgs::srv::SetHardwareComponentState::Request wanted;
  wanted.name = "simulated_arm";
  wanted.target_state.id = State::PRIMARY_STATE_ACTIVE;
  wanted.target_state.label = "active";
  executor->add_node(manager);
  const auto answer = while_cycling([&] {
    return call<controller_manager_msgs::srv::SetHardwareComponentState>(
        "/controller_manager/set_hardware_component_state", wanted);
  });
  ASSERT_TRUE(answer->ok);
  may_fail = false;
  switch_to({"computed_torque_controller", "joint_trajectory_controller"}, {});
  const auto begin = computed->arm().q();
  cycles(300);
  for (size_t i = 0; i < 7; ++i) EXPECT_NEAR(computed->arm().q()[i], begin[i], 1e-5);
}

// Deactivated, cleaned up, unloaded in motion, then loaded anew: it knows no payload any more, and carries on.
TEST_F(LoopTest, AControllerIsKilledAndRestarted) {
  bring_up();
  send_goal(0.8, 2);
  track(1000);
  switch_to({}, {"joint_trajectory_controller", "computed_torque_controller"});
  computed.reset();
  const std::string name = "computed_torque_controller";
  ASSERT_EQ(while_cycling([&] { return manager->unload_controller(name); }), return_type::OK);
  cycles(500);
  ASSERT_EQ(while_cycling([&] {
              return manager->load_controller(name, "dyn_controllers/ComputedTorqueController") != nullptr
                         ? manager->configure_controller(name)
                         : return_type::ERROR;
            }),
            return_type::OK);
  switch_to({name, "joint_trajectory_controller"}, {});
  computed = std::dynamic_pointer_cast<TorqueController>(controller(name));
  ASSERT_NE(computed, nullptr);
  squares = largest = 0.0;
  samples = 0;
  send_goal(0.4, 2);
  track(2200);
  EXPECT_NEAR(computed->arm().q()[0], 0.4, 1e-4);
  EXPECT_LT(rms(), 1e-5);
}

TEST_F(LoopTest, TheStateTopicHasTermsThatAddUp) {
  bring_up();
  dyn_msgs::msg::ControllerState state;
  const auto subscription = user->create_subscription<dyn_msgs::msg::ControllerState>(
      "/computed_torque_controller/controller_state", 1,
      [&](const dyn_msgs::msg::ControllerState::ConstSharedPtr& message) { state = *message; });
  send_goal(0.5, 1);
  ASSERT_TRUE(spin_until([&] {
    cycles(25);
    return state.joint_names.size() == 7 && std::abs(state.velocity[0]) > 0.1;
  }));
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(state.effort_demanded[i],
                state.effort_inertia[i] + state.effort_coriolis[i] + state.effort_gravity[i] +
                    state.effort_friction[i] + state.effort_feedback[i],
                1e-12);
    EXPECT_LT(std::abs(state.effort_external[i]), 0.5);
  }
  EXPECT_EQ(state.mode, dyn_msgs::msg::ControllerState::TRACKING);
  EXPECT_EQ(state.jsim_algorithm, "fused");
}

}  // namespace
}  // namespace dyn_controllers::test
