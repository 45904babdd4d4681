// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "overrides.hpp"

#include <algorithm>

#include "dyn_core/error.hpp"

namespace dyn::sim {

namespace {

void take_parameters(const RobotDescription& from, RobotDescription& robot) {
  for (const LinkDescription& other : from.links) {
    for (LinkDescription& link : robot.links) {
      if (link.name == other.name) link.inertial = other.inertial;
    }
  }
  for (const JointDescription& other : from.joints) {
    for (JointDescription& joint : robot.joints) {
      if (joint.name != other.name) continue;
      joint.damping = other.damping;
      joint.friction = other.friction;
      joint.armature = other.armature;
      joint.friction_offset = other.friction_offset;
      joint.stribeck = other.stribeck;
      joint.stribeck_velocity = other.stribeck_velocity;
      joint.damping_negative = other.damping_negative;
      joint.friction_negative = other.friction_negative;
    }
  }
}

void change_friction(const JointOverride& change, JointDescription& joint) {
  if (change.damping) {
    joint.damping = *change.damping;
    joint.damping_negative.reset();
  }
  if (change.friction) {
    joint.friction = *change.friction;
    joint.friction_negative.reset();
  }
  joint.damping *= change.friction_scale;
  joint.friction *= change.friction_scale;
  if (joint.damping_negative) *joint.damping_negative *= change.friction_scale;
  if (joint.friction_negative) *joint.friction_negative *= change.friction_scale;
}

}  // namespace

RobotDescription with_overrides(RobotDescription robot, const PlantSettings& settings) {
  if (settings.robot) take_parameters(*settings.robot, robot);
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
    change_friction(change, *joint);
    joint->armature = change.armature.value_or(joint->armature);
    joint->stribeck = change.stribeck.value_or(joint->stribeck);
    joint->stribeck_velocity = change.stribeck_velocity.value_or(joint->stribeck_velocity);
    joint->friction_offset = change.offset.value_or(joint->friction_offset);
  }
  return robot;
}

}  // namespace dyn::sim
