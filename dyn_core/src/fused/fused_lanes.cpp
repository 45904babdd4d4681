// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The lane form of `fused` (dyn_core/{jsim,coriolis,inverse,forward}/fused.hpp): M, C, g and h, any of them in one
// pass. Compiled once for each kernel set, with the set's own flags (cmake/lanes.cmake): only kernels may be included
// here; see lanes/simd.hpp.
#include "fused/states_body.hpp"

template <>
dyn::fused::Kernels dyn::fused::kernels<kKernelSet>() {
  return {sizeof(State), sizeof(Bridge), &load_state, &choose, &state_terms, &to_lanes, &from_lanes};
}
