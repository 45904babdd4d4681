// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dyn_core/model/model.hpp"
#include "dyn_sim/plant.hpp"

namespace dyn::sim {

// The robot as MJCF, as the engine mujoco builds it: bodies and joints by the names of links and joints, friction, end
// stops and armature by the settings, a motor for each joint of one degree of freedom. Its shapes do not collide.
// Throws ModelError if MuJoCo is missing or cannot simulate a body.
[[nodiscard]] std::string mjcf_of(const Model& model, const PlantSettings& settings);

}  // namespace dyn::sim
