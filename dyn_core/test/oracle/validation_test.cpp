// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/oracle/validation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dyn_core/registry.hpp"
#include "support/impossible.hpp"
#include "support/random_robot.hpp"
#include "support/robots.hpp"

namespace dyn::oracle {
namespace {

const AlgorithmResult& result(const ValidationReport& report, const std::string& kind, const std::string& name) {
  const auto it = std::find_if(report.results.begin(), report.results.end(),
                               [&](const AlgorithmResult& r) { return r.kind == kind && r.name == name; });
  EXPECT_NE(it, report.results.end()) << kind << ' ' << name;
  return *it;
}

TEST(Validation, EveryAlgorithmAgreesWithPinocchioOnTheRobotsWithNames) {
  for (const auto& [name, robot] : test::robots_for_tests()) {
    const ValidationReport report = validate(Model::build(robot), 5, 1);
    for (const AlgorithmResult& r : report.results) {
      EXPECT_TRUE(r.pass()) << name << ' ' << r.kind << ' ' << r.name << ": " << r.error << " > " << r.tolerance;
    }
  }
}

TEST(Validation, EveryAlgorithmAgreesWithPinocchioOnImpossibleInertias) {
  for (const char* name : test::impossible_arms) {
    for (const bool armature : {false, true}) {
      ModelOptions options;
      options.armature = armature;
      options.allow_impossible_inertia = true;
      const ValidationReport report = validate(Model::build(test::impossible_arm(name), options), 20, 1);
      EXPECT_FALSE(report.results.empty());
      for (const AlgorithmResult& r : report.results) {
        EXPECT_TRUE(r.pass()) << name << ' ' << r.kind << ' ' << r.name << ": " << r.error << " > " << r.tolerance;
      }
    }
  }
}

TEST(Validation, EveryAlgorithmAgreesWithPinocchioOnRobotsWithRotors) {
  test::Rng rng(9);
  for (int k = 0; k < 6; ++k) {
    const RobotDescription robot =
        test::random_robot(rng, {.joints = 4 + k, .serial = k % 2 == 0, .mimic = k % 3 == 0, .rotors = true});
    const Model model = Model::build(robot, {.armature = true});
    EXPECT_NE(model.find_link(robot.joints.back().name + "_rotor") == nullptr, robot.joints.back().rotor.has_value());
    const ValidationReport report = validate(model, 5, 1);
    EXPECT_FALSE(report.results.empty());
    for (const AlgorithmResult& r : report.results) {
      EXPECT_TRUE(r.pass()) << k << ' ' << r.kind << ' ' << r.name << ": " << r.error << " > " << r.tolerance;
    }
  }
}

TEST(Validation, EveryAlgorithmIsReported) {
  test::Rng rng(2);
  const ValidationReport report = validate(Model::build(test::random_robot(rng, {.joints = 8})), 3, 1);
  EXPECT_TRUE(report.pass());
  EXPECT_EQ(report.states.size(), 3U);
  for (const auto name : AlgorithmList<JsimAlgorithms<double>>::names) (void)result(report, "jsim", std::string(name));
  for (const auto name : AlgorithmList<CoriolisAlgorithms<double>>::names) {
    (void)result(report, "coriolis", std::string(name));
  }
  for (const auto name : AlgorithmList<InverseAlgorithms<double>>::names) {
    (void)result(report, "inverse", std::string(name));
  }
  for (const auto name : AlgorithmList<ForwardAlgorithms<double>>::names) {
    (void)result(report, "forward", std::string(name));
  }
  for (const char* name : {"dtau/dq", "dtau/dv", "dqdd/dq", "dqdd/dv", "dqdd/dtau"}) {
    (void)result(report, "derivative", name);
  }
  for (const char* name : {"Y", "Y p"}) (void)result(report, "regressor", name);
}

TEST(Validation, TheSameSeedGivesTheSameReport) {
  test::Rng rng(2);
  const Model model = Model::build(test::random_robot(rng, {.joints = 6}));
  EXPECT_EQ(validate(model, 2, 7).states.back().q, validate(model, 2, 7).states.back().q);
  EXPECT_NE(validate(model, 2, 7).states.back().q, validate(model, 2, 8).states.back().q);
}

// One wrong number in one link is seen in M, C, g, the inverse and the forward dynamics, in their derivatives and in
// Lambda and M^-1; only Y and the motion of frames do not depend on it.
TEST(Validation, CatchesAWrongInertia) {
  test::Rng rng(4);
  const RobotDescription robot = test::random_robot(rng, {.joints = 6, .serial = true, .every_type = false});
  RobotDescription wrong = robot;
  wrong.links[4].inertial->com_m.x() += 1e-6;
  PinocchioModel oracle(wrong);
  const ValidationReport report = validate(Model::build(robot), oracle, 3, 1);
  EXPECT_FALSE(report.pass());
  for (const AlgorithmResult& r : report.results) {
    const bool kinematics = r.kind == "frame" && r.name != "Lambda";
    EXPECT_EQ(r.pass(), r.name == "Y" || kinematics) << r.kind << ' ' << r.name << ' ' << r.error;
  }
}

TEST(Validation, ASingularInertiaIsSaidAndPassesWhenForwardDynamicsSaysSo) {
  test::Rng rng(3);
  RobotDescription robot = test::random_robot(rng, {.joints = 4, .serial = true, .every_type = false});
  robot.links.back().inertial.reset();
  const ValidationReport report = validate(Model::build(robot), 3, 1);
  EXPECT_TRUE(report.pass());
  ASSERT_EQ(report.notes.size(), 2U);
  EXPECT_NE(report.notes[0].find("joint4"), std::string::npos);
}

// As random_state() promises: a turn and 2 rad/s, or a metre and 1 m/s; they come near these numbers.
TEST(Validation, StatesOfJointsWithoutLimitsAreOfThatSize) {
  RobotDescription robot;
  robot.name = "free";
  robot.links = {{"base", {}}, {"arm", Inertial{1.0, Vec3d::Zero(), Mat3d::Identity()}}};
  JointDescription joint;
  joint.name = "joint";
  joint.parent_link = "base";
  joint.child_link = "arm";
  robot.joints = {joint};
  for (const bool turns : {true, false}) {
    robot.joints[0].type = turns ? JointType::continuous : JointType::prismatic;
    const Model model = Model::build(robot);
    double position = 0.0, speed = 0.0, effort = 0.0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const State state = random_state(model, seed);
      position = std::max(position, std::abs(state.q[0]));
      speed = std::max(speed, std::abs(state.v[0]));
      effort = std::max(effort, std::abs(state.tau[0]));
    }
    const auto expect_just_below = [turns](double largest, double bound) {
      EXPECT_LE(largest, bound) << turns;
      EXPECT_GT(largest, 0.95 * bound) << turns;
    };
    expect_just_below(position, turns ? std::numbers::pi : 1.0);
    expect_just_below(speed, turns ? 2.0 : 1.0);
    expect_just_below(effort, 10.0);
  }
}

TEST(Validation, StatesAreWithinTheLimits) {
  test::Rng rng(6);
  const Model model = Model::build(test::random_robot(rng, {.joints = 30}));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const State state = random_state(model, seed);
    for (const Joint& joint : model.joints()) {
      const size_t i = joint.first_coordinate;
      if (!joint.description.limits || joint.degrees > 1) continue;
      EXPECT_LE(state.q[i], joint.description.limits->upper);
      EXPECT_GE(state.q[i], joint.description.limits->lower);
      EXPECT_LE(std::abs(state.v[i]), joint.description.limits->velocity);
      EXPECT_LE(std::abs(state.tau[i]), joint.description.limits->effort);
    }
  }
}

}  // namespace
}  // namespace dyn::oracle
