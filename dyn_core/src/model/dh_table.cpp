// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/model/dh_table.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "complain.hpp"
#include "dyn_core/model/validate.hpp"

namespace dyn {
namespace {

// Sums of mass, first moment and second moment (of m r r^T) about the joint's origin.
struct Moments {
  double mass = 0.0;
  Vec3d first = Vec3d::Zero();
  Mat3d second = Mat3d::Zero();

  void add_point(double m, const Vec3d& r) {
    mass += m;
    first += m * r;
    second += m * r * r.transpose();
  }
  // A uniform rod from r to r + d, c its centre: the integral of (r + s d)(r + s d)^T over s in [0, 1] is c c^T + d
  // d^T/12.
  void add_rod(double m, const Vec3d& r, const Vec3d& d) {
    add_point(m, r + 0.5 * d);
    second += m / 12.0 * d * d.transpose();
  }
};

double rod_along_z(const DhLink& link) { return link.type == JointType::prismatic ? 0.0 : link.b_m; }

void check_row(const DhTable& table, size_t i) {
  const DhLink& link = table.links[i];
  const std::string where = table.name + ": row " + std::to_string(i + 1) + " of the DH table: ";
  if (link.type != JointType::revolute && link.type != JointType::continuous && link.type != JointType::prismatic) {
    throw ModelError(where + "a " + to_string(link.type) + " joint has no DH parameters");
  }
  const std::pair<const char*, double> numbers[] = {{"a", link.a_m},
                                                    {"b", link.b_m},
                                                    {"alpha", link.alpha_rad},
                                                    {"theta", link.theta_rad},
                                                    {"mass", link.mass_kg},
                                                    {"tip mass", link.tip_mass_kg},
                                                    {"hub inertia", link.hub_inertia_kgm2},
                                                    {"hub inertia across", link.hub_across_kgm2}};
  for (const auto& [what, value] : numbers) {
    if (!std::isfinite(value)) throw ModelError(where + what + " is " + number_text(value));
  }
  for (const auto& [what, value] : {numbers[4], numbers[5], numbers[6], numbers[7]}) {
    if (value < 0.0) throw ModelError(where + what + " is negative: " + number_text(value));
  }
  if (link.mass_kg > 0.0 && std::abs(link.a_m) + std::abs(rod_along_z(link)) == 0.0) {
    throw ModelError(where + "a rod of mass " + number_text(link.mass_kg) + " kg has no length");
  }
}

}  // namespace

Inertial slender_inertial(const DhLink& link) {
  const Vec3d along_z = rod_along_z(link) * Vec3d::UnitZ();
  const Vec3d along_x = link.a_m * Vec3d::UnitX();
  const double length = along_z.norm() + along_x.norm();
  Moments moments;
  if (length > 0.0) {
    const double mass_per_length = link.mass_kg / length;
    moments.add_rod(mass_per_length * along_z.norm(), Vec3d::Zero(), along_z);
    moments.add_rod(mass_per_length * along_x.norm(), along_z, along_x);
  }
  moments.add_point(link.tip_mass_kg, along_z + along_x);

  Inertial inertial;
  inertial.mass_kg = moments.mass;
  if (moments.mass > 0.0) inertial.com_m = moments.first / moments.mass;
  const Mat3d second = moments.second - moments.mass * inertial.com_m * inertial.com_m.transpose();
  inertial.inertia_com_kgm2 = second.trace() * Mat3d::Identity() - second;
  // The hub has no mass: its inertia is the same about every point.
  inertial.inertia_com_kgm2.diagonal() += Vec3d(link.hub_across_kgm2, link.hub_across_kgm2, link.hub_inertia_kgm2);
  return inertial;
}

RobotDescription describe(const DhTable& table) {
  RobotDescription robot;
  robot.name = table.name;
  robot.links.push_back({"base", std::nullopt});
  Pose previous_T_joint;
  for (size_t i = 0; i < table.links.size(); ++i) {
    check_row(table, i);
    const DhLink& link = table.links[i];
    const std::string number = std::to_string(i + 1);
    JointDescription joint;
    joint.name = "joint" + number;
    joint.type = link.type;
    joint.parent_link = robot.links.back().name;
    joint.child_link = "link" + number;
    joint.axis = Vec3d::UnitZ();
    joint.limits = link.limits;
    const Mat3d about_z = Eigen::AngleAxisd(link.theta_rad, Vec3d::UnitZ()).toRotationMatrix();
    joint.parent_T_joint = previous_T_joint * Pose{about_z, Vec3d::Zero()};
    if (link.type == JointType::prismatic) joint.parent_T_joint.p_m += link.b_m * joint.parent_T_joint.R.col(2);
    robot.joints.push_back(joint);
    robot.links.push_back({joint.child_link, slender_inertial(link)});
    const Mat3d about_x = Eigen::AngleAxisd(link.alpha_rad, Vec3d::UnitX()).toRotationMatrix();
    previous_T_joint = Pose{about_x, Vec3d(link.a_m, 0.0, rod_along_z(link))};
  }
  JointDescription flange;
  flange.name = "flange";
  flange.parent_link = robot.links.back().name;
  flange.child_link = "tool0";
  flange.parent_T_joint = previous_T_joint;
  robot.joints.push_back(flange);
  robot.links.push_back({"tool0", std::nullopt});
  validate_description(robot);
  return robot;
}

DhTable puma_table() {
  constexpr double right = std::numbers::pi / 2.0;
  const auto row = [](double a, double b, double alpha, double mass, double hub) {
    DhLink link;
    link.type = JointType::continuous;  // the paper has no limits
    link.a_m = a, link.b_m = b, link.alpha_rad = alpha, link.mass_kg = mass, link.hub_inertia_kgm2 = hub;
    return link;
  };
  return {"puma",
          {row(0.0, 0.20, -right, 10.521, 0.0), row(0.432, 0.149, 0.0, 15.7612, 0.0), row(0.02, 0.0, right, 8.767, 0.0),
           row(0.0, 0.432, -right, 0.0, 0.181), row(0.0, 0.0, right, 0.0, 0.0735), row(0.0, 0.056, 0.0, 0.0, 0.0141)}};
}

}  // namespace dyn
