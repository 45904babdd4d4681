// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "dyn_core/model/description.hpp"
#include "dyn_sim/plant.hpp"

namespace dyn::sim {

// The robot with some links other than its model says. Throws ModelError where a link does not exist or has no mass.
RobotDescription with_overrides(RobotDescription robot, const std::vector<LinkOverride>& overrides);

}  // namespace dyn::sim
