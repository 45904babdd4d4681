// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The kernel of denoc_lanes.cpp, the lane form of dyn_core/forward/denoc.hpp, as denoc_lanes.hpp calls it.
#pragma once

#include "lanes/kernel_set.hpp"
#include "lanes/plan.hpp"

namespace dyn::forward {

// Where it gave up: body (-1: nowhere) and pivot.
struct Pivot {
  int body;
  double value;
};

struct DenocKernel {
  unsigned long body_bytes;  // of `work`, for each body
  // phi = tau - (C v + g), armature, and the smallest pivot that is not yet called 0, all of bodies.
  Pivot (*solve)(const lanes::Plan&, const double* phi, const double* armature, const double* floor, void* work,
                 double* qdd);
};

// Defined by denoc_lanes.cpp, once for each kernel set.
template <lanes::KernelSet set>
DenocKernel denoc_kernel();
template <>
DenocKernel denoc_kernel<lanes::KernelSet::baseline>();
template <>
DenocKernel denoc_kernel<lanes::KernelSet::v3>();
template <>
DenocKernel denoc_kernel<lanes::KernelSet::v4>();

}  // namespace dyn::forward
