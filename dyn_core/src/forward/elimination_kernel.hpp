// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The kernels of denoc_lanes.cpp and aba_lanes.cpp, the lane forms of dyn_core/forward/denoc.hpp and aba.hpp, as
// elimination_lanes.hpp calls them.
#pragma once

#include "lanes/kernel_set.hpp"
#include "lanes/plan.hpp"

namespace dyn::forward {

// The pivot that is too small and its body; -1: none.
struct Pivot {
  int body;
  double value;
};

struct EliminationKernel {
  unsigned long body_bytes;  // of `work`, for each body
  // By body: torques, armature, and `floor`, which a pivot must exceed. denoc: the torques are phi = tau - (C v + g),
  // and rates are not used.
  Pivot (*solve)(const lanes::Plan&, const lanes::Rates&, const double* torque, const double* armature,
                 const double* floor, void* work, double* qdd);
};

// Defined by denoc_lanes.cpp and aba_lanes.cpp, once for each kernel set.
template <lanes::KernelSet set>
EliminationKernel denoc_kernel();
template <>
EliminationKernel denoc_kernel<lanes::KernelSet::baseline>();
template <>
EliminationKernel denoc_kernel<lanes::KernelSet::v3>();
template <>
EliminationKernel denoc_kernel<lanes::KernelSet::v4>();
template <lanes::KernelSet set>
EliminationKernel aba_kernel();
template <>
EliminationKernel aba_kernel<lanes::KernelSet::baseline>();
template <>
EliminationKernel aba_kernel<lanes::KernelSet::v3>();
template <>
EliminationKernel aba_kernel<lanes::KernelSet::v4>();

}  // namespace dyn::forward
