// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "overrides.hpp"

#include <algorithm>

#include "dyn_core/error.hpp"

namespace dyn::sim {

RobotDescription with_overrides(RobotDescription robot, const std::vector<LinkOverride>& overrides) {
  for (const LinkOverride& change : overrides) {
    const auto link = std::find_if(robot.links.begin(), robot.links.end(),
                                   [&](const LinkDescription& l) { return l.name == change.link; });
    if (link == robot.links.end()) throw ModelError("plant_overrides: the robot has no link '" + change.link + "'");
    if (!link->inertial) throw ModelError("plant_overrides: link '" + change.link + "' has no inertial to change");
    link->inertial->mass_kg *= change.mass_scale;
    link->inertial->com_m += change.com_shift_m;
    link->inertial->inertia_com_kgm2 *= change.inertia_scale;
  }
  return robot;
}

}  // namespace dyn::sim
