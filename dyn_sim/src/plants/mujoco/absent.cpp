// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Replaces the plant in a build that found no MuJoCo headers.
#include "dyn_core/error.hpp"
#include "dyn_sim/law_in_mujoco.hpp"
#include "dyn_sim/mjcf.hpp"
#include "dyn_sim/plant.hpp"

namespace dyn::sim {

std::unique_ptr<Plant> make_mujoco_plant(const RobotDescription&, const PlantSettings&, const Vec3d&) {
  throw ModelError(mujoco_missing());
}

std::vector<MujocoRow> simulate_in_mujoco(const Model&, const TorqueLaw&, double, int, int) {
  throw ModelError(mujoco_missing());
}

std::string mjcf_of(const Model&, const PlantSettings&) { throw ModelError(mujoco_missing()); }

std::string mujoco_missing() {
  return "engine mujoco: this program was built without it (no MuJoCo 4 headers were found; scripts/setup installs "
         "them)";
}

}  // namespace dyn::sim
