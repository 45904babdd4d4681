// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// From a Tree to a Plan: segments, constants in lanes, and the regrouping of inertias. Joint i does not move mass on
// its axis relative to the body before, so that such mass may be added to that body. From the tips to the base:
//   revolute: m, h_z and G_zz go to the body before; h_x, h_y and the other five of G stay.
//   prismatic: G about the centre of mass goes to the body before (relative to which it does not rotate);
//              a point mass at the centre of mass stays, which becomes the body's reference point.
// These are the base parameters: M, C and g do not change, revolute bodies have no mass left, and the kernels do less.
// A revolute body's reference point may be anywhere on its axis: it is nearest to that of the next body, so that the
// offset between them has no z. The kernels' x and y axes may be rotated about z: x is along the remaining h (only
// where lanes are bodies; where they are states, right angles between joint frames save more).
#include "fused/plan.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace dyn::fused {
namespace {

constexpr int kMiddle = 3;                            // body that middle.hpp starts from
constexpr double kMiddleLength = 1.0905077326652577;  // 2^(1/8)

BodyMoments body_moments(const Tree& tree, int i) noexcept {
  const Mat3d& I = tree.inertia_com[i];
  const Vec3d& c = tree.com[i];
  return {tree.mass[i], tree.mass[i] * c, Mat3d::Identity() * (0.5 * I.trace()) - I + tree.mass[i] * c * c.transpose()};
}

// Rotations that differ from a permutation by rounding count as one: URDF files have pi/2 in decimals.
AxisPermutation axis_permutation(const Mat3d& R) noexcept {
  AxisPermutation p{true, {0, 0, 0}, {0.0, 0.0, 0.0}};
  for (int c = 0; c < 3; ++c) {
    R.col(c).cwiseAbs().maxCoeff(&p.axis[c]);
    p.sign[c] = R(p.axis[c], c) > 0.0 ? 1.0 : -1.0;
    const Vec3d whole = Vec3d::Unit(p.axis[c]) * p.sign[c];
    p.applies = p.applies && (R.col(c) - whole).cwiseAbs().maxCoeff() < 1e-15;
  }
  return p;
}

}  // namespace

void BodyMoments::add(double mass, const Vec3d& first, const Mat3d& second, const Mat3d& R, const Vec3d& p) noexcept {
  const Vec3d Rh = R * first;
  m += mass;
  h += Rh + mass * p;
  G += R * second * R.transpose() + Rh * p.transpose() + p * Rh.transpose() + mass * p * p.transpose();
}

PlanMemory::PlanMemory(const Tree& tree, const Kernels& kernels, lanes::KernelSet set, int width)
    : width_(width),
      regrouped_(tree.size),
      reference_(tree.size),
      align_(tree.size, Mat3d::Identity()),
      cut_(tree, width),
      permutations_(tree.size) {
  plan.blocks = cut_.blocks;
  plan.bodies = tree.size;
  plan.segments = static_cast<int>(cut_.segments.size());
  plan.segment = cut_.segments.data();
  const int vector = lanes::width(set);
  state_ = lanes::aligned(2 * (tree.size + vector));
  plan.q = state_.get();
  plan.v = plan.q + (tree.size + vector - 1) / vector * vector;
  for (const Motion motion : tree.motion) plan.slides = plan.slides || motion == Motion::prismatic;
  plan.from_middle = width > 2 && plan.segments == 1 && !plan.slides && (tree.size == 6 || tree.size == 7);
  const double length = plan.from_middle ? kMiddleLength : 1.0;  // of idle lanes
  constants_ = lanes::aligned(plan.blocks * constants_count * width);
  states_ = lanes::aligned(kernels.state_bytes / sizeof(double) * plan.blocks);
  bridges_ = lanes::aligned(kernels.bridge_bytes / sizeof(double) * cut_.segments.size());
  for (int i = 0; i < tree.size; ++i) permutations_[i] = axis_permutation(tree.parent_R_joint[i]);
  plan.constants = constants_.get();
  plan.permutations = permutations_.data();
  plan.states = states_.get();
  plan.bridges = bridges_.get();
  for (int i = 0; i < plan.blocks * width; ++i) entry(i / width, i % width, parent_qw) = length;
  for (int i = 0; i < plan.blocks * width; ++i) entry(i / width, i % width, revolute) = 1.0;
  fill(tree);
}

void PlanMemory::fill(const Tree& tree) noexcept {
  regroup(tree);
  const Vec3d g0 = plan.from_middle ? Vec3d(joint_turn(tree, 0).transpose() * tree.gravity) : tree.gravity;
  for (int k = 0; k < 3; ++k) plan.gravity[k] = g0[k];
  for (Segment& s : cut_.segments) {
    for (int k = 0; k < s.bodies; ++k) fill_body(tree, s, k);
    const int i = s.first_body;
    const int p = tree.parent[i];
    Vec3d offset = tree.parent_p_joint[i] + tree.parent_R_joint[i] * reference_[i];
    if (p >= 0) offset = align_[p].transpose() * (offset - reference_[p]);
    for (int k = 0; k < 3; ++k) s.offset[k] = offset[k];
  }
}

void PlanMemory::regroup(const Tree& tree) noexcept {
  for (int i = 0; i < tree.size; ++i) regrouped_[i] = body_moments(tree, i);
  for (int i = tree.size; i-- > 0;) {
    BodyMoments& b = regrouped_[i];
    const int p = tree.parent[i];
    const Mat3d& R = tree.parent_R_joint[i];
    const Vec3d& d = tree.parent_p_joint[i];
    reference_[i].setZero();
    if (tree.motion[i] == Motion::revolute) {
      if (i + 1 < tree.size && cut_.segment_of[i + 1] == cut_.segment_of[i]) {
        reference_[i].z() = (tree.parent_p_joint[i + 1] + tree.parent_R_joint[i + 1] * reference_[i + 1]).z();
      }
      const double r = std::hypot(b.h.x(), b.h.y());
      const bool aligned = width_ > 1 && r > 0.0;
      const double x = aligned ? b.h.x() / r : 1.0, y = aligned ? b.h.y() / r : 0.0;
      align_[i].topLeftCorner<2, 2>() << x, -y, y, x;
      if (p >= 0) {
        regrouped_[p].add(b.m, Vec3d(0.0, 0.0, b.h.z()), Mat3d(Vec3d(0.0, 0.0, b.G(2, 2)).asDiagonal()), R, d);
      }
    } else {
      if (b.m != 0.0) reference_[i] = b.h / b.m;
      if (p >= 0) regrouped_[p].G += R * (b.G - b.h * reference_[i].transpose()) * R.transpose();
    }
  }
}

// Joint frame of body i in the frame of the body before it, in the kernels' axes of both.
Mat3d PlanMemory::joint_turn(const Tree& tree, int i) const noexcept {
  const int p = tree.parent[i];
  const Mat3d R = tree.parent_R_joint[i] * align_[i];
  return p < 0 ? R : Mat3d(align_[p].transpose() * R);
}

// The rotation in the lane of body k of a segment: that of its own joint, or the one that middle.hpp needs there.
Eigen::Quaterniond PlanMemory::lane_turn(const Tree& tree, const Segment& s, int k) const noexcept {
  const bool before = plan.from_middle && k < kMiddle;
  const int joint = s.first_body + k + (before ? 1 : 0);
  Eigen::Quaterniond turn = Eigen::Quaterniond(joint_turn(tree, joint)).normalized();
  if (before) turn = turn.conjugate();
  if (plan.from_middle && k == kMiddle) turn.setIdentity();
  if (plan.from_middle) turn.coeffs() *= kMiddleLength;
  return turn;
}

void PlanMemory::fill_body(const Tree& tree, const Segment& s, int k) noexcept {
  const int i = s.first_body + k, block = s.first_block + k / width_, lane = k % width_;
  const auto put = [&](Constant which, double value) { entry(block, lane, which) = value; };
  const bool turns = tree.motion[i] == Motion::revolute;
  const Mat3d to_kernel = align_[i].transpose();
  const Eigen::Quaterniond turn = lane_turn(tree, s, k);
  put(parent_qw, turn.w());
  put(parent_qx, turn.x());
  put(parent_qy, turn.y());
  put(parent_qz, turn.z());
  const Mat3d R = joint_turn(tree, i);
  for (int c = 0; c < 9; ++c) put(static_cast<Constant>(turn_xx + c), R(c % 3, c / 3));
  Vec3d back = Vec3d::Zero();
  if (k + 1 < s.bodies) {
    back = to_kernel * (reference_[i] - tree.parent_p_joint[i + 1] - tree.parent_R_joint[i + 1] * reference_[i + 1]);
  }
  if (plan.from_middle && k >= kMiddle) back = -back;
  put(back_x, back.x());
  put(back_y, back.y());
  put(back_z, back.z());
  const BodyMoments& b = regrouped_[i];
  const Vec3d h(b.h.x(), b.h.y(), 0.0);
  const Vec3d& o = reference_[i];
  const Vec3d moment = turns ? Vec3d(to_kernel * h) : Vec3d::Zero();
  const Mat3d G = turns ? Mat3d(to_kernel * (b.G - h * o.transpose() - o * h.transpose()) * align_[i]) : Mat3d::Zero();
  put(moment_x, moment.x());
  put(moment_y, width_ == 1 ? moment.y() : 0.0);
  put(half_xx, 0.5 * G(0, 0));
  put(half_yy, 0.5 * G(1, 1));
  put(second_xy, 0.5 * (G(0, 1) + G(1, 0)));
  put(second_xz, 0.5 * (G(0, 2) + G(2, 0)));
  put(second_yz, 0.5 * (G(1, 2) + G(2, 1)));
  put(revolute, turns ? 1.0 : 0.0);
  put(point_mass, turns ? 0.0 : b.m);
  double m = 0.0;
  for (int c = i; c < tree.subtree_end[i]; ++c) {
    if (tree.motion[c] == Motion::prismatic) m += regrouped_[c].m;
  }
  put(subtree_mass, m);
}

}  // namespace dyn::fused
