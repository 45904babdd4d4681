// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Good URDFs: every number arrives where it belongs.
#include "dyn_core/model/urdf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "dyn_core/model/payload.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/model/urdf_hardware.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "model/urdf_walk.hpp"
#include "model/urdfdom_check.hpp"

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
    <dynamics damping="0.5" friction="0.25" armature="0.125" offset="-0.5" stribeck="0.75" stribeck_velocity="0.0625"
      friction_negative="0.375"/>
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
  EXPECT_EQ(shoulder.friction_offset, -0.5);
  EXPECT_EQ(shoulder.stribeck, 0.75);
  EXPECT_EQ(shoulder.stribeck_velocity, 0.0625);
  EXPECT_EQ(shoulder.damping_negative, std::nullopt);
  EXPECT_EQ(shoulder.friction_negative, 0.375);

  const JointDescription& slide = robot.joints[1];
  EXPECT_EQ(slide.type, JointType::prismatic);
  EXPECT_EQ(slide.axis, Vec3d::UnitX());
  EXPECT_EQ(slide.mimic.value().joint, "shoulder");
  EXPECT_EQ(slide.mimic.value().multiplier, -2.0);
  EXPECT_EQ(slide.mimic.value().offset, 0.1);
  EXPECT_EQ(slide.armature, 3.0);
  EXPECT_TRUE(robot.warnings.empty());
}

// From the attribute, or from the <transmission> of ROS 1 or ROS 2; nothing without gear_ratio or rotor_axis.
TEST(Urdf, RotorsAreReadWhereTheyAreAskedFor) {
  const auto rotor = [](const std::string& attributes, const std::string& transmission = "") {
    std::string xml = two_joints;
    xml.insert(xml.find("armature=\"0.125\""), attributes + " ");
    xml.insert(xml.find("</robot>"), transmission);
    const RobotDescription robot = parse_urdf(xml, "two.urdf");
    EXPECT_FALSE(robot.joints[1].rotor);
    return robot.joints[0].rotor;
  };
  const std::string simple = "<type>transmission_interface/SimpleTransmission</type>";
  const std::string ros1 =
      "<transmission name='t'>" + simple +
      "<joint name='shoulder'><hardwareInterface>Effort</hardwareInterface></joint>"
      "<actuator name='m'><mechanicalReduction> -50\n</mechanicalReduction></actuator></transmission>";
  const std::string ros2 =
      "<ros2_control name='c' type='system'><transmission name='t'><joint name='shoulder' role='j'>"
      "<mechanical_reduction>325.949</mechanical_reduction></joint></transmission></ros2_control>";
  EXPECT_FALSE(rotor("", ros1)) << "a transmission alone asks for nothing";
  EXPECT_FALSE(rotor("", "<transmission><joint/><joint/></transmission>"));

  const auto by_ratio = rotor(R"(gear_ratio="-80")");
  ASSERT_TRUE(by_ratio);
  EXPECT_EQ(by_ratio->ratio, -80.0);
  EXPECT_TRUE(by_ratio->axis.isApprox(Vec3d(0, 0.6, 0.8), 1e-15)) << "the joint's own";
  EXPECT_FALSE(by_ratio->is_body);
  const auto by_axis = rotor(R"(rotor_axis="2 0 0")", ros1);
  ASSERT_TRUE(by_axis);
  EXPECT_EQ(by_axis->axis, Vec3d::UnitX());
  EXPECT_EQ(by_axis->ratio, -50.0);
  EXPECT_EQ(rotor(R"(rotor_axis="1 0 0")", ros2)->ratio, 325.949);
  EXPECT_EQ(rotor(R"(rotor_axis="1 0 0" gear_ratio="7")", ros2)->ratio, 7.0) << "the attribute takes precedence";
  const std::string both =
      "<transmission><joint name='shoulder'><mechanicalReduction>1</mechanicalReduction></joint>"
      "<actuator><mechanicalReduction>30</mechanicalReduction></actuator></transmission>";
  EXPECT_EQ(rotor(R"(rotor_axis="1 0 0")", both)->ratio, 30.0);
}

// Of <safety_controller>, as far as they are nearer than <limit>'s.
TEST(Urdf, SoftLimits) {
  const auto with = [](const std::string& attributes) {
    std::string xml = two_joints;
    const std::string axis = R"(<axis xyz="0 0.6 0.8"/>)";
    xml.insert(xml.find(axis), "<safety_controller " + attributes + "/>");
    return parse_urdf(xml, "two.urdf");
  };
  const auto expect = [](const RobotDescription& robot, double lower, double upper, size_t warnings) {
    EXPECT_EQ(robot.joints[0].limits->soft_lower, lower);
    EXPECT_EQ(robot.joints[0].limits->soft_upper, upper);
    EXPECT_EQ(robot.joints[0].limits->upper, 2.0);
    EXPECT_EQ(robot.warnings.size(), parse_urdf(two_joints, "two.urdf").warnings.size() + warnings);
  };
  constexpr double none = std::numeric_limits<double>::infinity();
  expect(with(R"(soft_lower_limit="-1.4" soft_upper_limit="1.9" k_position="100" k_velocity="40")"), -1.4, 1.9, 0);
  expect(with(R"(soft_lower_limit="-9" soft_upper_limit="1")"), -1.5, 1.0, 0);
  expect(with(R"(soft_upper_limit="1" k_velocity="10")"), -1.5, 1.0, 0);
  expect(with(R"(soft_lower_limit="0" soft_upper_limit="0" k_velocity="10")"), -none, none, 0);
  expect(with(R"(k_velocity="10")"), -none, none, 0);
  expect(with(R"(soft_lower_limit="3" soft_upper_limit="4")"), -none, none, 1);
  expect(with(R"(soft_lower_limit="1" soft_upper_limit="-1")"), -none, none, 1);
  EXPECT_THROW((void)with(R"(soft_lower_limit="low")"), ModelError);
}

TEST(Urdf, RollPitchYawTurnAboutFixedAxes) {
  const Vec3d rpy(0.3, -0.8, 2.1);
  const Mat3d expected = (Eigen::AngleAxisd(rpy.z(), Vec3d::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vec3d::UnitY()) *
                          Eigen::AngleAxisd(rpy.x(), Vec3d::UnitX()))
                             .toRotationMatrix();
  EXPECT_LT(largest_entry(pose_from_xyz_rpy(Vec3d::Zero(), rpy).R - expected), 1e-15);
}

// Shapes are for pictures: what cannot be read is left out with a warning, and a mesh without.
TEST(Urdf, VisualsArriveWithTheirColours) {
  const RobotDescription robot = parse_urdf(R"(<robot name="r">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base">
    <visual><geometry><mesh filename="base.stl"/></geometry></visual>
    <visual>
      <origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><geometry><box size="0.1 0.2 0.3"/></geometry>
      <material name="red"/>
    </visual>
    <visual>
      <geometry><cylinder radius="0.1" length="2"/></geometry><material name="m"><color rgba="0 .5 0 1"/></material>
    </visual>
    <visual><geometry><sphere radius="0.4"/></geometry><material name="unheard-of"/></visual>
    <visual><geometry><sphere radius="four"/></geometry></visual>
    <visual><origin xyz="1 2"/><geometry><sphere radius="4"/></geometry></visual>
  </link>
</robot>)",
                                            "r.urdf");
  const auto& visuals = robot.links[0].visuals;
  ASSERT_EQ(visuals.size(), 3U);
  EXPECT_EQ(visuals[0].shape, Visual::Shape::box);
  EXPECT_EQ(visuals[0].size_m, Vec3d(0.1, 0.2, 0.3));
  EXPECT_EQ(visuals[0].link_T_visual.p_m, Vec3d(1.0, 2.0, 3.0));
  EXPECT_TRUE(visuals[0].link_T_visual.R.col(0).isApprox(Vec3d::UnitY(), 1e-15));
  EXPECT_EQ(visuals[0].color.value(), Vec3d(1.0, 0.0, 0.0));
  EXPECT_EQ(visuals[1].shape, Visual::Shape::cylinder);
  EXPECT_EQ(visuals[1].size_m, Vec3d(0.1, 2.0, 0.0));
  EXPECT_EQ(visuals[1].color.value(), Vec3d(0.0, 0.5, 0.0));
  EXPECT_EQ(visuals[2].shape, Visual::Shape::sphere);
  EXPECT_EQ(visuals[2].size_m, Vec3d(0.4, 0.0, 0.0));
  EXPECT_FALSE(visuals[2].color);
  ASSERT_EQ(robot.warnings.size(), 2U);
  EXPECT_EQ(robot.warnings[0],
            "link 'base': the <visual> of line 13 is not drawn: the numbers of its <sphere> cannot be read");
  EXPECT_EQ(robot.warnings[1],
            "link 'base': the <visual> of line 14 is not drawn: the numbers of its <origin> cannot be read");
}

// A part that urdfdom reads differently from walk_urdf() is refused.
// j2 = -j1 / 2 + 0.3 and j3 = 2 j2 + 0.1: j3 = -j1 + 0.7.
TEST(Urdf, AMimicOfAMimicHasBothOffsets) {
  std::string text = "<robot name='m'><link name='l0'/>";
  for (const char k : {'1', '2', '3'}) {
    text += std::string("<link name='l") + k +
            "'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
            "<joint name='j" +
            k + "' type='revolute'><parent link='l" + static_cast<char>(k - 1) + "'/><child link='l" + k +
            "'/><origin xyz='1 0 0'/><axis xyz='0 0 1'/><limit lower='-9' upper='9' effort='1' velocity='1'/>" +
            (k == '2' ? "<mimic joint='j1' multiplier='-0.5' offset='0.3'/>" : "") +
            (k == '3' ? "<mimic joint='j2' multiplier='2' offset='0.1'/>" : "") + "</joint>";
  }
  const Model model = Model::build(parse_urdf(text + "</robot>", "m.urdf"));
  ASSERT_EQ(model.coordinates(), 1);
  for (int body = 0; body < model.bodies(); ++body) {
    const std::string& joint = model.body_joint(body);
    EXPECT_NEAR(model.tree().ratio[body], joint == "j1" ? 1.0 : joint == "j2" ? -0.5 : -1.0, 1e-15) << joint;
    EXPECT_NEAR(model.tree().offset[body], joint == "j1" ? 0.0 : joint == "j2" ? 0.3 : 0.7, 1e-15) << joint;
  }
}

TEST(Urdf, UrdfdomHasToSeeTheSameRobot) {
  const UrdfText text = walk_urdf(two_joints, "two.urdf");
  EXPECT_NO_THROW(check_with_urdfdom(text.robot, text.clean_xml));
  const auto refusal = [&](auto&& change) -> std::string {
    RobotDescription other = text.robot;
    change(other.links[1], other.joints[0], other.joints[1]);
    try {
      check_with_urdfdom(other, text.clean_xml);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  const std::string upper = "two.urdf: urdfdom reads the <inertial> of link 'upper' differently";
  const auto shoulder = [](const std::string& part) {
    return "two.urdf: urdfdom reads the " + part + " of joint 'shoulder' differently";
  };
  const std::string slide = "two.urdf: urdfdom reads the <mimic> of joint 'slide' differently";
  using Link = LinkDescription;
  using Joint = JointDescription;
  EXPECT_EQ(refusal([](Link& l, Joint&, Joint&) { l.name = "other"; }), "two.urdf: urdfdom drops link 'other'");
  EXPECT_EQ(refusal([](Link& l, Joint&, Joint&) { l.inertial.reset(); }), upper);
  EXPECT_EQ(refusal([](Link& l, Joint&, Joint&) { l.inertial->mass_kg *= 1.0 + 1e-9; }), upper);
  EXPECT_EQ(refusal([](Link& l, Joint&, Joint&) { l.inertial->com_m.y() += 1e-9; }), upper);
  EXPECT_EQ(refusal([](Link& l, Joint&, Joint&) { l.inertial->inertia_com_kgm2(0, 1) += 1e-9; }), upper);
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.name = "other"; }), "two.urdf: urdfdom drops joint 'other'");
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.type = JointType::continuous; }), shoulder("type"));
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.parent_link = "lower"; }), shoulder("<parent>"));
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.child_link = "lower"; }), shoulder("<child>"));
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.parent_T_joint.p_m.x() += 1e-9; }), shoulder("<origin>"));
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.parent_T_joint.R.setIdentity(); }), shoulder("<origin>"));
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.axis = -j.axis; }), shoulder("<axis>"));
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.limits.reset(); }), shoulder("<limit>"));
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.limits->lower -= 1e-9; }), shoulder("<limit>"));
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.limits->upper -= 1e-9; }), shoulder("<limit>"));
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.limits->velocity += 1e-9; }), shoulder("<limit>"));
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.limits->effort += 1e-9; }), shoulder("<limit>"));
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.damping += 1e-9; }), shoulder("damping"));
  EXPECT_EQ(refusal([](Link&, Joint& j, Joint&) { j.friction += 1e-9; }), shoulder("friction"));
  EXPECT_EQ(refusal([](Link&, Joint&, Joint& k) { k.mimic.reset(); }), slide);
  EXPECT_EQ(refusal([](Link&, Joint&, Joint& k) { k.mimic->joint = "slide"; }), slide);
  EXPECT_EQ(refusal([](Link&, Joint&, Joint& k) { k.mimic->multiplier += 1e-9; }), slide);
  EXPECT_EQ(refusal([](Link&, Joint&, Joint& k) { k.mimic->offset += 1e-9; }), slide);
}

TEST(UrdfHardware, IsReadFromAllTagsBelowTheRobot) {
  const auto joints = read_hardware_joints(
      R"(<robot name="r"><joint name="other"><command_interface name="effort"/></joint>
           <ros2_control name="arm" type="system"><hardware><plugin>x</plugin></hardware>
             <joint name="a"><command_interface name="position"><param name="min">-1</param></command_interface>
               <command_interface name="effort"/><state_interface name="velocity"/></joint>
             <joint name="b"><state_interface name="position"/></joint></ros2_control>
           <ros2_control name="hand" type="actuator"><joint name="c"><command_interface/></joint></ros2_control></robot>)",
      "r");
  ASSERT_EQ(joints.size(), 3U);
  EXPECT_EQ(joints[0].name, "a");
  EXPECT_EQ(joints[0].commands, (std::vector<std::string>{"position", "effort"}));
  EXPECT_EQ(joints[1].name, "b");
  EXPECT_TRUE(joints[1].commands.empty());
  EXPECT_EQ(joints[2].commands, std::vector<std::string>{""});
  EXPECT_TRUE(read_hardware_joints("<robot name='r'/>", "r").empty());
  EXPECT_THROW((void)read_hardware_joints("<robot>", "r"), ModelError);
}

}  // namespace
}  // namespace dyn
