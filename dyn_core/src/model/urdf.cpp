// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/model/urdf.hpp"

#include <console_bridge/console.h>
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <mutex>

#include "complain.hpp"
#include "dyn_core/model/input_file.hpp"
#include "dyn_core/model/validate.hpp"
#include "urdf_check.hpp"
#include "xacro.hpp"

namespace dyn {
namespace {

// Keeps urdfdom quiet on the console and what it complains of.
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

// Children hold on to children: let go one by one, or the destructors of a long chain recurse through all of it.
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

// The tensor is given in the axes of the inertial frame; turned here into those of the link: I = R I' R^T.
Inertial to_inertial(const urdf::Inertial& from) {
  const Pose link_T_inertial = to_pose(from.origin);
  Mat3d I;
  I << from.ixx, from.ixy, from.ixz, from.ixy, from.iyy, from.iyz, from.ixz, from.iyz, from.izz;
  Inertial to;
  to.mass_kg = from.mass;
  to.com_m = link_T_inertial.p_m;
  const Mat3d turned = link_T_inertial.R * I * link_T_inertial.R.transpose();
  to.inertia_com_kgm2 = 0.5 * (turned + turned.transpose());
  return to;
}

// Raised where urdfdom's model has less than the checked text: nothing may be lost on the way.
[[noreturn]] void lost(const RobotDescription& robot, const std::string& what) {
  fail(robot, "urdfdom dropped " + what);
}

void fill_links(RobotDescription& robot, const urdf::ModelInterface& from) {
  for (LinkDescription& link : robot.links) {
    const auto source = from.getLink(link.name);
    if (!source) lost(robot, "link '" + link.name + "'");
    if (!link.inertial) continue;
    if (!source->inertial) lost(robot, "the <inertial> of link '" + link.name + "'");
    link.inertial = to_inertial(*source->inertial);
  }
}

void fill_axis(RobotDescription& robot, JointDescription& joint, const urdf::Joint& from) {
  joint.axis = to_eigen(from.axis);
  const double length = joint.axis.norm();
  if (!(length > 0.0)) {
    fail(robot, joint_text(joint.name) + ": <axis> is (0, 0, 0), which is no direction");
  }
  if (std::abs(length - 1.0) > 1e-3) {
    robot.warnings.push_back("joint '" + joint.name + "': <axis> has length " + number_text(length) +
                             "; only its direction is used");
  }
  joint.axis /= length;
}

void fill_limits(RobotDescription& robot, JointDescription& joint, const urdf::JointLimits& from) {
  const bool bounded = joint.type == JointType::revolute || joint.type == JointType::prismatic;
  joint.limits = JointLimits{from.lower, from.upper, bounded, from.velocity, from.effort};
  const auto warn = [&](const std::string& what) { robot.warnings.push_back("joint '" + joint.name + "': " + what); };
  if (from.effort == 0.0 && !joint.mimic) warn("effort=\"0\" in <limit> means that no torque is allowed");
  if (from.velocity == 0.0 && !joint.mimic) warn("velocity=\"0\" in <limit> means that no motion is allowed");
  if (bounded && from.lower == from.upper) warn("lower and upper in <limit> are both " + number_text(from.lower));
}

void fill_joints(RobotDescription& robot, const urdf::ModelInterface& from) {
  for (JointDescription& joint : robot.joints) {
    const auto source = from.getJoint(joint.name);
    if (!source) lost(robot, "joint '" + joint.name + "'");
    joint.parent_T_joint = to_pose(source->parent_to_joint_origin_transform);
    if (joint.type != JointType::fixed && joint.type != JointType::floating) fill_axis(robot, joint, *source);
    if (source->mimic && joint.type == JointType::fixed) {
      robot.warnings.push_back(joint_text(joint.name) + " is fixed; its <mimic> has no effect");
    } else if (source->mimic) {
      joint.mimic = Mimic{source->mimic->joint_name, source->mimic->multiplier, source->mimic->offset};
    }
    if (source->limits && joint.type != JointType::fixed) fill_limits(robot, joint, *source->limits);
    if (source->dynamics) {
      joint.damping = source->dynamics->damping;
      joint.friction = source->dynamics->friction;
    }
  }
}

}  // namespace

RobotDescription parse_urdf(const std::string& xml, const std::string& source_name) {
  CheckedUrdf checked = check_urdf(xml, source_name);
  RobotDescription robot = std::move(checked.outline);
  validate_structure(robot);
  const auto model = run_urdfdom(checked.clean_xml, source_name);
  fill_links(robot, *model);
  fill_joints(robot, *model);
  dissolve(*model);
  return robot;
}

std::string read_urdf_text(const std::filesystem::path& file) {
  require_regular_file(file);
  return file.extension() == ".xacro" ? run_xacro(file) : read_text_file(file);
}

RobotDescription load_urdf(const std::filesystem::path& file) {
  return parse_urdf(read_urdf_text(file), file.string());
}

}  // namespace dyn
