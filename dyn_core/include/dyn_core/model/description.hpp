// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A robot as its author wrote it: links, joints, inertials, in plain structs that may be edited freely. Comes from URDF
// (urdf.hpp), from a DH table (dh_table.hpp) or from code; Model::build validates it and makes the immutable Model.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "dyn_core/numeric/types.hpp"

namespace dyn {

enum class JointType { fixed, revolute, continuous, prismatic, floating, planar };

[[nodiscard]] const char* to_string(JointType type) noexcept;

// Pose of a frame B in a frame A, named a_T_b: x_A = R x_B + p.
struct Pose {
  Mat3d R = Mat3d::Identity();
  Vec3d p_m = Vec3d::Zero();

  friend Pose operator*(const Pose& a_T_b, const Pose& b_T_c) {
    return {a_T_b.R * b_T_c.R, a_T_b.R * b_T_c.p_m + a_T_b.p_m};
  }
};

struct Inertial {
  double mass_kg = 0.0;
  Vec3d com_m = Vec3d::Zero();             // in the link frame
  Mat3d inertia_com_kgm2 = Mat3d::Zero();  // about the centre of mass, in the axes of the link frame
};

// For drawings only.
struct Visual {
  enum class Shape : std::uint8_t { box, cylinder, sphere };
  Shape shape = Shape::box;
  Vec3d size_m = Vec3d::Zero();  // a box's edges; radius and length of a cylinder; radius of a sphere
  Pose link_T_visual;
  std::optional<Vec3d> color;  // red, green, blue from 0 to 1
};

struct LinkDescription {
  std::string name;
  std::optional<Inertial> inertial;
  std::vector<Visual> visuals{};  // boxes, cylinders and spheres; meshes are not read
};

struct JointLimits {  // SI units of the joint: rad or m, and their rates; N m or N
  double lower = 0.0, upper = 0.0;
  bool has_position = false;
  double velocity = 0.0, effort = 0.0;
  // Limits of references: <safety_controller>'s soft limits, within lower and upper; infinite where the URDF has none.
  double soft_lower = -std::numeric_limits<double>::infinity(), soft_upper = std::numeric_limits<double>::infinity();
};

struct Mimic {  // q = multiplier q_joint + offset
  std::string joint;
  double multiplier = 1.0;
  double offset = 0.0;
};

// The rotor of a joint's motor as a body of its own on the joint's parent link (model/rotors.hpp).
struct Rotor {
  double ratio = 1.0;           // its rate relative to the parent link by the joint's rate; rad/m for prismatic joints
  Vec3d axis = Vec3d::UnitX();  // unit length, in the joint frame at q = 0, and fixed to the parent link
  bool is_body = false;         // with_rotor_bodies() has made it one: its armature is not on M's diagonal any more
};

struct JointDescription {
  std::string name;
  JointType type = JointType::fixed;
  std::string parent_link, child_link;
  Pose parent_T_joint;
  Vec3d axis = Vec3d::UnitX();  // in the joint frame, unit length; the normal of the plane for planar joints
  std::optional<JointLimits> limits;
  std::optional<Mimic> mimic;
  double damping = 0.0;   // N m s/rad or N s/m
  double friction = 0.0;  // Coulomb: N m or N
  double armature = 0.0;  // kg m^2 or kg: reflected inertia of the drive
  // Further friction terms (model/joint_friction.hpp); damping and friction may differ for negative rates.
  double friction_offset = 0.0;              // N m or N
  double stribeck = 0.0;                     // N m or N
  double stribeck_velocity = 1e-2;           // rad/s or m/s
  std::optional<double> damping_negative{};  // not given: the same as for positive rates
  std::optional<double> friction_negative{};
  int payload = 0;               // 0: the robot's own; k: of the k-th payload, whose joints come after all earlier ones
  std::optional<Rotor> rotor{};  // not given: the armature stays on M's diagonal
  bool is_rotor = false;         // this joint is a rotor's, made by with_rotor_bodies()
};

struct RobotDescription {
  std::string name;
  std::string source;  // file, for messages
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  std::vector<std::string> warnings;  // what the reader found doubtful
};

}  // namespace dyn
