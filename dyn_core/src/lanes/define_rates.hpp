// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// For src/coriolis/NAME_lanes.cpp and src/inverse/NAME_lanes.cpp, which end with DYN_RATES_FORM(coriolis, CLASS,
// function): `function(plan, rates, out)` is the lane form of the class in dyn_core/coriolis/NAME.hpp for the kernel
// set that is being compiled, C or tau its `out`. As define_mass.hpp.
#pragma once

#include "lanes/forms.hpp"
#include "lanes/simd.hpp"

namespace dyn::lanes {

// Names a lane form; with_rates() finds the function by an overload for it.
template <class Algorithm, KernelSet set>
struct RatesFormOf {};

template <class Algorithm, KernelSet set>
void with_rates(const Plan& plan, const Rates& rates, double* out) {
  lane_form(RatesFormOf<Algorithm, set>{}, plan, rates, out);
}

}  // namespace dyn::lanes

// NOLINTBEGIN(bugprone-macro-parentheses): a class is declared by its name
#define DYN_RATES_FORM(folder, Class, function)                                                                       \
  namespace dyn::folder {                                                                                             \
  template <class T>                                                                                                  \
  class Class;                                                                                                        \
  }                                                                                                                   \
  namespace dyn::lanes {                                                                                              \
  void lane_form(RatesFormOf<folder::Class<double>, kKernelSet>, const Plan& plan, const Rates& rates, double* out) { \
    function(plan, rates, out);                                                                                       \
  }                                                                                                                   \
  template void with_rates<folder::Class<double>, kKernelSet>(const Plan&, const Rates&, double*);                    \
  }
// NOLINTEND(bugprone-macro-parentheses)
