// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a scenario's report says of the states that the controllers publish: figures, and whether the arm followed.
#include "dyn_controllers/scenario_record.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dyn_sim/run/config.hpp"

namespace dyn_controllers::test {
namespace {

using dyn_msgs::msg::ControllerState, dyn_msgs::msg::TaskState;

dyn::sim::RunConfig configured(const std::string& controller, const std::string& trajectory) {
  return dyn::sim::parse_run_config("robot: arm7\nduration_s: 4\nstart: [0, 0.5, 0, -1.5, 0, 1.1, 0]\ncontroller: {" +
                                        controller + "}\ntrajectory: {" + trajectory + "}\n",
                                    "scenario.yaml");
}

dyn::sim::ArmRecord ended(const ScenarioRecord& record) {
  dyn::sim::Ending ending;
  ending.end_s = ending.planned_s = 4.0;
  return record.result(ending);
}

rclcpp::Time at(double time_s) { return rclcpp::Time(static_cast<std::int64_t>(1e9 * (100.0 + time_s)), RCL_ROS_TIME); }

// Why a run failed in which joint 1 moved this much more than its reference.
std::string failure_with_overshoot(double share) {
  const auto config = configured("type: computed_torque, gains: {default: {p: 400, d: 40}}",
                                 "type: sinusoid, centre: [0, 0.5, 0, -1.5, 0, 1.1, 0], amplitude: 0");
  const dyn::sim::ArmConfig& arm = config.arms.front();
  const std::vector<std::string> joints = dyn::Model::build(arm.description).coordinate_names();
  ScenarioRecord record(arm, joints);
  record.begin_at(at(0.0));
  for (int k = 0; k < 200; ++k) {
    const double time_s = 0.02 * k, reference = 0.5 * std::sin(std::numbers::pi * time_s);
    ControllerState state;
    state.header.stamp = at(time_s);
    state.joint_names = joints;
    state.jsim_algorithm = "crba";
    for (auto* values : {&state.position, &state.velocity, &state.reference_position, &state.reference_velocity,
                         &state.reference_acceleration, &state.position_error, &state.velocity_error,
                         &state.effort_inertia, &state.effort_coriolis, &state.effort_gravity, &state.effort_friction,
                         &state.effort_feedback, &state.effort_applied, &state.effort_external}) {
      values->assign(joints.size(), 0.0);
    }
    state.reference_position[0] = reference;
    state.position[0] = (1.0 + share) * reference;
    state.position_error[0] = reference - state.position[0];
    record.add(state);
  }
  const dyn::sim::ArmRecord result = ended(record);
  EXPECT_EQ(result.rows, 200);
  EXPECT_NEAR(result.tracking_max, 0.5 * share, 1e-12);
  return result.failures.empty() ? "" : result.failures.front().cause;
}

// A third of the reference's motion is the limit, not of the joint's own.
TEST(ScenarioRecord, AJointThatGoesMuchTooFarDidNotFollow) {
  EXPECT_EQ(failure_with_overshoot(0.3), "");
  EXPECT_NE(failure_with_overshoot(0.4).find("joint 'joint1' did not follow"), std::string::npos);
}

TEST(ScenarioRecord, DistanceAndAngleOfTheFrameAreMeans) {
  const auto config = configured("type: task_space, frame: tool0", "type: poses, poses: [{at: 1, by: [0, 0.1, 0]}]");
  ScenarioRecord record(config.arms.front(), {});
  const auto error = [&](double time_s, double distance, double angle) {
    TaskState state;
    state.header.stamp = at(time_s);
    state.error.linear.y = distance;
    state.error.angular.z = -angle;
    record.add(state);
  };
  record.begin_at(at(0.0));
  error(-1.0, 9.0, 2.0);  // before the scenario
  error(1.0, 0.03, 0.4);
  error(2.0, 0.04, 0.3);
  const dyn::sim::ArmRecord result = ended(record);
  EXPECT_NEAR(result.tracking_rms, std::sqrt(0.5 * (0.03 * 0.03 + 0.04 * 0.04)), 1e-12);
  EXPECT_NEAR(result.angle_rms, std::sqrt(0.5 * (0.3 * 0.3 + 0.4 * 0.4)), 1e-12);
  EXPECT_EQ(result.tracking_max, 0.04);
  EXPECT_EQ(result.angle_max, 0.4);
}

// An impedance yields to a wall, and is judged again a second later.
TEST(ScenarioRecord, AFrameFarFromItsTargetFailsUnlessAWallHoldsIt) {
  const auto config = configured("type: task_space, frame: tool0, task: {mode: impedance}",
                                 "type: poses, poses: [{at: 1, by: [0, 0.1, 0]}]");
  const auto failures = [&](bool held, double until_s) {
    ScenarioRecord record(config.arms.front(), {});
    record.begin_at(at(0.0));
    geometry_msgs::msg::WrenchStamped wall;
    for (int k = 0; k < 4000; ++k) {
      const double time_s = 1e-3 * k;
      wall.wrench.force.z = held && time_s > 1.0 && time_s < until_s ? 20.0 : 0.0;
      record.add(wall);
      TaskState state;
      state.header.stamp = at(time_s);
      state.error.linear.z = time_s > 1.0 && time_s < 3.0 ? 0.2 : 0.0;
      record.add(state);
    }
    return ended(record).failures;
  };
  ASSERT_EQ(failures(false, 0.0).size(), 1U);
  EXPECT_NE(failures(false, 0.0).front().cause.find("the frame was up to 0.2 m away from its target"),
            std::string::npos);
  EXPECT_TRUE(failures(true, 2.5).empty());
  ASSERT_EQ(failures(true, 1.5).size(), 1U);
  EXPECT_NEAR(failures(true, 1.5).front().time_s, 2.5, 0.01);
}

}  // namespace
}  // namespace dyn_controllers::test
