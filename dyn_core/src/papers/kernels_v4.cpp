// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
// Compiled with flags of its own (cmake/fused.cmake): nothing but the kernels may be included here; see fused/simd.hpp.
#include "kernel_body.hpp"

namespace dyn::papers {

const Kernels kernels_v4 = kKernels;

}  // namespace dyn::papers
