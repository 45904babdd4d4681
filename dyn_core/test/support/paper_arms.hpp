// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Two arms of the papers, and their M, C and g in closed form as printed, with the prints' errors corrected. Their
// formulas know nothing of this project's algorithms.
#pragma once

#include <cmath>

#include "dyn_core/model/description.hpp"

namespace dyn::test {

struct ClosedForm {
  MatX<double> M, C;
  VecX<double> g;
};

inline JointDescription revolute_z(const std::string& name, const std::string& parent, const std::string& child,
                                   const Pose& parent_T_joint) {
  JointDescription joint;
  joint.name = name;
  joint.type = JointType::continuous;
  joint.parent_link = parent;
  joint.child_link = child;
  joint.parent_T_joint = parent_T_joint;
  joint.axis = Vec3d::UnitZ();
  return joint;
}

inline Inertial principal(double mass, const Vec3d& com, const Vec3d& moments) {
  return {mass, com, Mat3d(moments.asDiagonal())};
}

// Paper 004 (Truc, Quyen and Quang): Table 1, eq 71, g = 9.807.
struct ThreeLink {
  static constexpr double gravity = 9.807;
  static constexpr double l0 = 0.294, r0 = 0.140, m1 = 5.248;
  static constexpr double l1 = 0.190, r1 = 0.088, m2 = 2.412;
  static constexpr double r2 = 0.080, m3 = 1.577;
  static inline const Vec3d I1{83.5e-3, 30.4e-3, 83.5e-3};
  static inline const Vec3d I2{15.9e-3, 40.5e-3, 40.5e-3};
  static inline const Vec3d I3{7.9e-3, 20.2e-3, 20.2e-3};

  // Frames as URDF has them: a link's frame stands in its own joint; DH's frame 1 is turned about x by -90 degrees.
  static RobotDescription description() {
    Mat3d turn;
    turn << 1, 0, 0, 0, 0, 1, 0, -1, 0;
    Inertial first = principal(m1, Vec3d(0, 0, r0), Vec3d(I1.x(), I1.z(), I1.y()));
    RobotDescription robot;
    robot.name = "three_link";
    robot.links = {{"base", {}},
                   {"link1", first},
                   {"link2", principal(m2, Vec3d(r1, 0, 0), I2)},
                   {"link3", principal(m3, Vec3d(r2, 0, 0), I3)}};
    robot.joints = {revolute_z("joint1", "base", "link1", {}),
                    revolute_z("joint2", "link1", "link2", {turn, Vec3d(0, 0, l0)}),
                    revolute_z("joint3", "link2", "link3", {Mat3d::Identity(), Vec3d(l1, 0, 0)})};
    return robot;
  }

  // Eqs 64-69.
  static ClosedForm closed_form(const std::vector<double>& q, const std::vector<double>& v) {
    const double c2 = std::cos(q[1]), s2 = std::sin(q[1]), c3 = std::cos(q[2]), s3 = std::sin(q[2]);
    const double c23 = std::cos(q[1] + q[2]), s23 = std::sin(q[1] + q[2]);
    const double a = m3 * r2 * r2 + I3.y() - I3.x();
    const double b = l1 * m3 * r2;
    const double d = l1 * l1 * m3 + m2 * r1 * r1 - I2.x() + I2.y();
    ClosedForm f{MatX<double>::Zero(3, 3), MatX<double>::Zero(3, 3), VecX<double>::Zero(3)};
    f.M(0, 0) = I3.y() * c23 * c23 + I3.x() * s23 * s23 + I2.x() * s2 * s2 + I1.y() +
                (m2 * r1 * r1 + I2.y()) * c2 * c2 + m3 * std::pow(r2 * c23 + l1 * c2, 2);
    f.M(1, 1) = 2 * b * c3 + (l1 * l1 + r2 * r2) * m3 + m2 * r1 * r1 + I3.z() + I2.z();
    f.M(2, 2) = m3 * r2 * r2 + I3.z();
    f.M(1, 2) = f.M(2, 1) = b * c3 + m3 * r2 * r2 + I3.z();
    f.C(0, 0) = -(a * (v[1] + v[2]) * s23 + m3 * r2 * l1 * (2 * v[1] + v[2]) * s2) * c23 - d * c2 * s2 * v[1] -
                b * s3 * (v[1] + v[2]);
    f.C(1, 0) = ((a * s23 + 2 * b * s2) * c23 + d * c2 * s2 + b * s3) * v[0];
    f.C(2, 0) = ((a * s23 + b * s2) * c23 + b * s3) * v[0];
    f.C(0, 1) = -f.C(1, 0);
    f.C(0, 2) = -f.C(2, 0);
    f.C(1, 1) = -b * s3 * v[2];
    f.C(1, 2) = -b * s3 * (v[1] + v[2]);
    f.C(2, 1) = b * s3 * v[1];
    f.g[1] = -(l1 * m3 + m2 * r1) * gravity * c2 - m3 * r2 * gravity * c23;
    f.g[2] = -m3 * r2 * gravity * c23;
    return f;
  }
};

// Paper 002 (Laus, Simoni and Martins): the pelican arm in the vertical plane x, y, and its crucible on a passive
// joint. The paper leaves the parameters open; links as long as a desk-top arm's.
struct Pelican {
  static constexpr double gravity = 9.81;
  static constexpr double a1 = 0.26, l1 = 0.0983, m1 = 6.5225, I1 = 0.1213;
  static constexpr double a2 = 0.27, l2 = 0.0229, m2 = 2.0458, I2 = 0.0116;
  static constexpr double l3 = 0.12, m3 = 1.5, I3 = 0.0123;

  static RobotDescription description(bool with_crucible) {
    RobotDescription robot;
    robot.name = "pelican";
    robot.links = {{"base", {}},
                   {"link1", principal(m1, Vec3d(l1, 0, 0), Vec3d(0.7 * I1, 0.8 * I1, I1))},
                   {"link2", principal(m2, Vec3d(l2, 0, 0), Vec3d(0.7 * I2, 0.8 * I2, I2))}};
    robot.joints = {revolute_z("joint1", "base", "link1", {}),
                    revolute_z("joint2", "link1", "link2", {Mat3d::Identity(), Vec3d(a1, 0, 0)})};
    if (!with_crucible) return robot;
    robot.links.push_back({"crucible", principal(m3, Vec3d(l3, 0, 0), Vec3d(0.7 * I3, 0.8 * I3, I3))});
    robot.joints.push_back(revolute_z("hook", "link2", "crucible", {Mat3d::Identity(), Vec3d(a2, 0, 0)}));
    robot.joints.back().payload = 1;
    return robot;
  }

  // Eqs 47, 48, 51, 52.
  static ClosedForm link1(const std::vector<double>& q) {
    ClosedForm f{MatX<double>::Zero(1, 1), MatX<double>::Zero(1, 1), VecX<double>::Zero(1)};
    f.M(0, 0) = m1 * l1 * l1 + I1;
    f.g[0] = m1 * gravity * l1 * std::cos(q[0]);
    return f;
  }
  static ClosedForm link2(const std::vector<double>& q, const std::vector<double>& v) {
    const double c2 = std::cos(q[1]), s2 = std::sin(q[1]), c12 = std::cos(q[0] + q[1]);
    ClosedForm f{MatX<double>::Zero(2, 2), MatX<double>::Zero(2, 2), VecX<double>::Zero(2)};
    f.M << m2 * (a1 * a1 + l2 * l2 + 2 * a1 * l2 * c2) + I2, m2 * l2 * (l2 + a1 * c2) + I2,
        m2 * l2 * (l2 + a1 * c2) + I2, m2 * l2 * l2 + I2;
    f.C << -m2 * a1 * l2 * s2 * v[1], -m2 * a1 * l2 * s2 * (v[0] + v[1]), m2 * a1 * l2 * s2 * v[0], 0.0;
    f.g << m2 * gravity * (a1 * std::cos(q[0]) + l2 * c12), m2 * gravity * l2 * c12;
    return f;
  }
  // Eqs 58, 59, 61. Corrected: m_11 ends in I_z3 without a second factor m3; the second line of m_22 is the right one
  // and the first is m_21; m_33 = m3 l3^2 + I_z3; the first term of c_12 has the factor a1; c_22 has the rate of joint
  // 3 only.
  static ClosedForm crucible(const std::vector<double>& q, const std::vector<double>& v) {
    const double s2 = std::sin(q[1]), c2 = std::cos(q[1]), s3 = std::sin(q[2]), c3 = std::cos(q[2]);
    const double s23 = std::sin(q[1] + q[2]), c23 = std::cos(q[1] + q[2]);
    const double c12 = std::cos(q[0] + q[1]), c123 = std::cos(q[0] + q[1] + q[2]);
    ClosedForm f{MatX<double>::Zero(3, 3), MatX<double>::Zero(3, 3), VecX<double>::Zero(3)};
    f.M(0, 0) = m3 * std::pow(l3 + a2 * c3 + a1 * c23, 2) + m3 * std::pow(a2 * s3 + a1 * s23, 2) + I3;
    f.M(0, 1) = f.M(1, 0) = m3 * (a2 * a2 + l3 * l3 + a1 * a2 * c2 + 2 * a2 * l3 * c3 + a1 * l3 * c23) + I3;
    f.M(0, 2) = f.M(2, 0) = l3 * m3 * (l3 + a2 * c3 + a1 * c23) + I3;
    f.M(1, 1) = m3 * (a2 * a2 + l3 * l3 + 2 * a2 * l3 * c3) + I3;
    f.M(1, 2) = f.M(2, 1) = l3 * m3 * (l3 + a2 * c3) + I3;
    f.M(2, 2) = m3 * l3 * l3 + I3;
    const double p = a2 * s2 + l3 * s23;
    const double r = a2 * s3 + a1 * s23;
    f.C(0, 0) = -m3 * (a1 * p * v[1] + l3 * r * v[2]);
    f.C(0, 1) = -m3 * (a1 * p * (v[0] + v[1]) + l3 * r * v[2]);
    f.C(0, 2) = -m3 * l3 * r * (v[0] + v[1] + v[2]);
    f.C(1, 0) = m3 * (a1 * p * v[0] - a2 * l3 * s3 * v[2]);
    f.C(1, 1) = -m3 * l3 * a2 * s3 * v[2];
    f.C(1, 2) = -m3 * l3 * a2 * s3 * (v[0] + v[1] + v[2]);
    f.C(2, 0) = m3 * l3 * (a2 * s3 * (v[0] + v[1]) + a1 * s23 * v[0]);
    f.C(2, 1) = m3 * l3 * a2 * s3 * (v[0] + v[1]);
    f.g << m3 * gravity * (a1 * std::cos(q[0]) + a2 * c12 + l3 * c123), m3 * gravity * (a2 * c12 + l3 * c123),
        m3 * gravity * l3 * c123;
    return f;
  }
};

}  // namespace dyn::test
