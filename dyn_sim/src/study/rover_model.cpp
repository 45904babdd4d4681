// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/rover_model.hpp"

namespace dyn::study {
namespace {

// Table 3, and the distances that are ours.
constexpr double rocker_x = 0.12, steer_x = 0.1, drive_x = 0.01;
constexpr double bogie_half_y = 0.05, rocker_length_y = turning_arm_m + bogie_half_y;

// Along y, seen from the rocker's pivot, which is the body's origin.
double front_y(const Suspension& s) { return -s.pivot_share * rocker_length_y; }
double bogie_y(const Suspension& s) { return front_y(s) + rocker_length_y; }

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

Visual shape(Visual::Shape kind, const Vec3d& size, const Vec3d& at, const Vec3d& color) {
  Visual visual;
  visual.shape = kind;
  visual.size_m = size;
  visual.link_T_visual.p_m = at;
  visual.color = color;
  return visual;
}

// A tyre about the axle, and a spoke from which one sees it turn.
std::vector<Visual> wheel_shapes(double out) {
  const Vec3d at(out * wheel_offset_m, 0, 0);
  Visual tyre = shape(Visual::Shape::cylinder, {wheel_radius_m, 0.035, 0}, at, {0.25, 0.27, 0.30});
  tyre.link_T_visual.R << 0, 0, 1, 0, 1, 0, -1, 0, 0;  // z of a cylinder along x
  const Visual spoke = shape(Visual::Shape::box, {0.037, 0.012, 1.7 * wheel_radius_m}, at, {0.85, 0.87, 0.90});
  return {tyre, spoke};
}

// Steering link and wheel of Table 3 (links 2, 3 and 4, 5). The table gives a wheel no inertia about its axle, so that
// M is singular; 0.001 kg m^2 about it is ours.
void add_wheel(RobotDescription& robot, const Wheel& wheel, const std::string& parent, const Vec3d& origin,
               double out) {
  const std::string name = wheel.name();
  robot.links.push_back({name + "_fork", diagonal(0.8, {0, 0, -0.04}, {0.0427, 0.0427, 0.0})});
  robot.links.push_back(
      {name + "_wheel", diagonal(0.6, {out * wheel_offset_m, 0, 0}, {0.001, 0.018, 0.018}), wheel_shapes(out)});
  robot.joints.push_back(joint(name + "_steer", JointType::continuous, parent, name + "_fork", origin, Vec3d::UnitZ()));
  robot.joints.push_back(joint(name + "_drive", JointType::continuous, name + "_fork", name + "_wheel",
                               {out * drive_x, 0, -wheel_drop_m}, Vec3d::UnitX()));
}

void add_side(RobotDescription& robot, const Suspension& suspension, const std::string& side, double out) {
  const JointType turning = suspension.locked ? JointType::fixed : JointType::continuous;
  robot.links.push_back({side + "_rocker", diagonal(1.5, {out * 0.05, -0.02, 0}, {0.02, 0.01, 0.025})});
  robot.joints.push_back(
      joint(side + "_rocker", turning, "body", side + "_rocker", {out * rocker_x, 0, 0}, Vec3d::UnitX()));
  if (side == "right" && !suspension.locked) robot.joints.back().mimic = Mimic{"left_rocker", -1.0, 0.0};
  robot.links.push_back({side + "_bogie", diagonal(1.0, {out * 0.05, 0, 0}, {0.0, 0.0833, 0.0833})});
  robot.joints.push_back(
      joint(side + "_bogie", turning, side + "_rocker", side + "_bogie", {0, bogie_y(suspension), 0}, Vec3d::UnitX()));
  for (const Wheel& wheel : rover_wheels(suspension)) {
    if (wheel.side != side) continue;
    const bool front = wheel.place == "front";
    const double y = front ? front_y(suspension) : wheel.place == "middle" ? -bogie_half_y : bogie_half_y;
    add_wheel(robot, wheel, side + (front ? "_rocker" : "_bogie"), {out * steer_x, y, 0}, out);
  }
}

}  // namespace

std::array<Wheel, 6> rover_wheels(const Suspension& suspension) {
  constexpr double x = rocker_x + steer_x + drive_x + wheel_offset_m;
  const double front = front_y(suspension), bogie = bogie_y(suspension);
  std::array<Wheel, 6> wheels;
  for (size_t k = 0; k < 6; ++k) {
    wheels[k].side = k < 3 ? "left" : "right";
    wheels[k].x_m = k < 3 ? x : -x;
    wheels[k].place = k % 3 == 0 ? "front" : k % 3 == 1 ? "middle" : "rear";
    wheels[k].y_m = k % 3 == 0 ? front : k % 3 == 1 ? bogie - bogie_half_y : bogie + bogie_half_y;
  }
  return wheels;
}

RobotDescription rover_description(const Suspension& suspension) {
  RobotDescription robot;
  robot.name = "rover";
  const std::vector<Visual> hull{shape(Visual::Shape::box, {0.20, 0.26, 0.07}, {0, 0.02, 0.055}, {0.92, 0.80, 0.42}),
                                 shape(Visual::Shape::box, {0.44, 0.22, 0.008}, {0, 0.03, 0.10}, {0.16, 0.22, 0.42}),
                                 shape(Visual::Shape::cylinder, {0.008, 0.14, 0}, {0, -0.09, 0.15}, {0.85, 0.87, 0.90}),
                                 shape(Visual::Shape::box, {0.06, 0.03, 0.03}, {0, -0.09, 0.23}, {0.25, 0.27, 0.30})};
  robot.links = {{"world", {}}, {"body", diagonal(8.0, {0, 0, 0.03}, {0.08, 0.06, 0.12}), hull}};
  robot.joints = {joint("base", JointType::floating, "world", "body", Vec3d::Zero(), Vec3d::UnitZ())};
  add_side(robot, suspension, "left", 1.0);
  add_side(robot, suspension, "right", -1.0);
  return robot;
}

}  // namespace dyn::study
