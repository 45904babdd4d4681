// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The input of the lane forms in base axes, for double: axes, origins, centres of mass and inertias of the bodies, W of
// them side by side, and the lane forms' work memory. Only the constructor allocates. docs/speed.md has the method.
#pragma once

#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/model/tree.hpp"
#include "lanes/forms.hpp"
#include "lanes/kernel_sets.hpp"
#include "lanes/memory.hpp"

namespace dyn::lanes {

class BaseFrames {
 public:
  explicit BaseFrames(const Tree& tree, KernelSet set = select_kernel_set());
  BaseFrames(const BaseFrames&) = delete;
  BaseFrames& operator=(const BaseFrames&) = delete;
  BaseFrames(BaseFrames&&) noexcept = default;
  BaseFrames& operator=(BaseFrames&&) noexcept = default;
  ~BaseFrames() = default;

  // Inertias anew from a tree that is otherwise the same.
  DYN_REALTIME void set_inertias(const Tree& tree) noexcept;
  // The frames at a finite state, one number a body.
  DYN_REALTIME void set_positions(const double* q) noexcept { kernel_.positions(plan_, q); }

  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }

 private:
  double* row(Row::Name name) noexcept { return rows_.get() + static_cast<long>(name) * plan_.stride; }
  double& entry(int block, int lane, Fixed::Name which) noexcept {
    return constants_.get()[(block * Fixed::count + which) * width_ + lane];
  }
  void put(int block, int lane, Fixed::Name first, const Vec3d& v) noexcept;
  void place_joints(const Tree& tree) noexcept;
  void set_link(const Tree& tree, int body) noexcept;

  PositionsKernel kernel_;
  int width_;
  Cut cut_;
  std::vector<int> parent_, subtree_end_;
  Aligned constants_, links_, rows_, squares_, wrenches_, bridges_;
  Plan plan_{};
};

}  // namespace dyn::lanes
