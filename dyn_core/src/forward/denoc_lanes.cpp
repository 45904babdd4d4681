// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics by paper 001 (Mohan and Saha), eqs 30-37, symbols as in forward/denoc.hpp, in the axes and about the
// points of jsim/denoc_lanes.cpp: elimination.hpp.
#include "forward/elimination.hpp"

namespace {

Pivot solve(const Plan& plan, const dyn::lanes::Rates& /*rates*/, const double* phi, const double* armature,
            const double* floor, void* work, double* qdd) {
  auto* bodies = static_cast<Eliminated*>(work);
  own_inertias(plan);
  const Pivot pivot = eliminate<false>(plan, phi, armature, floor, bodies);
  if (pivot.body < 0) accelerate<false>(plan, nullptr, bodies, qdd);
  return pivot;
}

}  // namespace

template <>
dyn::forward::EliminationKernel dyn::forward::denoc_kernel<kKernelSet>() {
  return {sizeof(Eliminated), &solve};
}
