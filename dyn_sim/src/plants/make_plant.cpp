// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/error.hpp"
#include "dyn_sim/plant.hpp"

namespace dyn::sim {

std::unique_ptr<Plant> make_plant(const RobotDescription& robot, const PlantSettings& settings,
                                  const Vec3d& gravity_mps2) {
  if (settings.engine == "native") return make_native_plant(robot, settings, gravity_mps2);
  if (settings.engine == "mujoco") return make_mujoco_plant(robot, settings, gravity_mps2);
  throw ModelError(robot.name + ": plant: engine '" + settings.engine + "' must be native or mujoco");
}

}  // namespace dyn::sim
