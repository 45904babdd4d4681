// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Descriptions that a program makes, not a file: numbers that are none are named as what they are.
#include "dyn_core/model/validate.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dyn_core/model/model.hpp"
#include "support/error_of.hpp"

namespace dyn {
namespace {

using test::error_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

RobotDescription pendulum() {
  RobotDescription robot;
  robot.name = "pendulum";
  robot.links = {{"base", {}}, {"bob", Inertial{1.0, Vec3d(0.0, 0.0, -0.5), Mat3d(0.01 * Mat3d::Identity())}}};
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.type = JointType::continuous;
  hinge.parent_link = "base";
  hinge.child_link = "bob";
  robot.joints = {hinge};
  return robot;
}

TEST(Validate, LengthsThatAreNoNumbersAreNotTakenForLongOnes) {
  RobotDescription robot = pendulum();
  EXPECT_EQ(error_of([&] { (void)Model::build(robot); }), "");
  robot.links[1].inertial->com_m.y() = nan;
  EXPECT_EQ(error_of([&] { (void)Model::build(robot); }), "pendulum: link 'bob': its centre of mass contains nan");
  robot = pendulum();
  robot.joints[0].parent_T_joint.p_m.z() = -inf;
  EXPECT_EQ(error_of([&] { (void)Model::build(robot); }), "pendulum: joint 'hinge': its origin contains -inf");
}

}  // namespace
}  // namespace dyn
