// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The lane forms that take the bodies' frames in base axes as given (plan.hpp): one function for each algorithm and
// kernel set, defined by src/jsim/NAME_lanes.cpp (src/coriolis/, src/inverse/), where NAME is the algorithm's.
// dyn_core/jsim/NAME.hpp then has `lane_form`; nothing else is registered: form_tables.hpp finds the function by the
// class.
#pragma once

#include "lanes/kernel_set.hpp"
#include "lanes/plan.hpp"

namespace dyn::lanes {

// M by that class of jsim/, column-major in body order; entries that are zero by structure must be zero already. A
// template that each lane form instantiates for its class and kernel set: define_mass.hpp.
using MassForm = void (*)(const Plan& plan, double* M);
template <class Algorithm, KernelSet set>
void mass(const Plan& plan, double* M);

// C by that class of coriolis/, in the same way, or the torques by that of inverse/: define_rates.hpp.
using RatesForm = void (*)(const Plan& plan, const Rates& rates, double* out);
template <class Algorithm, KernelSet set>
void with_rates(const Plan& plan, const Rates& rates, double* out);

// Axes, origins, centres of mass and inertias at q, the input of all other lane forms.
struct PositionsKernel {
  void (*positions)(const Plan& plan, const double* q);
  unsigned long bridge_bytes;  // of Plan::bridges, for each segment
};
template <KernelSet set>
PositionsKernel positions_kernel();
template <>
PositionsKernel positions_kernel<KernelSet::baseline>();
template <>
PositionsKernel positions_kernel<KernelSet::v3>();
template <>
PositionsKernel positions_kernel<KernelSet::v4>();

}  // namespace dyn::lanes
