// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a control period costs the simulated arm.
#pragma once

#include <vector>

#include "bench/contestants.hpp"

namespace dyn::bench {

inline constexpr const char* plant_task = "plant";

// The native plant with its default settings, friction and limits included, over periods of 1 ms of a motion of all
// joints under computed torque. The torques were recorded before and are played again.
[[nodiscard]] std::vector<Contestant> plant_contestants(const Model& model);

}  // namespace dyn::bench
