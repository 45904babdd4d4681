// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
// Compiled with flags of its own (CMakeLists.txt): nothing but the kernels may be included here; see simd.hpp.
#include "papers/kernel.hpp"
#include "states_body.hpp"

namespace dyn::fused {

const Kernels kernels_baseline{"baseline",   W,         sizeof(State), sizeof(Bridge),           &keep, &choose,
                               &state_terms, &to_lanes, &from_lanes,   &papers::kernels_baseline};

}  // namespace dyn::fused
