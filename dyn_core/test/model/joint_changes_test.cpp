// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What becomes of each coordinate when another robot takes the place of the one in use.
#include "dyn_core/model/joint_changes.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"

namespace dyn {
namespace {

// A chain of hinges.
Model chain(const std::vector<std::string>& joints) {
  RobotDescription robot;
  robot.name = robot.source = "chain";
  robot.links = {{"base", {}}};
  for (const std::string& name : joints) {
    JointDescription joint;
    joint.name = name;
    joint.type = JointType::continuous;
    joint.parent_link = robot.links.back().name;
    joint.child_link = "link of " + name;
    robot.links.push_back({joint.child_link, Inertial{1.0, Vec3d::Zero(), Mat3d::Identity()}});
    robot.joints.push_back(joint);
  }
  return Model::build(robot);
}

TEST(JointChanges, CoordinatesContinueByTheMapAndByTheirNames) {
  const Model before = chain({"a", "b", "c"}), after = chain({"c", "x", "y"});
  // a goes on as x, b ends, c keeps its name in another place, and y is new.
  const CoordinateMap map{{"a", "x"}, {"b", std::nullopt}, {"c", "c"}};
  EXPECT_EQ(carried_coordinates(before, after, map), (std::vector<int>{2, 0, -1}));
  EXPECT_EQ(carried_coordinates(before, chain({"a", "b", "z"}), {{"c", std::nullopt}}), (std::vector<int>{0, 1, -1}));
  EXPECT_EQ(carried_coordinates(before, before, {}), (std::vector<int>{0, 1, 2}));
}

TEST(JointChanges, WhatNeitherGoesOnNorEndsIsNamed) {
  const Model before = chain({"a", "b"}), after = chain({"a", "x"});
  const std::string said = test::error_of([&] { (void)carried_coordinates(before, after, {}); });
  EXPECT_NE(said.find("joint 'b' is gone"), std::string::npos) << said;
}

}  // namespace
}  // namespace dyn
