// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// From a Tree to a Plan: segments, constants in lanes, and the regrouping of inertias. Turning joint i moves only part
// of what its body is: mass on the axis might as well belong to the body before. So from the tips to the base:
//   revolute: m, h_z and G_zz go to the body before; h_x, h_y and the other five of G stay.
//   prismatic: what is left of G about the centre of mass goes to the body before (it does not turn against it);
//              a point mass at the centre of mass stays, and becomes the body's reference point.
// These are the base parameters: M, C and g do not change, revolute bodies have no mass left, and the kernels do less.
#include "plan.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace dyn::fused {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

BodyMoments body_moments(const Tree& tree, size_t i) noexcept {
  const Mat3d& I = tree.inertia_com[i];
  const Vec3d& c = tree.com[i];
  return {tree.mass[i], tree.mass[i] * c, Mat3d::Identity() * (0.5 * I.trace()) - I + tree.mass[i] * c * c.transpose()};
}

// Axes that are off by rounding count: URDF files write pi/2 in decimals.
Quarter quarter(const Mat3d& R) noexcept {
  Quarter q{true, {0, 0, 0}, {0.0, 0.0, 0.0}};
  for (int c = 0; c < 3; ++c) {
    R.col(c).cwiseAbs().maxCoeff(&q.axis[c]);
    q.sign[c] = R(q.axis[c], c) > 0.0 ? 1.0 : -1.0;
    const Vec3d whole = Vec3d::Unit(q.axis[c]) * q.sign[c];
    q.applies = q.applies && (R.col(c) - whole).cwiseAbs().maxCoeff() < 1e-15;
  }
  return q;
}

}  // namespace

void BodyMoments::add(double mass, const Vec3d& first, const Mat3d& second, const Mat3d& R, const Vec3d& p) noexcept {
  const Vec3d Rh = R * first;
  m += mass;
  h += Rh + mass * p;
  G += R * second * R.transpose() + Rh * p.transpose() + p * Rh.transpose() + mass * p * p.transpose();
}

PlanMemory::PlanMemory(const Tree& tree, const Kernels& kernels, int width)
    : width_(width), regrouped_(at(tree.size)), reference_(at(tree.size)), quarters_(at(tree.size)) {
  cut(tree);
  plan.bodies = tree.size;
  plan.segments = static_cast<int>(segments_.size());
  plan.segment = segments_.data();
  for (const Motion motion : tree.motion) plan.slides = plan.slides || motion == Motion::prismatic;
  constants_ = aligned(at(plan.blocks) * constants_count * at(width));
  states_ = aligned(kernels.state_bytes / sizeof(double) * at(plan.blocks));
  bridges_ = aligned(kernels.bridge_bytes / sizeof(double) * segments_.size());
  for (size_t i = 0; i < at(tree.size); ++i) quarters_[i] = quarter(tree.parent_R_joint[i]);
  plan.constants = constants_.get();
  plan.quarters = quarters_.data();
  plan.states = states_.get();
  plan.bridges = bridges_.get();
  for (int i = 0; i < plan.blocks * width; ++i) entry(i / width, i % width, parent_qw) = 1.0;
  for (int i = 0; i < plan.blocks * width; ++i) entry(i / width, i % width, revolute) = 1.0;
  fill(tree);
}

// Segments, depth first: a body goes on with the segment before it if it is its parent's only child.
void PlanMemory::cut(const Tree& tree) {
  std::vector<int> children(at(tree.size), 0);
  for (const int p : tree.parent) {
    if (p >= 0) ++children[at(p)];
  }
  segment_of_.resize(at(tree.size));
  for (int i = 0; i < tree.size; ++i) {
    const int p = tree.parent[at(i)];
    if (p >= 0 && children[at(p)] == 1) {
      ++segments_.back().bodies;
    } else {
      segments_.push_back({i, 1, 0, 0, p < 0 ? -1 : segment_of_[at(p)], {0.0, 0.0, 0.0}});
    }
    segment_of_[at(i)] = static_cast<int>(segments_.size()) - 1;
  }
  for (Segment& s : segments_) {
    s.first_block = plan.blocks;
    s.blocks = (s.bodies + width_ - 1) / width_;
    plan.blocks += s.blocks;
  }
}

void PlanMemory::fill(const Tree& tree) noexcept {
  for (int k = 0; k < 3; ++k) plan.gravity[k] = tree.gravity[k];
  regroup(tree);
  for (Segment& s : segments_) {
    for (int k = 0; k < s.bodies; ++k) fill_body(tree, s, k);
    const size_t i = at(s.first_body);
    const int p = tree.parent[i];
    Vec3d offset = tree.parent_p_joint[i] + tree.parent_R_joint[i] * reference_[i];
    if (p >= 0) offset -= reference_[at(p)];
    for (int k = 0; k < 3; ++k) s.offset[k] = offset[k];
  }
}

void PlanMemory::regroup(const Tree& tree) noexcept {
  for (size_t i = 0; i < at(tree.size); ++i) regrouped_[i] = body_moments(tree, i);
  for (size_t i = at(tree.size); i-- > 0;) {
    BodyMoments& b = regrouped_[i];
    const int p = tree.parent[i];
    const Mat3d& R = tree.parent_R_joint[i];
    const Vec3d& d = tree.parent_p_joint[i];
    reference_[i].setZero();
    if (tree.motion[i] == Motion::revolute) {
      if (p >= 0) {
        regrouped_[at(p)].add(b.m, Vec3d(0.0, 0.0, b.h.z()), Mat3d(Vec3d(0.0, 0.0, b.G(2, 2)).asDiagonal()), R, d);
      }
    } else {
      if (b.m != 0.0) reference_[i] = b.h / b.m;
      if (p >= 0) regrouped_[at(p)].G += R * (b.G - b.h * reference_[i].transpose()) * R.transpose();
    }
  }
}

void PlanMemory::fill_body(const Tree& tree, const Segment& s, int k) noexcept {
  const int i = s.first_body + k, block = s.first_block + k / width_, lane = k % width_;
  const size_t u = at(i);
  const bool turns = tree.motion[u] == Motion::revolute;
  const Eigen::Quaterniond turn = Eigen::Quaterniond(tree.parent_R_joint[u]).normalized();
  entry(block, lane, parent_qw) = turn.w();
  entry(block, lane, parent_qx) = turn.x();
  entry(block, lane, parent_qy) = turn.y();
  entry(block, lane, parent_qz) = turn.z();
  for (int c = 0; c < 9; ++c) {
    entry(block, lane, static_cast<Constant>(turn_xx + c)) = tree.parent_R_joint[u](c % 3, c / 3);
  }
  Vec3d back = Vec3d::Zero();
  if (k + 1 < s.bodies) {
    back = reference_[u] - tree.parent_p_joint[u + 1] - tree.parent_R_joint[u + 1] * reference_[u + 1];
  }
  entry(block, lane, back_x) = back.x();
  entry(block, lane, back_y) = back.y();
  entry(block, lane, back_z) = back.z();
  const BodyMoments& b = regrouped_[u];
  entry(block, lane, moment_x) = turns ? b.h.x() : 0.0;
  entry(block, lane, moment_y) = turns ? b.h.y() : 0.0;
  entry(block, lane, half_xx) = turns ? 0.5 * b.G(0, 0) : 0.0;
  entry(block, lane, half_yy) = turns ? 0.5 * b.G(1, 1) : 0.0;
  entry(block, lane, second_xy) = turns ? 0.5 * (b.G(0, 1) + b.G(1, 0)) : 0.0;
  entry(block, lane, second_xz) = turns ? 0.5 * (b.G(0, 2) + b.G(2, 0)) : 0.0;
  entry(block, lane, second_yz) = turns ? 0.5 * (b.G(1, 2) + b.G(2, 1)) : 0.0;
  entry(block, lane, revolute) = turns ? 1.0 : 0.0;
  entry(block, lane, point_mass) = turns ? 0.0 : b.m;
  double m = 0.0;
  for (int c = i; c < tree.subtree_end[u]; ++c) {
    if (tree.motion[at(c)] == Motion::prismatic) m += regrouped_[at(c)].m;
  }
  entry(block, lane, subtree_mass) = m;
}

}  // namespace dyn::fused
