// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The instruction sets that the vector code of this library (docs/speed.md) is compiled for.
#pragma once

#include <string>
#include <vector>

namespace dyn {

// Names of those that this machine can run, slowest first: baseline, v3, v4. The last one is used, unless the
// environment variable DYN_ISA names another.
[[nodiscard]] std::vector<std::string> usable_kernel_sets();

}  // namespace dyn
