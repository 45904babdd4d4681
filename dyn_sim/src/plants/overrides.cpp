// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "overrides.hpp"

#include <algorithm>

#include "dyn_core/error.hpp"

namespace dyn::sim {

RobotDescription with_overrides(RobotDescription robot, const PlantSettings& settings) {
  for (const LinkOverride& change : settings.overrides) {
    const auto link = std::find_if(robot.links.begin(), robot.links.end(),
                                   [&](const LinkDescription& l) { return l.name == change.link; });
    if (link == robot.links.end()) throw ModelError("plant_overrides: the robot has no link '" + change.link + "'");
    if (!link->inertial) throw ModelError("plant_overrides: link '" + change.link + "' has no inertial to change");
    link->inertial->mass_kg *= change.mass_scale;
    link->inertial->com_m += change.com_shift_m;
    link->inertial->inertia_com_kgm2 *= change.inertia_scale;
  }
  for (const JointOverride& change : settings.joint_overrides) {
    const auto joint = std::find_if(robot.joints.begin(), robot.joints.end(),
                                    [&](const JointDescription& j) { return j.name == change.joint; });
    if (joint == robot.joints.end()) throw ModelError("plant_overrides: the robot has no joint '" + change.joint + "'");
    joint->damping = change.damping.value_or(joint->damping);
    joint->friction = change.friction.value_or(joint->friction);
    joint->armature = change.armature.value_or(joint->armature);
  }
  return robot;
}

}  // namespace dyn::sim
