// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// ModelOptions::allow_impossible_inertia accepts inertias that break the triangle inequality, and nothing else. That
// every algorithm, the energy oracle and Pinocchio agree on such arms is in test/conformance and test/oracle.
#include <gtest/gtest.h>

#include <cmath>

#include "dyn_core/model/model.hpp"
#include "dyn_core/model/payload.hpp"
#include "support/impossible.hpp"

namespace dyn {
namespace {

std::string refusal(const RobotDescription& robot, const ModelOptions& options) {
  try {
    (void)Model::build(robot, options);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

ModelOptions allowed() {
  ModelOptions options;
  options.allow_impossible_inertia = true;
  return options;
}

TEST(ImpossibleInertia, IsRefusedUnlessItIsAllowedAndThenWarnedAbout) {
  const std::pair<const char*, const char*> arms[] = {{"puma560", "joint3"}, {"sia10", "joint7"}};
  for (const auto& [name, joint] : arms) {
    const RobotDescription robot = test::impossible_arm(name);
    const std::string refused = refusal(robot, {});
    EXPECT_NE(refused.find(std::string("joint '") + joint + "'"), std::string::npos) << refused;
    EXPECT_NE(refused.find("exceeds the sum of the others (accepted with allow_impossible_inertia)"),
              std::string::npos);
    const Model model = Model::build(robot, allowed());
    int warned = 0;
    for (const std::string& warning : model.warnings()) {
      if (warning.find("impossible inertia") == std::string::npos) continue;
      ++warned;
      EXPECT_NE(warning.find(joint), std::string::npos) << warning;
    }
    EXPECT_EQ(warned, 1) << name;
  }
}

// Moments (1, 1, 2) are those of a flat body; with 1 % more in the last it is impossible, with 1 % less possible.
TEST(ImpossibleInertia, OnePercentTooMuchIsTooMuch) {
  const auto with = [](double moment) {
    RobotDescription robot = test::impossible_arm("sia10");
    for (LinkDescription& link : robot.links) {
      if (link.inertial) link.inertial->inertia_com_kgm2 = Vec3d(1.0, moment, 1.0).asDiagonal();
    }
    return robot;
  };
  EXPECT_EQ(refusal(with(1.98), {}), "");
  EXPECT_NE(refusal(with(2.02), {}).find("exceeds the sum of the others"), std::string::npos);
  EXPECT_EQ(refusal(with(2.02), allowed()), "");
}

TEST(ImpossibleInertia, ThereIsAWarningForEachBody) {
  RobotDescription robot = test::impossible_arm("sia10");
  for (LinkDescription& link : robot.links) {
    if (link.inertial) link.inertial->inertia_com_kgm2 = Vec3d(0.1, 0.2, 0.5).asDiagonal();
  }
  EXPECT_EQ(Model::build(robot, allowed()).warnings().size(), 7U);
}

TEST(ImpossibleInertia, NothingElseIsRelaxed) {
  const auto with = [](double mass, const Mat3d& inertia) {
    RobotDescription robot = test::impossible_arm("sia10");
    robot.links.back().inertial->mass_kg = mass;
    robot.links.back().inertial->inertia_com_kgm2 = inertia;
    return refusal(robot, allowed());
  };
  const Mat3d good = Vec3d(0.1, 0.1, 0.1).asDiagonal();
  Mat3d skewed = good;
  skewed(0, 1) = 0.01;
  EXPECT_EQ(with(1.0, good), "");
  EXPECT_NE(with(1.0, Vec3d(-0.1, 0.1, 0.1).asDiagonal()).find("indefinite"), std::string::npos);
  EXPECT_NE(with(-1.0, good).find("negative"), std::string::npos);
  EXPECT_NE(with(1.0, skewed).find("not symmetric"), std::string::npos);
  EXPECT_NE(with(1.0, Vec3d(0.1, 0.1, std::nan("")).asDiagonal()).find("nan"), std::string::npos);
  EXPECT_NE(with(std::nan(""), good).find("nan"), std::string::npos);
  EXPECT_THROW((void)Payload::rigid("box", "link7", {1.0, Vec3d::Zero(), Vec3d(0.1, 0.1, 0.5).asDiagonal()}),
               ModelError);
}

// A semidefinite inertia is taken either way, with a warning.
TEST(ImpossibleInertia, SemidefiniteIsWarnedAboutEitherWay) {
  RobotDescription robot = test::impossible_arm("sia10");
  robot.links.back().inertial->inertia_com_kgm2 = Vec3d(0.1, 0.1, 0.0).asDiagonal();
  for (const ModelOptions& options : {ModelOptions{}, allowed()}) {
    const Model model = Model::build(robot, options);
    ASSERT_EQ(model.warnings().size(), 1U);
    EXPECT_NE(model.warnings()[0].find("no inertia about one of its axes"), std::string::npos);
  }
}

}  // namespace
}  // namespace dyn
