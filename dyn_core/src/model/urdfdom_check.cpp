// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "urdfdom_check.hpp"

#include <console_bridge/console.h>
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <cmath>
#include <mutex>

#include "complain.hpp"
#include "dyn_core/realtime.hpp"

namespace dyn {
namespace {

// Keeps urdfdom's messages from the console, and stores the first one.
class Complaints : public console_bridge::OutputHandler {
 public:
  Complaints() : level_(console_bridge::getLogLevel()) {
    console_bridge::useOutputHandler(this);
    console_bridge::setLogLevel(console_bridge::CONSOLE_BRIDGE_LOG_WARN);
  }
  ~Complaints() override {
    console_bridge::setLogLevel(level_);
    console_bridge::restorePreviousOutputHandler();
  }
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;

  void log(const std::string& text, console_bridge::LogLevel, const char*, int) override {
    if (first_.empty()) first_ = text;
  }
  [[nodiscard]] const std::string& first() const noexcept { return first_; }

 private:
  console_bridge::LogLevel level_;
  std::string first_;
};

urdf::ModelInterfaceSharedPtr run_urdfdom(const std::string& xml, const std::string& source) {
  static std::mutex one_at_a_time;  // console_bridge has one handler a process
  const std::lock_guard lock(one_at_a_time);
  const Complaints complaints;
  urdf::ModelInterfaceSharedPtr robot;
  std::string thrown;
  try {
    robot = urdf::parseURDF(xml);
  } catch (const std::exception& error) {
    thrown = error.what();
  }
  if (!complaints.first().empty()) throw ModelError(source + ": urdfdom: " + complaints.first());
  if (!robot) throw ModelError(source + ": urdfdom cannot read it" + (thrown.empty() ? "" : ": " + thrown));
  return robot;
}

// Links own their children by shared pointers: releases them one by one, since destructors would recurse through a
// chain.
void dissolve(const urdf::ModelInterface& robot) {
  for (const auto& [name, link] : robot.links_) {
    link->child_links.clear();
    link->child_joints.clear();
    link->parent_joint.reset();
  }
}

Vec3d to_eigen(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Pose to_pose(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  return {Eigen::Quaterniond(r.w, r.x, r.y, r.z).normalized().toRotationMatrix(), to_eigen(pose.position)};
}

// Equal up to the rounding of a different order of operations.
bool same(double a, double b) { return std::abs(a - b) <= 1e-12 * (1.0 + std::abs(a)); }
template <class Matrix>
bool same(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().maxCoeff() <= 1e-12 * (1.0 + a.cwiseAbs().maxCoeff());
}
bool same(const Pose& a, const Pose& b) { return same(a.R, b.R) && same(a.p_m, b.p_m); }

bool same(const Inertial& ours, const urdf::Inertial& theirs) {
  const Pose link_T_inertial = to_pose(theirs.origin);
  const Mat3d& R = link_T_inertial.R;
  Mat3d I;
  I << theirs.ixx, theirs.ixy, theirs.ixz, theirs.ixy, theirs.iyy, theirs.iyz, theirs.ixz, theirs.iyz, theirs.izz;
  return same(ours.mass_kg, theirs.mass) && same(ours.com_m, link_T_inertial.p_m) &&
         same(ours.inertia_com_kgm2, Mat3d(R * I * R.transpose()));
}

bool same(const JointLimits& ours, const urdf::JointLimits& theirs) {
  return same(ours.lower, theirs.lower) && same(ours.upper, theirs.upper) && same(ours.velocity, theirs.velocity) &&
         same(ours.effort, theirs.effort);
}

bool same(const Mimic& ours, const urdf::JointMimic& theirs) {
  return ours.joint == theirs.joint_name && same(ours.multiplier, theirs.multiplier) &&
         same(ours.offset, theirs.offset);
}

// Both or neither, and alike.
template <class Ours, class Theirs>
bool same(const std::optional<Ours>& ours, const Theirs& theirs) {
  return ours.has_value() == (theirs != nullptr) && (!ours || same(*ours, *theirs));
}

int urdfdom_type(JointType type) {
  switch (type) {
    case JointType::fixed: return urdf::Joint::FIXED;
    case JointType::revolute: return urdf::Joint::REVOLUTE;
    case JointType::continuous: return urdf::Joint::CONTINUOUS;
    case JointType::prismatic: return urdf::Joint::PRISMATIC;
    case JointType::floating: return urdf::Joint::FLOATING;
    case JointType::planar: return urdf::Joint::PLANAR;
  }
  return urdf::Joint::UNKNOWN;
}

// The first part of a joint that urdfdom reads differently, or null. We do not read a fixed joint's limits and mimic.
const char* difference(const JointDescription& ours, const urdf::Joint& theirs) {
  const bool moves = ours.type != JointType::fixed;
  if (urdfdom_type(ours.type) != theirs.type) return "type";
  if (ours.parent_link != theirs.parent_link_name) return "<parent>";
  if (ours.child_link != theirs.child_link_name) return "<child>";
  if (!same(ours.parent_T_joint, to_pose(theirs.parent_to_joint_origin_transform))) return "<origin>";
  if (moves && ours.type != JointType::floating && !same(ours.axis, Vec3d(to_eigen(theirs.axis).normalized()))) {
    return "<axis>";
  }
  if (moves && !same(ours.limits, theirs.limits)) return "<limit>";
  if (moves && !same(ours.mimic, theirs.mimic)) return "<mimic>";
  const bool damped = theirs.dynamics != nullptr;
  if (!same(ours.damping, damped ? theirs.dynamics->damping : 0.0)) return "damping";
  if (!same(ours.friction, damped ? theirs.dynamics->friction : 0.0)) return "friction";
  return nullptr;
}

void compare(const RobotDescription& robot, const urdf::ModelInterface& read) {
  for (const LinkDescription& link : robot.links) {
    const auto theirs = read.getLink(link.name);
    if (!theirs) fail(robot, "urdfdom drops " + link_text(link.name));
    if (!same(link.inertial, theirs->inertial)) {
      fail(robot, "urdfdom reads the <inertial> of " + link_text(link.name) + " differently");
    }
  }
  for (const JointDescription& joint : robot.joints) {
    const auto theirs = read.getJoint(joint.name);
    if (!theirs) fail(robot, "urdfdom drops " + joint_text(joint.name));
    const char* const part = difference(joint, *theirs);
    if (part != nullptr)
      fail(robot, "urdfdom reads the " + std::string(part) + " of " + joint_text(joint.name) + " differently");
  }
}

}  // namespace

void check_with_urdfdom(const RobotDescription& robot, const std::string& clean_xml) {
  const auto read = run_urdfdom(clean_xml, robot.source);
  try {
    compare(robot, *read);
  } catch (const ModelError&) {
    dissolve(*read);
    throw;
  }
  dissolve(*read);
}

}  // namespace dyn
