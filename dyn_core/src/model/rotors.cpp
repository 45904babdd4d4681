// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/model/rotors.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "complain.hpp"

namespace dyn {
namespace {

using LinkIndex = std::unordered_map<std::string, size_t>;

LinkIndex links_by_name(const RobotDescription& robot) {
  LinkIndex index;
  for (size_t l = 0; l < robot.links.size(); ++l) index[robot.links[l].name] = l;
  return index;
}

// By link: does a joint move it?
std::vector<bool> moving_links(const RobotDescription& robot, const LinkIndex& index) {
  std::vector<int> held_by(robot.links.size(), -1);
  for (size_t j = 0; j < robot.joints.size(); ++j) held_by[index.at(robot.joints[j].child_link)] = static_cast<int>(j);
  std::vector<int> moves(robot.links.size(), -1);  // -1: not known yet
  for (size_t start = 0; start < robot.links.size(); ++start) {
    std::vector<size_t> path;
    size_t link = start;
    int result = -1;
    while (result < 0) {
      const int j = held_by[link];
      if (moves[link] >= 0) {
        result = moves[link];
      } else if (j < 0) {
        result = 0;
      } else if (robot.joints[j].type != JointType::fixed) {
        result = 1;
      }
      path.push_back(link);
      if (result < 0) link = index.at(robot.joints[j].parent_link);
    }
    for (const size_t passed : path) moves[passed] = result;
  }
  return {moves.begin(), moves.end()};
}

// J a a^T of the joint's rotor, in the axes of the parent link.
Mat3d inertia_in_parent(const JointDescription& joint) {
  const Vec3d a = joint.parent_T_joint.R * joint.rotor->axis;
  return rotor_inertia(joint) * a * a.transpose();
}

void add_to(LinkDescription& link, const Mat3d& inertia_kgm2) {
  if (!link.inertial) link.inertial = Inertial{};
  link.inertial->inertia_com_kgm2 += inertia_kgm2;
}

JointDescription rotor_joint(const JointDescription& driven, const std::string& name) {
  JointDescription joint;
  joint.name = joint.child_link = name;
  joint.type = JointType::continuous;
  joint.parent_link = driven.parent_link;
  joint.parent_T_joint = driven.parent_T_joint;
  joint.axis = driven.rotor->axis;
  joint.mimic = Mimic{driven.name, driven.rotor->ratio, 0.0};
  joint.payload = driven.payload;
  joint.is_rotor = true;
  return joint;
}

}  // namespace

double rotor_inertia(const JointDescription& joint) noexcept {
  return joint.armature / (joint.rotor->ratio * joint.rotor->ratio);
}

double diagonal_armature(const JointDescription& joint) noexcept {
  return joint.rotor && joint.rotor->is_body ? 0.0 : joint.armature;
}

bool has_rotors(const RobotDescription& robot) noexcept {
  return std::any_of(robot.joints.begin(), robot.joints.end(), [](const auto& joint) { return joint.rotor; });
}

RobotDescription with_rotor_bodies(const RobotDescription& robot) {
  RobotDescription whole = robot;
  const LinkIndex index = links_by_name(robot);
  const std::vector<bool> moves = moving_links(robot, index);
  std::set<std::string> joints;
  for (const JointDescription& joint : robot.joints) joints.insert(joint.name);
  for (size_t j = 0; j < robot.joints.size(); ++j) {
    const JointDescription& joint = robot.joints[j];
    if (!joint.rotor || joint.rotor->is_body || !(joint.armature > 0.0)) continue;
    const size_t parent = index.at(joint.parent_link);
    if (!moves[parent]) continue;
    const std::string name = joint.name + "_rotor";
    if (index.contains(name) || joints.contains(name)) {
      fail(robot, joint_text(joint.name) + ": its rotor would be called '" + name + "', as a " +
                      (index.contains(name) ? "link" : "joint") + " of the robot already is");
    }
    const Mat3d in_axes_of_joint = rotor_inertia(joint) * joint.rotor->axis * joint.rotor->axis.transpose();
    whole.links.push_back({name, Inertial{0.0, Vec3d::Zero(), in_axes_of_joint}});
    whole.joints.push_back(rotor_joint(joint, name));
    whole.joints[j].rotor->is_body = true;
    add_to(whole.links[parent], -inertia_in_parent(joint));
  }
  return whole;
}

RobotDescription with_locked_rotors(const RobotDescription& robot) {
  RobotDescription whole = robot;
  const LinkIndex index = links_by_name(robot);
  std::set<std::string> rotors;
  for (JointDescription& joint : whole.joints) {
    if (joint.is_rotor) rotors.insert(joint.child_link);
    if (!joint.rotor || !joint.rotor->is_body) continue;
    joint.rotor->is_body = false;
    add_to(whole.links[index.at(joint.parent_link)], inertia_in_parent(joint));
  }
  std::erase_if(whole.joints, [](const JointDescription& joint) { return joint.is_rotor; });
  std::erase_if(whole.links, [&](const LinkDescription& link) { return rotors.contains(link.name); });
  return whole;
}

}  // namespace dyn
