// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// All kernels of this room; compiled once for each instruction set by kernels_*.cpp.
#pragma once

#include "denoc_forward.hpp"
#include "explicit.hpp"
#include "gdahj.hpp"
#include "links.hpp"

namespace {

constexpr dyn::papers::Kernels kKernels{sizeof(SegmentEnd), sizeof(Eliminated),   &positions,    &explicit_mass,
                                        &explicit_element,  &gdahj_mass,          &denoc_mass,   &momentum_mass,
                                        &screw_mass,        &pseudo_inertia_mass, &denoc_forward};

}  // namespace
