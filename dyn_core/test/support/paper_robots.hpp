// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The examples of paper 000 (Wang and Ju), section 7, and simple chains, as descriptions.
#pragma once

#include <array>
#include <string>

#include "closed_forms.hpp"
#include "dyn_core/model/description.hpp"
#include "support/random_robot.hpp"

namespace dyn::test {

struct LinkSpec {
  int parent;  // link number; 0: the base
  Vec3d axis, origin_m, com_m, inertia_kgm2;
  double mass_kg;
  JointType type = JointType::revolute;
};

// Link k is moved by joint k, numbered from 1; all frames are parallel to the base frame at q = 0.
template <class Specs>
RobotDescription robot_from(const std::string& name, const Specs& specs) {
  RobotDescription robot;
  robot.name = name;
  robot.links.push_back({"link0", std::nullopt});
  int number = 0;
  for (const LinkSpec& spec : specs) {
    const std::string k = std::to_string(++number);
    robot.links.push_back({"link" + k, Inertial{spec.mass_kg, spec.com_m, spec.inertia_kgm2.asDiagonal()}});
    JointDescription joint;
    joint.name = "joint" + k;
    joint.type = spec.type;
    joint.parent_link = "link" + std::to_string(spec.parent);
    joint.child_link = "link" + k;
    joint.parent_T_joint.p_m = spec.origin_m;
    joint.axis = spec.axis;
    joint.limits = JointLimits{-10.0, 10.0, true, 10.0, 100.0};
    robot.joints.push_back(joint);
  }
  return robot;
}

// Section 7.1: planar arm, three joints about z.
inline RobotDescription planar3(const closed_forms::Planar3Form& p) {
  const Vec3d z = Vec3d::UnitZ();
  const std::array<LinkSpec, 3> specs{{{0, z, {0, 0, 0}, {p.l1I, 0, 0}, {0, p.I1, p.I1}, p.m1},
                                       {1, z, {p.l1, 0, 0}, {p.l2I, 0, 0}, {0, p.I2, p.I2}, p.m2},
                                       {2, z, {p.l2, 0, 0}, {p.l3I, 0, 0}, {0, p.I3, p.I3}, p.m3}}};
  return robot_from("planar3", specs);
}

// Section 7.2, Table 3: left rear rocker arm of the lunar rover. The table prints r_2II and r_4II as (0.0, -0.04),
// which is (0, 0, -0.04), and drops zeros of the inertias, which are diagonal.
inline RobotDescription rover_arm() {
  const Vec3d x = Vec3d::UnitX();
  const Vec3d z = Vec3d::UnitZ();
  const std::array<LinkSpec, 5> specs{{{0, x, {0, 0, 0}, {0.05, 0, 0}, {0, 0.0833, 0.0833}, 1.0},
                                       {1, z, {0.1, -0.05, 0}, {0, 0, -0.04}, {0.0427, 0.0427, 0}, 0.8},
                                       {2, x, {0.01, 0, -0.08}, {0.03, 0, 0}, {0, 0.018, 0.018}, 0.6},
                                       {1, z, {0.1, 0.05, 0}, {0, 0, -0.04}, {0.0427, 0.0427, 0}, 0.8},
                                       {4, x, {0.01, 0, -0.08}, {0.03, 0, 0}, {0, 0.018, 0.018}, 0.6}}};
  return robot_from("rover_arm", specs);
}

// n revolute joints in a row, random links.
inline RobotDescription revolute_chain(int n) {
  Rng rng(static_cast<Rng::result_type>(n));
  return random_robot(rng, {.joints = n, .serial = true, .every_type = false});
}

}  // namespace dyn::test
