// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One element by the lane form of dyn_core/jsim/explicit.hpp, which is explicit_lanes.cpp.
#pragma once

#include "lanes/kernel_set.hpp"
#include "lanes/plan.hpp"

namespace dyn::jsim {

// M(u, k) alone where k supports u, or is it: the same bits as in the whole matrix.
template <lanes::KernelSet set>
double explicit_element(const lanes::Plan& plan, int u, int k);
template <>
double explicit_element<lanes::KernelSet::baseline>(const lanes::Plan& plan, int u, int k);
template <>
double explicit_element<lanes::KernelSet::v3>(const lanes::Plan& plan, int u, int k);
template <>
double explicit_element<lanes::KernelSet::v4>(const lanes::Plan& plan, int u, int k);

}  // namespace dyn::jsim
