// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The lane forms of dyn_core/forward/denoc.hpp and aba.hpp: their kernels (denoc_lanes.cpp, aba_lanes.cpp) with the
// memory that they work in.
#pragma once

#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/forward/pivot_scale.hpp"
#include "forward/elimination_kernel.hpp"
#include "lanes/kernel_sets.hpp"
#include "lanes/memory.hpp"

namespace dyn::forward {

// For robots without mimic joints.
class EliminationLanes {
 public:
  static EliminationLanes denoc(const Tree& tree, lanes::KernelSet set = lanes::select_kernel_set()) {
    return {tree, lanes::with_kernel_set(set, [](auto chosen) { return denoc_kernel<chosen()>(); })};
  }
  static EliminationLanes aba(const Tree& tree, lanes::KernelSet set = lanes::select_kernel_set()) {
    return {tree, lanes::with_kernel_set(set, [](auto chosen) { return aba_kernel<chosen()>(); })};
  }

  // qdd of the bodies from their torques (elimination_kernel.hpp); pivot_scale: of each body (pivot_scale.hpp).
  DYN_REALTIME Status solve(const lanes::Plan& plan, const lanes::Rates& rates, const double* torque,
                            const double* pivot_scale, double* qdd) noexcept {
    for (size_t i = 0; i < floor_.size(); ++i) floor_[i] = PivotScale<double>::tolerance * pivot_scale[i];
    const Pivot pivot = kernel_.solve(plan, rates, torque, armature_.data(), floor_.data(), work_.get(), qdd);
    return pivot.body < 0 ? Status{} : Status::singular(pivot.body, pivot.value);
  }

 private:
  EliminationLanes(const Tree& tree, const EliminationKernel& kernel)
      : kernel_(kernel),
        armature_(tree.size),
        floor_(armature_.size()),
        work_(lanes::aligned(kernel_.body_bytes / sizeof(double) * armature_.size())) {
    for (int i = 0; i < tree.size; ++i) {
      armature_[i] = tree.has_mimic ? 0.0 : tree.armature[tree.coordinate[i]];
    }
  }

  EliminationKernel kernel_;
  std::vector<double> armature_, floor_;  // of bodies
  lanes::Aligned work_;
};

}  // namespace dyn::forward
