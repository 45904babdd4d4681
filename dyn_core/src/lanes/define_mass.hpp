// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// For src/jsim/NAME_lanes.cpp, which ends with DYN_MASS_FORM(CLASS, function): `function(plan, M)` is the lane form of
// the class in dyn_core/jsim/NAME.hpp for the kernel set that is being compiled. An instantiation of mass(), and no
// specialisation, since code that calls mass() has seen no declaration of that.
#pragma once

#include "lanes/forms.hpp"
#include "lanes/simd.hpp"

namespace dyn::lanes {

// Names a lane form; mass() finds the function by an overload for it.
template <class Algorithm, KernelSet set>
struct FormOf {};

template <class Algorithm, KernelSet set>
void mass(const Plan& plan, double* M) {
  lane_form(FormOf<Algorithm, set>{}, plan, M);
}

}  // namespace dyn::lanes

// NOLINTBEGIN(bugprone-macro-parentheses): a class is declared by its name
#define DYN_MASS_FORM(Class, function)                                                                        \
  namespace dyn::jsim {                                                                                       \
  template <class T>                                                                                          \
  class Class;                                                                                                \
  }                                                                                                           \
  namespace dyn::lanes {                                                                                      \
  void lane_form(FormOf<jsim::Class<double>, kKernelSet>, const Plan& plan, double* M) { function(plan, M); } \
  template void mass<jsim::Class<double>, kKernelSet>(const Plan&, double*);                                  \
  }
// NOLINTEND(bugprone-macro-parentheses)
