// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A small arm and its payloads, for tests of the live model.
#pragma once

#include <string>
#include <vector>

#include "dyn_core/live/live_model.hpp"

namespace dyn::test {

// Three joints: z, y, y; every link of mass `mass_kg` and with inertias that follow from it.
inline RobotDescription small_arm(double mass_kg = 2.0) {
  RobotDescription robot;
  robot.name = "small";
  robot.source = "small.urdf";
  robot.links.push_back({"base", {}});
  for (int k = 1; k <= 3; ++k) {
    const std::string number = std::to_string(k);
    const Inertial inertial{mass_kg, Vec3d(0.15, 0.01 * k, 0.02),
                            Mat3d((mass_kg * Vec3d(0.01, 0.02, 0.025)).asDiagonal())};
    robot.links.push_back({"link" + number, inertial});
    JointDescription joint;
    joint.name = "joint" + number;
    joint.type = JointType::revolute;
    joint.parent_link = k == 1 ? "base" : "link" + std::to_string(k - 1);
    joint.child_link = "link" + number;
    if (k > 1) joint.parent_T_joint.p_m = Vec3d(0.3, 0.0, 0.05);
    joint.axis = k == 1 ? Vec3d(Vec3d::UnitZ()) : Vec3d(Vec3d::UnitY());
    joint.limits = JointLimits{-3.0, 3.0, true, 3.0, 100.0};
    robot.joints.push_back(joint);
  }
  return robot;
}

inline Payload box(const std::string& name, double mass_kg, const std::string& link = "link3") {
  const Inertial inertial{mass_kg, Vec3d(0.02, 0.01, 0.1), Mat3d((mass_kg * Vec3d(0.002, 0.003, 0.004)).asDiagonal())};
  return Payload::rigid(name, link, inertial, {Mat3d::Identity(), Vec3d(0.3, 0.0, 0.0)});
}

// A payload on one joint about y.
inline Payload bucket(const std::string& name, const std::string& link = "link3") {
  RobotDescription chain;
  chain.name = "bucket";
  chain.links.push_back({"hook", {}});
  chain.links.push_back({"pail", Inertial{1.5, Vec3d(0.0, 0.0, -0.2), Mat3d(Vec3d(0.02, 0.02, 0.01).asDiagonal())}});
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.type = JointType::continuous;
  hinge.parent_link = "hook";
  hinge.child_link = "pail";
  hinge.axis = Vec3d::UnitY();
  chain.joints = {hinge};
  return Payload::articulated(name, link, chain, {Mat3d::Identity(), Vec3d(0.3, 0.0, 0.0)});
}

// M, C and g at some state that is not special.
struct Evaluated {
  std::vector<double> M, C, g;
  bool operator==(const Evaluated&) const = default;
};
inline Evaluated evaluate(Dynamics& dynamics) {
  const size_t n = dynamics.model().coordinates();
  std::vector<double> q, v;
  for (size_t i = 0; i < n; ++i) {
    q.push_back(0.3 + 0.4 * static_cast<double>(i));
    v.push_back(0.7 - 0.5 * static_cast<double>(i));
  }
  if (!dynamics.update(q, v).ok()) return {};
  return {{dynamics.M().data(), dynamics.M().data() + n * n},
          {dynamics.C().data(), dynamics.C().data() + n * n},
          {dynamics.g().data(), dynamics.g().data() + n}};
}

}  // namespace dyn::test
