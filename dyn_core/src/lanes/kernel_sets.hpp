// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Which kernel set runs: chosen once, when a model is loaded.
#pragma once

#include <string>
#include <type_traits>

#include "dyn_core/error.hpp"
#include "dyn_core/kernel_sets.hpp"
#include "lanes/kernel_set.hpp"

namespace dyn::lanes {

// The best one for this machine, or the one that the environment's DYN_ISA names. Throws ModelError where that name is
// unknown or this machine cannot run it.
[[nodiscard]] KernelSet select_kernel_set();
[[nodiscard]] KernelSet select_kernel_set(const std::string& name);

// Lanes of a vector.
constexpr int width(KernelSet set) noexcept { return static_cast<int>(set); }

// f(std::integral_constant<KernelSet, set>()): from a set chosen at run time to the code compiled for it.
template <class F>
auto with_kernel_set(KernelSet set, F&& f) {
#if defined(__x86_64__)
  if (set == KernelSet::v4) return f(std::integral_constant<KernelSet, KernelSet::v4>());
  if (set == KernelSet::v3) return f(std::integral_constant<KernelSet, KernelSet::v3>());
#endif
  return f(std::integral_constant<KernelSet, KernelSet::baseline>());
}

}  // namespace dyn::lanes
