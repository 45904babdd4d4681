// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The serial chains for which the papers count operations: n revolute joints, generic DH parameters and inertias.
#pragma once

#include <cstdint>

#include "dyn_core/model/description.hpp"

namespace dyn::cli {

// The same chain every time for a seed; a longer one begins with the shorter one.
[[nodiscard]] RobotDescription generic_chain(int joints, std::uint64_t seed = 2026);

}  // namespace dyn::cli
