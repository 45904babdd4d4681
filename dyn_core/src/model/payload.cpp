// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/model/payload.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "complain.hpp"
#include "dyn_core/model/name_limit.hpp"
#include "dyn_core/model/validate.hpp"
#include "near_names.hpp"
#include "payload_edit.hpp"

namespace dyn {

bool belongs_to(const std::string& payload, const std::string& link_or_joint) {
  return link_or_joint.size() > payload.size() && link_or_joint[payload.size()] == '/' &&
         link_or_joint.starts_with(payload);
}

namespace {

constexpr double unit_tolerance = 1e-9;

std::string payload_text(const std::string& name) { return "payload '" + name + "'"; }

void check_name(const std::string& name) {
  const auto bad = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '/'; };
  if (name.empty()) throw ModelError("a payload has an empty name");
  check_name_length("the name of payload", name);
  if (std::any_of(name.begin(), name.end(), bad)) {
    throw ModelError(payload_text(name) + ": the name contains a blank, a slash or a control character");
  }
}

void check_pose(const std::string& where, const Pose& pose) {
  const bool finite = pose.R.allFinite() && pose.p_m.allFinite();
  const double skewed = (pose.R.transpose() * pose.R - Mat3d::Identity()).cwiseAbs().maxCoeff();
  if (!finite) throw ModelError(where + ": its pose contains a number that is not finite");
  if (skewed > unit_tolerance || pose.R.determinant() < 0.0) {
    throw ModelError(where + ": the matrix of its pose is not a rotation (R^T R - 1 has an entry of " +
                     number_text(skewed) + ")");
  }
}

// "box" of "box/body"
std::string payload_of(const std::string& prefixed) { return prefixed.substr(0, prefixed.find('/')); }

const std::string& root_link(const RobotDescription& chain) {
  std::unordered_set<std::string> children;
  for (const JointDescription& joint : chain.joints) children.insert(joint.child_link);
  const auto root = std::find_if(chain.links.begin(), chain.links.end(),
                                 [&](const LinkDescription& link) { return !children.contains(link.name); });
  return root->name;
}

// A name that no joint of the chain has.
std::string mount_name(const RobotDescription* chain) {
  std::string name = "mount";
  const auto taken = [&](const JointDescription& joint) { return joint.name == name; };
  while (chain && std::any_of(chain->joints.begin(), chain->joints.end(), taken)) name += "_";
  return name;
}

void check_free(const RobotDescription& robot, const std::string& name) {
  const auto attached = attached_payloads(robot);
  if (std::find(attached.begin(), attached.end(), name) != attached.end()) {
    throw ModelError(payload_text(name) + " is attached already");
  }
  for (const LinkDescription& link : robot.links) {
    if (belongs_to(name, link.name)) {
      throw ModelError(payload_text(name) + ": the robot has a " + link_text(link.name) + " of its own");
    }
  }
  for (const JointDescription& joint : robot.joints) {
    if (belongs_to(name, joint.name)) {
      throw ModelError(payload_text(name) + ": the robot has a " + joint_text(joint.name) + " of its own");
    }
  }
}

void check_link_exists(const RobotDescription& robot, const Payload& payload) {
  std::vector<std::string> names;
  for (const LinkDescription& link : robot.links) {
    if (link.name == payload.link()) return;
    names.push_back(link.name);
  }
  std::string meant;
  for (const std::string& name : near_names(payload.link(), names)) meant += (meant.empty() ? "" : ", ") + name;
  throw ModelError(payload_text(payload.name()) + ": " + link_text(payload.link()) + " does not exist" +
                   (meant.empty() ? "" : "; is one of these meant: " + meant + "?"));
}

void append_chain(RobotDescription& robot, const std::string& prefix, const RobotDescription& chain, int number) {
  for (LinkDescription link : chain.links) {
    link.name = prefix + link.name;
    robot.links.push_back(std::move(link));
  }
  for (JointDescription joint : chain.joints) {
    joint.name = prefix + joint.name;
    joint.parent_link = prefix + joint.parent_link;
    joint.child_link = prefix + joint.child_link;
    if (joint.mimic) joint.mimic->joint = prefix + joint.mimic->joint;
    joint.payload = number;
    robot.joints.push_back(std::move(joint));
  }
}

std::string warning_prefix(const std::string& name) { return payload_text(name) + ": "; }

}  // namespace

Payload::Payload(std::string name, std::string link, const Pose& link_T_payload,
                 std::variant<Inertial, RobotDescription> body)
    : name_(std::move(name)), link_(std::move(link)), link_T_payload_(link_T_payload), body_(std::move(body)) {
  check_name(name_);
  check_pose(payload_text(name_), link_T_payload_);
}

Payload Payload::rigid(const std::string& name, const std::string& link, const Inertial& inertial,
                       const Pose& link_T_payload) {
  Payload payload(name, link, link_T_payload, inertial);
  const std::string where = payload_text(name);
  if (!(inertial.mass_kg > 0.0)) {
    throw ModelError(where + ": its mass must be positive, and is " + number_text(inertial.mass_kg) + " kg");
  }
  if (!inertial.com_m.allFinite()) throw ModelError(where + ": its centre of mass is not finite");
  const Mat3d& I = inertial.inertia_com_kgm2;
  if (I.allFinite() && (I - I.transpose()).cwiseAbs().maxCoeff() > unit_tolerance * I.cwiseAbs().maxCoeff()) {
    throw ModelError(where + ": its inertia is not symmetric");
  }
  const InertiaJudgement judgement = judge_inertia(inertial.mass_kg, I);
  if (!judgement.fault.empty()) throw ModelError(where + " " + judgement.fault);
  return payload;
}

Payload Payload::articulated(const std::string& name, const std::string& link, const RobotDescription& chain,
                             const Pose& link_T_payload) {
  Payload payload(name, link, link_T_payload, chain);
  validate_structure(chain);
  validate_numbers(chain);
  return payload;
}

Mat3d inertia_tensor(double ixx, double ixy, double ixz, double iyy, double iyz, double izz) {
  Mat3d I;
  I << ixx, ixy, ixz, ixy, iyy, iyz, ixz, iyz, izz;
  return I;
}

Pose pose_from_xyz_rpy(const Vec3d& xyz_m, const Vec3d& rpy_rad) {
  const double cr = std::cos(rpy_rad.x() / 2), cp = std::cos(rpy_rad.y() / 2), cy = std::cos(rpy_rad.z() / 2);
  const double sr = std::sin(rpy_rad.x() / 2), sp = std::sin(rpy_rad.y() / 2), sy = std::sin(rpy_rad.z() / 2);
  const Eigen::Quaterniond turn(cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
                                cr * cp * sy - sr * sp * cy);  // w, x, y, z: about z, then y, then x, of half angles
  return {turn.normalized().toRotationMatrix(), xyz_m};
}

void put_on(RobotDescription& robot, const Payload& payload) {
  check_free(robot, payload.name());
  check_link_exists(robot, payload);
  const std::string prefix = payload.name() + "/";
  JointDescription mount;
  mount.name = prefix + mount_name(payload.chain());
  mount.parent_link = payload.link();
  mount.child_link = prefix + (payload.chain() ? root_link(*payload.chain()) : "body");
  mount.parent_T_joint = payload.link_T_payload();
  mount.payload = 1;
  for (const JointDescription& joint : robot.joints) mount.payload = std::max(mount.payload, joint.payload + 1);
  robot.joints.push_back(mount);
  if (payload.inertial()) robot.links.push_back({mount.child_link, *payload.inertial()});
  if (payload.chain()) {
    append_chain(robot, prefix, *payload.chain(), mount.payload);
    for (const std::string& warning : payload.chain()->warnings) {
      robot.warnings.push_back(warning_prefix(payload.name()) + warning);
    }
  }
}

void take_off(RobotDescription& robot, const std::string& name) {
  const auto attached = attached_payloads(robot);
  if (std::find(attached.begin(), attached.end(), name) == attached.end()) {
    std::string list;
    for (const std::string& other : attached) list += (list.empty() ? "" : ", ") + other;
    throw ModelError(payload_text(name) + " is not attached; " + (list.empty() ? "nothing is" : "attached: " + list));
  }
  for (const JointDescription& joint : robot.joints) {
    if (belongs_to(name, joint.parent_link) && !belongs_to(name, joint.child_link)) {
      throw ModelError(payload_text(name) + " carries " + payload_text(payload_of(joint.name)) + "; detach that first");
    }
  }
  std::erase_if(robot.joints, [&](const JointDescription& joint) { return belongs_to(name, joint.name); });
  std::erase_if(robot.links, [&](const LinkDescription& link) { return belongs_to(name, link.name); });
  std::erase_if(robot.warnings, [&](const std::string& w) { return w.starts_with(warning_prefix(name)); });
}

RobotDescription attach(const RobotDescription& robot, const Payload& payload) {
  RobotDescription result = robot;
  put_on(result, payload);
  return result;
}

RobotDescription detach(const RobotDescription& robot, const std::string& name) {
  RobotDescription result = robot;
  take_off(result, name);
  return result;
}

std::vector<std::string> attached_payloads(const RobotDescription& robot) {
  std::vector<std::string> names;
  for (const JointDescription& joint : robot.joints) {
    if (joint.payload == 0) continue;
    std::string name = payload_of(joint.name);
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace dyn
