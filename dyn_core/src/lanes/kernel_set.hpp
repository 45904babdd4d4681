// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The kernel sets: every lane form (src/*/*_lanes.cpp) is compiled once for each of these instruction sets, and the
// best one that the machine can run is chosen when a model is loaded (kernel_sets.hpp). The lane forms include this
// file: it may hold nothing that the compiler emits code for (see simd.hpp).
#pragma once

namespace dyn::lanes {

// The number is the width of a vector, in doubles.
enum class KernelSet : int {
  baseline = 2,  // every processor of the architecture
  v3 = 4,        // x86-64-v3: AVX2, FMA
  v4 = 8,        // x86-64-v4: AVX-512
};

}  // namespace dyn::lanes
