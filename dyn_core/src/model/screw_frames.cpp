// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/model/screw_frames.hpp"

#include <cmath>

#include "dyn_core/model/tree.hpp"

namespace dyn {
namespace {

constexpr double parallel = 4e-16;  // sine of the angle between axes that are parallel but for rounding
constexpr double far_away = 5.0;    // largest shift of a frame along an axis, relative to the distance of the joints

struct Free {  // the free angle and place of a body frame
  double c = 1.0, s = 0.0, shift = 0.0;
};

// x along the common normal of z and the child's axis, origin at the foot of the normal if that is not far away.
Free choose(const Mat3d& R_child, const Vec3d& p_child) {
  const Vec3d axis = R_child.col(2);
  const double sine = std::hypot(axis.x(), axis.y());
  if (sine <= parallel) {
    const double a = std::hypot(p_child.x(), p_child.y());
    return a > 0.0 ? Free{p_child.x() / a, p_child.y() / a, 0.0} : Free{};
  }
  Free f{-axis.y() / sine, axis.x() / sine, 0.0};
  const double d = -(f.c * p_child.y() - f.s * p_child.x()) / sine;
  const double shift = p_child.z() - d * axis.z();
  const double limit = far_away * p_child.norm();
  if (std::abs(d) <= limit && std::abs(shift) <= limit) f.shift = shift;
  return f;
}

Mat3d turn_z(double c, double s) {
  Mat3d R;
  R << c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0;
  return R;
}

PlaneTurn<double> plane_turn(double c, double s) {
  const double norm = std::hypot(c, s);
  c /= norm;
  s /= norm;
  return {c, s, s * s, c * s};
}

// R and p of the child in the parent's screw frame, before the child's own free angle and shift.
ScrewJoint joint_of(Mat3d R, Vec3d p, bool first, double tolerance) {
  ScrewJoint joint;
  const double sine = std::hypot(R(0, 2), R(1, 2));
  if (!first && sine > parallel) {
    joint.gamma = plane_turn(-R(1, 2), R(0, 2));
    joint.turned = true;
    const Mat3d back = turn_z(joint.gamma.c, -joint.gamma.s);
    R = (back * R).eval();
    p = (back * p).eval();
  }
  joint.alpha = sine > parallel ? plane_turn(R(2, 2), -R(1, 2)) : plane_turn(std::copysign(1.0, R(2, 2)), 0.0);
  const PlaneTurn<double> theta = plane_turn(R(0, 0), joint.alpha.c * R(1, 0) + joint.alpha.s * R(2, 0));
  joint.c0 = theta.c;
  joint.s0 = theta.s;
  // p = (a, 0, 0) + d (0, -sin alpha, cos alpha)
  joint.d = joint.alpha.c * p.z() - joint.alpha.s * p.y();
  const Vec3d rest = p - joint.d * Vec3d(0.0, -joint.alpha.s, joint.alpha.c);
  joint.along_x = std::hypot(rest.y(), rest.z()) <= tolerance;
  joint.p = joint.along_x ? Vec3d(p.x(), 0.0, 0.0) : p;
  if (!joint.along_x) joint.d = 0.0;
  return joint;
}

}  // namespace

ScrewFrames make_screw_frames(const Tree& tree) {
  const size_t n = tree.size;
  std::vector<Free> free(n);
  for (size_t i = 0; i + 1 < n; ++i) {
    const bool has_child = tree.parent[i + 1] == static_cast<int>(i);
    if (has_child) free[i] = choose(tree.parent_R_joint[i + 1], tree.parent_p_joint[i + 1]);
  }
  ScrewFrames frames;
  for (size_t i = 0; i < n; ++i) {
    const int parent = tree.parent[i];
    const Free from = parent < 0 ? Free{} : free[parent];
    const Mat3d back = turn_z(from.c, -from.s);
    const bool first = parent >= 0 && parent + 1 == static_cast<int>(i);
    const Vec3d& p = tree.parent_p_joint[i];
    const double rounding = 4e-16 * (p.norm() + std::abs(from.shift));
    ScrewJoint joint = joint_of(back * tree.parent_R_joint[i], back * p - Vec3d(0.0, 0.0, from.shift), first, rounding);
    const double c = joint.c0 * free[i].c - joint.s0 * free[i].s;
    joint.s0 = joint.s0 * free[i].c + joint.c0 * free[i].s;
    joint.c0 = c;
    joint.d += free[i].shift;
    frames.joint.push_back(joint);
    frames.c.push_back(free[i].c);
    frames.s.push_back(free[i].s);
    frames.shift.push_back(free[i].shift);
  }
  frames.inertia.resize(n);
  return frames;
}

void update_screw_inertia(Tree& tree, int body) noexcept {
  ScrewFrames& frames = tree.screw;
  const Mat3d back = turn_z(frames.c[body], -frames.s[body]);
  const Vec3d c = back * tree.com[body] - Vec3d(0.0, 0.0, frames.shift[body]);
  const Mat3d half = back * tree.inertia_com[body];
  const double m = tree.mass[body];
  ScrewInertia& inertia = frames.inertia[body];
  inertia.m = m;
  inertia.h = m * c;
  for (int r = 0; r < 3; ++r) {
    for (int k = 0; k <= r; ++k) {
      const double steiner = m * ((r == k ? c.squaredNorm() : 0.0) - c[r] * c[k]);
      inertia.I(r, k) = inertia.I(k, r) = half.row(r).dot(back.row(k)) + steiner;
    }
  }
}

}  // namespace dyn
