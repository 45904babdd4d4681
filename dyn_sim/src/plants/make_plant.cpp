// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "dyn_core/error.hpp"
#include "dyn_sim/plant.hpp"

namespace dyn::sim {

std::unique_ptr<Plant> make_plant(const RobotDescription& robot, const PlantSettings& settings,
                                  const Vec3d& gravity_mps2) {
  if (settings.engine == "native") return make_native_plant(robot, settings, gravity_mps2);
  if (settings.engine == "mujoco") return make_mujoco_plant(robot, settings, gravity_mps2);
  throw ModelError(robot.name + ": plant: engine '" + settings.engine + "' must be native or mujoco");
}

RobotDescription with_payloads(RobotDescription robot, const std::vector<Payload>& payloads) {
  for (const Payload& payload : payloads) robot = dyn::attach(robot, payload);
  return robot;
}

std::vector<int> carried_through(const Model& before, const Model& after, const CoordinateMap& map) {
  std::vector<int> from = carried_coordinates(before, after, map);
  const auto& was = before.coordinate_names();
  for (size_t i = from.size(); i < after.coordinate_names().size(); ++i) {  // payloads'
    const auto found = std::find(was.begin(), was.end(), after.coordinate_names()[i]);
    from.push_back(found == was.end() ? -1 : static_cast<int>(found - was.begin()));
  }
  return from;
}

}  // namespace dyn::sim
