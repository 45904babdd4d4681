// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Two arms of the papers as descriptions, for the closed forms of closed_forms/closed_forms.hpp.
#pragma once

#include "closed_forms.hpp"
#include "dyn_core/model/description.hpp"

namespace dyn::test {

using closed_forms::ClosedForm;

inline JointDescription revolute_z(const std::string& name, const std::string& parent, const std::string& child,
                                   const Pose& parent_T_joint) {
  JointDescription joint;
  joint.name = name;
  joint.type = JointType::continuous;
  joint.parent_link = parent;
  joint.child_link = child;
  joint.parent_T_joint = parent_T_joint;
  joint.axis = Vec3d::UnitZ();
  return joint;
}

inline Inertial principal(double mass, const Vec3d& com, const Vec3d& moments) {
  return {mass, com, Mat3d(moments.asDiagonal())};
}

// Paper 004 (Truc, Quyen and Quang): Table 1, eq 71, g = 9.807.
struct ThreeLink : closed_forms::ThreeLinkForm {
  // Frames as URDF has them: a link's frame stands in its own joint; DH's frame 1 is turned about x by -90 degrees.
  [[nodiscard]] RobotDescription description() const {
    Mat3d turn;
    turn << 1, 0, 0, 0, 0, 1, 0, -1, 0;
    Inertial first = principal(m1, Vec3d(0, 0, r0), Vec3d(I1.x(), I1.z(), I1.y()));
    RobotDescription robot;
    robot.name = "three_link";
    robot.links = {{"base", {}},
                   {"link1", first},
                   {"link2", principal(m2, Vec3d(r1, 0, 0), I2)},
                   {"link3", principal(m3, Vec3d(r2, 0, 0), I3)}};
    robot.joints = {revolute_z("joint1", "base", "link1", {}),
                    revolute_z("joint2", "link1", "link2", {turn, Vec3d(0, 0, l0)}),
                    revolute_z("joint3", "link2", "link3", {Mat3d::Identity(), Vec3d(l1, 0, 0)})};
    return robot;
  }
};

// Paper 002 (Laus, Simoni and Martins): the pelican arm in the vertical plane x, y, and its crucible on a passive
// joint.
struct Pelican : closed_forms::PelicanForm {
  [[nodiscard]] RobotDescription description(bool with_crucible) const {
    RobotDescription robot;
    robot.name = "pelican";
    robot.links = {{"base", {}},
                   {"link1", principal(m1, Vec3d(l1, 0, 0), Vec3d(0.7 * I1, 0.8 * I1, I1))},
                   {"link2", principal(m2, Vec3d(l2, 0, 0), Vec3d(0.7 * I2, 0.8 * I2, I2))}};
    robot.joints = {revolute_z("joint1", "base", "link1", {}),
                    revolute_z("joint2", "link1", "link2", {Mat3d::Identity(), Vec3d(a1, 0, 0)})};
    if (!with_crucible) return robot;
    robot.links.push_back({"crucible", principal(m3, Vec3d(l3, 0, 0), Vec3d(0.7 * I3, 0.8 * I3, I3))});
    robot.joints.push_back(revolute_z("hook", "link2", "crucible", {Mat3d::Identity(), Vec3d(a2, 0, 0)}));
    robot.joints.back().payload = 1;
    return robot;
  }
};

}  // namespace dyn::test
