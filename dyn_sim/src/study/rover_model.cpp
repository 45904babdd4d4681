// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/rover_model.hpp"

#include <cmath>
#include <numbers>

namespace dyn::study {
namespace {

// Table 3, and the distances that are ours.
constexpr double rocker_x = 0.12, steer_x = 0.1, drive_x = 0.01, drive_z = -0.08;
constexpr double front_y = 0.10, bogie_y = -0.05, bogie_half_y = 0.05;

Inertial diagonal(double mass, const Vec3d& com, const Vec3d& moments) {
  return {mass, com, Mat3d(moments.asDiagonal())};
}

JointDescription joint(const std::string& name, JointType type, const std::string& parent, const std::string& child,
                       const Vec3d& origin, const Vec3d& axis) {
  JointDescription j;
  j.name = name;
  j.type = type;
  j.parent_link = parent;
  j.child_link = child;
  j.parent_T_joint.p_m = origin;
  j.axis = axis;
  return j;
}

// Steering link and wheel of Table 3 (links 2, 3 and 4, 5). The table gives a wheel no inertia about its axle, so that
// M is singular; 0.001 kg m^2 about it is ours.
void add_wheel(RobotDescription& robot, const Wheel& wheel, const std::string& parent, const Vec3d& origin,
               double out) {
  const std::string name = wheel.name();
  robot.links.push_back({name + "_fork", diagonal(0.8, {0, 0, -0.04}, {0.0427, 0.0427, 0.0})});
  robot.links.push_back({name + "_wheel", diagonal(0.6, {out * wheel_offset_m, 0, 0}, {0.001, 0.018, 0.018})});
  robot.joints.push_back(joint(name + "_steer", JointType::continuous, parent, name + "_fork", origin, Vec3d::UnitZ()));
  robot.joints.push_back(joint(name + "_drive", JointType::continuous, name + "_fork", name + "_wheel",
                               {out * drive_x, 0, drive_z}, Vec3d::UnitX()));
}

void add_side(RobotDescription& robot, const std::string& side, double out) {
  robot.links.push_back({side + "_rocker", diagonal(1.5, {out * 0.05, 0.02, 0}, {0.02, 0.01, 0.025})});
  robot.joints.push_back(
      joint(side + "_rocker", JointType::continuous, "body", side + "_rocker", {out * rocker_x, 0, 0}, Vec3d::UnitX()));
  if (side == "right") robot.joints.back().mimic = Mimic{"left_rocker", -1.0, 0.0};  // the differential
  robot.links.push_back({side + "_bogie", diagonal(1.0, {out * 0.05, 0, 0}, {0.0, 0.0833, 0.0833})});
  robot.joints.push_back(joint(side + "_bogie", JointType::continuous, side + "_rocker", side + "_bogie",
                               {0, bogie_y, 0}, Vec3d::UnitX()));
  for (const Wheel& wheel : rover_wheels()) {
    if (wheel.side != side) continue;
    const bool front = wheel.place == "front";
    const double y = front ? front_y : wheel.place == "middle" ? bogie_half_y : -bogie_half_y;
    add_wheel(robot, wheel, side + (front ? "_rocker" : "_bogie"), {out * steer_x, y, 0}, out);
  }
}

}  // namespace

const std::array<Wheel, 6>& rover_wheels() {
  constexpr double x = rocker_x + steer_x + drive_x + wheel_offset_m;
  static const std::array<Wheel, 6> wheels{{{"left", "front", x, front_y},
                                            {"left", "middle", x, bogie_y + bogie_half_y},
                                            {"left", "rear", x, bogie_y - bogie_half_y},
                                            {"right", "front", -x, front_y},
                                            {"right", "middle", -x, bogie_y + bogie_half_y},
                                            {"right", "rear", -x, bogie_y - bogie_half_y}}};
  return wheels;
}

RobotDescription rover_description() {
  RobotDescription robot;
  robot.name = "rover";
  robot.links = {{"world", {}}, {"body", diagonal(8.0, {0, 0, 0.03}, {0.08, 0.06, 0.12})}};
  robot.joints = {joint("base", JointType::floating, "world", "body", Vec3d::Zero(), Vec3d::UnitZ())};
  add_side(robot, "left", 1.0);
  add_side(robot, "right", -1.0);
  return robot;
}

namespace {
constexpr double bump_m = 0.006, wave_x = 2.0 * std::numbers::pi / 0.53, wave_y = 2.0 * std::numbers::pi / 0.41;
}  // namespace

double ground_height(double x, double y) {
  return bump_m * (std::sin(wave_x * x) * std::cos(wave_y * y) + 0.5 * std::sin(1.7 * wave_x * x + 2.3 * wave_y * y));
}

Vec3d ground_normal(double x, double y) {
  const double slanted = 1.7 * wave_x * x + 2.3 * wave_y * y;
  const double slope_x =
      bump_m * (wave_x * std::cos(wave_x * x) * std::cos(wave_y * y) + 0.85 * wave_x * std::cos(slanted));
  const double slope_y =
      bump_m * (-wave_y * std::sin(wave_x * x) * std::sin(wave_y * y) + 1.15 * wave_y * std::cos(slanted));
  return Vec3d(-slope_x, -slope_y, 1.0).normalized();
}

}  // namespace dyn::study
