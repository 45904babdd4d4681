// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A Plan and its memory, for blocks of `width` bodies: the kernels' width, or 1 where the lanes are states.
#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/model/tree.hpp"
#include "fused/kernel.hpp"
#include "lanes/kernel_sets.hpp"
#include "lanes/memory.hpp"

namespace dyn::fused {

// The kernels compiled for that set.
inline Kernels kernels_of(lanes::KernelSet set) {
  return lanes::with_kernel_set(set, [](auto chosen) { return kernels<chosen()>(); });
}

// Mass, first and second moments about the body frame's origin, body axes.
struct BodyMoments {
  double m = 0.0;
  Vec3d h = Vec3d::Zero();
  Mat3d G = Mat3d::Zero();
  void add(double mass, const Vec3d& first, const Mat3d& second, const Mat3d& R, const Vec3d& p) noexcept;
};

class PlanMemory {
 public:
  PlanMemory(const Tree& tree, const Kernels& kernels, lanes::KernelSet set, int width);

  // Inertias and gravity from a tree that is otherwise the same.
  DYN_REALTIME void fill(const Tree& tree) noexcept;

  // The kernels' frame of a body: its axes in the body frame, and its origin (the reference point), m.
  [[nodiscard]] const Mat3d& kernel_axes(int body) const noexcept { return align_[body]; }
  [[nodiscard]] const Vec3d& reference_point(int body) const noexcept { return reference_[body]; }

  Plan plan{};

 private:
  double& entry(int block, int lane, Constant which) noexcept {
    return constants_.get()[(block * constants_count + which) * width_ + lane];
  }
  void regroup(const Tree& tree) noexcept;
  [[nodiscard]] Mat3d joint_turn(const Tree& tree, int i) const noexcept;
  [[nodiscard]] Eigen::Quaterniond lane_turn(const Tree& tree, const Segment& s, int k) const noexcept;
  void fill_body(const Tree& tree, const Segment& s, int k) noexcept;

  int width_;
  std::vector<BodyMoments> regrouped_;
  std::vector<Vec3d> reference_;  // reference point in the body frame, m
  std::vector<Mat3d> align_;      // the kernels' axes of the body in its frame
  lanes::Cut cut_;
  std::vector<AxisPermutation> permutations_;
  lanes::Aligned constants_, states_, bridges_, state_;
};

}  // namespace dyn::fused
