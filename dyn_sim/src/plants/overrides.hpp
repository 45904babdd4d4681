// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dyn_core/model/description.hpp"
#include "dyn_sim/plant.hpp"

namespace dyn::sim {

// The robot with some links and joints changed. Throws ModelError if a link or joint does not exist or a link has no
// mass.
RobotDescription with_overrides(RobotDescription robot, const PlantSettings& settings);

}  // namespace dyn::sim
