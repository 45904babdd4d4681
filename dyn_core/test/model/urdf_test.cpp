// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Good URDFs: every number arrives where it belongs.
#include "dyn_core/model/urdf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/numeric/residual.hpp"

namespace dyn {
namespace {

constexpr const char* two_joints = R"(<?xml version="1.0"?>
<robot name="two" version="1.0">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 -0.2 0.3" rpy="0 0 1.5707963267948966"/>
      <mass value="2.5"/>
      <inertia ixx="0.03" ixy="0.001" ixz="-0.002" iyy="0.02" iyz="0.0005" izz="0.04"/>
    </inertial>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <link name="lower"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
    <axis xyz="0 0.6 0.8"/>
    <limit lower="-1.5" upper="+2e0" effort="30" velocity="4"/>
    <dynamics damping="0.5" friction="0.25" armature="0.125"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/><child link="lower"/>
    <limit effort="10" velocity="0.5" lower="0" upper="0.4"/>
    <mimic joint="shoulder" multiplier="-2" offset="0.1"/>
    <dynamics armature="3"/>
  </joint>
</robot>)";

TEST(Urdf, NumbersArriveWhereTheyBelong) {
  const RobotDescription robot = parse_urdf(two_joints, "two.urdf");
  EXPECT_EQ(robot.name, "two");
  ASSERT_EQ(robot.links.size(), 3u);
  ASSERT_EQ(robot.joints.size(), 2u);
  EXPECT_FALSE(robot.links[0].inertial);
  const Inertial& upper = robot.links[1].inertial.value();
  EXPECT_EQ(upper.mass_kg, 2.5);
  EXPECT_TRUE(upper.com_m.isApprox(Vec3d(0.1, -0.2, 0.3)));
  // A quarter turn about z: x' = y, y' = -x.
  Mat3d turned;
  turned << 0.02, -0.001, -0.0005, -0.001, 0.03, -0.002, -0.0005, -0.002, 0.04;
  EXPECT_LT(largest_entry(upper.inertia_com_kgm2 - turned), 1e-16);

  const JointDescription& shoulder = robot.joints[0];
  EXPECT_EQ(shoulder.type, JointType::revolute);
  EXPECT_EQ(shoulder.parent_link, "base");
  EXPECT_EQ(shoulder.child_link, "upper");
  EXPECT_TRUE(shoulder.axis.isApprox(Vec3d(0, 0.6, 0.8), 1e-15));
  EXPECT_TRUE(shoulder.parent_T_joint.p_m.isApprox(Vec3d(1, 2, 3)));
  EXPECT_TRUE(shoulder.parent_T_joint.R.col(0).isApprox(Vec3d::UnitY(), 1e-15));
  EXPECT_EQ(shoulder.limits.value().lower, -1.5);
  EXPECT_EQ(shoulder.limits.value().upper, 2.0);
  EXPECT_EQ(shoulder.limits.value().effort, 30.0);
  EXPECT_EQ(shoulder.limits.value().velocity, 4.0);
  EXPECT_EQ(shoulder.damping, 0.5);
  EXPECT_EQ(shoulder.friction, 0.25);
  EXPECT_EQ(shoulder.armature, 0.125);

  const JointDescription& slide = robot.joints[1];
  EXPECT_EQ(slide.type, JointType::prismatic);
  EXPECT_EQ(slide.axis, Vec3d::UnitX());
  EXPECT_EQ(slide.mimic.value().joint, "shoulder");
  EXPECT_EQ(slide.mimic.value().multiplier, -2.0);
  EXPECT_EQ(slide.mimic.value().offset, 0.1);
  EXPECT_EQ(slide.armature, 3.0);
  EXPECT_TRUE(robot.warnings.empty());
}

}  // namespace
}  // namespace dyn
