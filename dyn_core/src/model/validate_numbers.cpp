// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The numbers of a description: finite, in their range; axes are directions; mimic joints lead to a joint that moves.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "complain.hpp"
#include "dyn_core/model/rotors.hpp"
#include "dyn_core/model/validate.hpp"
#include "dyn_core/numeric/ranges.hpp"

namespace dyn {
namespace {

constexpr double unit_tolerance = 1e-9;

template <class Matrix>
void check_finite(const RobotDescription& robot, const std::string& where, const Matrix& values) {
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const double value = values.data()[i];
    if (!std::isfinite(value)) fail(robot, where + " contains " + number_text(value));
  }
}
void check_finite(const RobotDescription& robot, const std::string& where, double value) {
  if (!std::isfinite(value)) fail(robot, where + " is " + number_text(value));
}
void check_not_negative(const RobotDescription& robot, const std::string& where, double value) {
  check_finite(robot, where, value);
  if (value < 0.0) fail(robot, where + " is negative: " + number_text(value));
}
// Refuses finite numbers of absurd size (numeric/ranges.hpp).
void check_size(const RobotDescription& robot, const std::string& where, double value, double most,
                const std::string& unit) {
  if (std::abs(value) <= most) return;
  fail(robot, where + " is " + number_text(value) + unit + ", beyond the range of " + number_text(most) + unit);
}
void check_length(const RobotDescription& robot, const std::string& where, const Vec3d& way_m) {
  check_finite(robot, where, way_m);
  for (const double x : way_m) check_size(robot, where, x, ranges::length_m, " m");
}
void check_resistance(const RobotDescription& robot, const std::string& where, double value) {
  check_not_negative(robot, where, value);
  check_size(robot, where, value, ranges::resistance, "");
}

void check_link(const RobotDescription& robot, const LinkDescription& link) {
  if (!link.inertial) return;
  const std::string where = link_text(link.name) + ": its ";
  check_not_negative(robot, where + "mass", link.inertial->mass_kg);
  check_size(robot, where + "mass", link.inertial->mass_kg, ranges::mass_kg, " kg");
  check_length(robot, where + "centre of mass", link.inertial->com_m);
  const Mat3d& I = link.inertial->inertia_com_kgm2;
  check_finite(robot, where + "inertia", I);
  check_size(robot, where + "inertia", I.cwiseAbs().maxCoeff(), ranges::inertia_kgm2, " kg m^2");
  if ((I - I.transpose()).cwiseAbs().maxCoeff() > unit_tolerance * I.cwiseAbs().maxCoeff()) {
    fail(robot, where + "inertia is not symmetric");
  }
}

void check_limits(const RobotDescription& robot, const std::string& where, const JointLimits& limits) {
  check_finite(robot, where + ": its lower limit", limits.lower);
  check_finite(robot, where + ": its upper limit", limits.upper);
  check_not_negative(robot, where + ": its velocity limit", limits.velocity);
  check_not_negative(robot, where + ": its effort limit", limits.effort);
  if (limits.lower > limits.upper) {
    fail(robot, where + ": its lower limit " + number_text(limits.lower) + " is above its upper limit " +
                    number_text(limits.upper));
  }
}

bool is_simple(const JointDescription& joint) {
  return joint.type == JointType::revolute || joint.type == JointType::continuous || joint.type == JointType::prismatic;
}

void check_rotor(const RobotDescription& robot, const JointDescription& joint) {
  const std::string where = joint_text(joint.name);
  const double ratio = joint.rotor->ratio;
  if (!is_simple(joint)) {
    fail(robot,
         where + " is " + to_string(joint.type) + "; only revolute, continuous and prismatic joints have a rotor");
  }
  if (joint.mimic) {
    fail(robot, where + " mimics " + joint_text(joint.mimic->joint) +
                    " and has no drive; the rotor belongs to the joint that it follows");
  }
  check_finite(robot, where + ": its gear_ratio", ratio);
  if (ratio == 0.0) fail(robot, where + ": its gear_ratio is 0, so that its rotor would never turn");
  check_size(robot, where + ": its gear_ratio", ratio, ranges::mimic_ratio, "");
  check_finite(robot, where + ": its rotor_axis", joint.rotor->axis);
  const double length = joint.rotor->axis.norm();
  if (std::abs(length - 1.0) > unit_tolerance) {
    fail(robot, where + ": its rotor_axis has length " + number_text(length) + " instead of 1");
  }
  const double inertia = rotor_inertia(joint);
  if (!(inertia <= ranges::inertia_kgm2)) {
    fail(robot, where + ": its armature " + number_text(joint.armature) + " and gear_ratio " + number_text(ratio) +
                    " make a rotor of " + number_text(inertia) + " kg m^2, beyond the range of " +
                    number_text(ranges::inertia_kgm2) + " kg m^2");
  }
}

void check_joint(const RobotDescription& robot, const JointDescription& joint) {
  const std::string where = joint_text(joint.name);
  check_length(robot, where + ": its origin", joint.parent_T_joint.p_m);
  const Mat3d& R = joint.parent_T_joint.R;
  check_finite(robot, where + ": its rotation", R);
  const double skewed = (R.transpose() * R - Mat3d::Identity()).cwiseAbs().maxCoeff();
  if (skewed > unit_tolerance || R.determinant() < 0.0) {
    fail(robot, where + ": the matrix of its origin is not a rotation (R^T R - 1 has an entry of " +
                    number_text(skewed) + ")");
  }
  check_resistance(robot, where + ": its damping", joint.damping);
  check_resistance(robot, where + ": its friction", joint.friction);
  check_resistance(robot, where + ": its armature", joint.armature);
  check_resistance(robot, where + ": its friction's offset", std::abs(joint.friction_offset));
  check_resistance(robot, where + ": its stribeck", joint.stribeck);
  check_resistance(robot, where + ": its damping_negative", joint.damping_negative.value_or(0.0));
  check_resistance(robot, where + ": its friction_negative", joint.friction_negative.value_or(0.0));
  if (!(joint.stribeck_velocity > 0.0 && std::isfinite(joint.stribeck_velocity))) {
    fail(robot, where + ": its stribeck_velocity is " + number_text(joint.stribeck_velocity) + ", not above 0");
  }
  if (joint.limits) check_limits(robot, where, *joint.limits);
  if (joint.rotor) check_rotor(robot, joint);
  if (joint.type == JointType::fixed || joint.type == JointType::floating) return;
  check_finite(robot, where + ": its axis", joint.axis);
  const double length = joint.axis.norm();
  if (std::abs(length - 1.0) > unit_tolerance) {
    fail(robot, where + ": its axis has length " + number_text(length) + " instead of 1");
  }
}

class MimicCheck {
 public:
  explicit MimicCheck(const RobotDescription& robot) : robot_(robot), settled_(robot.joints.size(), false) {
    for (size_t j = 0; j < robot.joints.size(); ++j) index_[robot.joints[j].name] = j;
  }

  void check() {
    for (size_t j = 0; j < robot_.joints.size(); ++j) {
      if (robot_.joints[j].mimic) check_one(j);
    }
    for (size_t j = 0; j < robot_.joints.size(); ++j) follow(j);
  }

 private:
  void check_one(size_t j) const {
    const JointDescription& joint = robot_.joints[j];
    const std::string where = joint_text(joint.name);
    check_finite(robot_, where + ": its mimic multiplier", joint.mimic->multiplier);
    check_finite(robot_, where + ": its mimic offset", joint.mimic->offset);
    check_size(robot_, where + ": its mimic multiplier", joint.mimic->multiplier, ranges::mimic_ratio, "");
    check_size(robot_, where + ": its mimic offset", joint.mimic->offset, ranges::position, "");
    if (!is_simple(joint)) {
      fail(robot_, where + " is " + to_string(joint.type) + " and cannot mimic " + joint_text(joint.mimic->joint));
    }
    const auto leader = index_.find(joint.mimic->joint);
    if (leader == index_.end()) {
      fail(robot_, where + " mimics " + joint_text(joint.mimic->joint) + ", which does not exist");
    }
    if (leader->second == j) fail(robot_, where + " mimics itself");
    const JointDescription& led_by = robot_.joints[leader->second];
    if (!is_simple(led_by)) {
      fail(robot_, where + " mimics " + joint_text(led_by.name) + ", which is " + to_string(led_by.type) +
                       " and does not have one degree of freedom");
    }
  }

  // Follows the leaders from one joint; settled_ marks joints that were passed, so that each is passed once.
  void follow(size_t start) {
    std::vector<size_t> path;
    for (size_t j = start; robot_.joints[j].mimic && !settled_[j]; j = index_.at(robot_.joints[j].mimic->joint)) {
      settled_[j] = true;
      path.push_back(j);
    }
    if (path.empty()) return;
    const size_t end = index_.at(robot_.joints[path.back()].mimic->joint);
    if (std::find(path.begin(), path.end(), end) != path.end()) {
      fail(robot_, joint_text(robot_.joints[end].name) + " mimics itself in a circle over " +
                       joint_text(robot_.joints[end].mimic->joint));
    }
  }

  const RobotDescription& robot_;
  std::unordered_map<std::string, size_t> index_;
  std::vector<bool> settled_;
};

int degrees(const JointDescription& joint) {
  switch (joint.type) {
    case JointType::fixed: return 0;
    case JointType::floating: return 6;
    case JointType::planar: return 3;
    default: return 1;
  }
}

}  // namespace

void check_gravity(const Vec3d& gravity_mps2) {
  if (!gravity_mps2.allFinite()) throw ModelError("gravity: an entry is not a finite number");
  const double largest = gravity_mps2.cwiseAbs().maxCoeff();
  if (largest <= ranges::gravity_mps2) return;
  throw ModelError("gravity: an entry of " + number_text(largest) + " m/s^2 is beyond the range of " +
                   number_text(ranges::gravity_mps2) + " m/s^2");
}

void validate_numbers(const RobotDescription& robot) {
  for (const LinkDescription& link : robot.links) check_link(robot, link);
  for (const JointDescription& joint : robot.joints) check_joint(robot, joint);
  MimicCheck(robot).check();
}

std::vector<std::string> validate_description(const RobotDescription& robot) {
  validate_structure(robot);
  validate_numbers(robot);
  long moving = 0;
  for (const JointDescription& joint : robot.joints) moving += degrees(joint);
  if (moving == 0)
    fail(robot, "no joint moves: there are " + std::to_string(robot.joints.size()) + " joints, all fixed");
  if (moving > max_bodies) {
    fail(robot, "there are " + std::to_string(moving) + " degrees of freedom, more than " + std::to_string(max_bodies));
  }
  return {};
}

}  // namespace dyn
