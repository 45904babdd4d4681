// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "lanes/base_frames.hpp"

#include <Eigen/Geometry>

namespace dyn::lanes {

BaseFrames::BaseFrames(const Tree& tree, KernelSet set)
    : kernel_(with_kernel_set(set, [](auto chosen) { return positions_kernel<chosen()>(); })),
      width_(width(set)),
      cut_(tree, width_),
      parent_(tree.parent),
      subtree_end_(tree.subtree_end) {
  plan_.bodies = tree.size;
  plan_.segments = static_cast<int>(cut_.segments.size());
  plan_.stride = (tree.size + width_ - 1) / width_ * width_ + width_;
  for (const Motion motion : tree.motion) plan_.slides = plan_.slides || motion == Motion::prismatic;
  plan_.segment = cut_.segments.data();
  plan_.segment_of = cut_.segment_of.data();
  plan_.parent = parent_.data();
  plan_.subtree_end = subtree_end_.data();
  constants_ = aligned(cut_.blocks * Fixed::count * width_);
  rows_ = aligned(static_cast<size_t>(Row::count) * plan_.stride);
  squares_ = aligned(static_cast<size_t>(2) * (tree.size + width_) * plan_.stride);
  wrenches_ = aligned(static_cast<size_t>(6) * plan_.stride * cut_.segments.size());
  bridges_ = aligned(kernel_.bridge_bytes / sizeof(double) * cut_.segments.size());
  links_ = aligned(Link::count * tree.size);
  plan_.links = links_.get();
  plan_.constants = constants_.get();
  plan_.rows = rows_.get();
  plan_.squares = squares_.get();
  plan_.wrenches = wrenches_.get();
  plan_.bridges = bridges_.get();
  place_joints(tree);
  set_inertias(tree);
}

void BaseFrames::put(int block, int lane, Fixed::Name first, const Vec3d& v) noexcept {
  for (int k = 0; k < 3; ++k) entry(block, lane, static_cast<Fixed::Name>(first + k)) = v[k];
}

void BaseFrames::place_joints(const Tree& tree) noexcept {
  for (int i = 0; i < cut_.blocks * width_; ++i) entry(i / width_, i % width_, Fixed::turn_w) = 1.0;
  for (Segment& s : cut_.segments) {
    for (int k = 0; k < s.bodies; ++k) {
      const int block = s.first_block + k / width_, lane = k % width_;
      const auto i = s.first_body + k;
      const Eigen::Quaterniond turn = Eigen::Quaterniond(tree.parent_R_joint[i]).normalized();
      const double slides = tree.motion[i] == Motion::prismatic ? 1.0 : 0.0;
      entry(block, lane, Fixed::turn_w) = turn.w();
      put(block, lane, Fixed::turn_x, turn.vec());
      if (k + 1 < s.bodies) put(block, lane, Fixed::next_x, tree.parent_p_joint[i + 1]);
      entry(block, lane, Fixed::slides) = row(Row::slides)[i] = slides;
    }
    for (int k = 0; k < 3; ++k) s.offset[k] = tree.parent_p_joint[s.first_body][k];
  }
}

void BaseFrames::set_inertias(const Tree& tree) noexcept {
  double* subtree = row(Row::mass_subtree);
  for (int i = tree.size; i-- > 0;) {
    row(Row::mass)[i] = subtree[i] = tree.mass[i];
    for (int c = i + 1; c < subtree_end_[i]; c = subtree_end_[c]) {
      subtree[i] += subtree[c];
    }
  }
  for (const Segment& s : cut_.segments) {
    for (int k = 0; k < s.bodies; ++k) {
      const int block = s.first_block + k / width_, lane = k % width_;
      const auto i = s.first_body + k;
      const Mat3d& I = tree.inertia_com[i];
      entry(block, lane, Fixed::mass) = tree.mass[i];
      entry(block, lane, Fixed::mass_subtree) = subtree[i];
      entry(block, lane, Fixed::mass_beyond) = k + 1 < s.bodies ? subtree[i + 1] : 0.0;
      put(block, lane, Fixed::com_x, tree.com[i]);
      put(block, lane, Fixed::inertia_xx, {0.5 * (I(0, 0) - I(2, 2)), 0.5 * (I(1, 1) - I(2, 2)), I(2, 2)});
      put(block, lane, Fixed::inertia_xy, {I(0, 1), I(0, 2), I(1, 2)});
      set_link(tree, i);
    }
  }
}

// The same inertia as principal screws.
void BaseFrames::set_link(const Tree& tree, int body) noexcept {
  double* link = links_.get() + body * Link::count;
  const PrincipalInertia& p = tree.principal[body];
  Eigen::Map<Mat3d>(link + Link::axes) = p.axes;
  Eigen::Map<Vec3d>(link + Link::radii) = p.radii;
  link[Link::heavy] = p.mass_kg == 0.0 ? 0.0 : 1.0;
  link[Link::weight] = p.mass_kg == 0.0 ? 1.0 : 0.5 * p.mass_kg;
}

}  // namespace dyn::lanes
