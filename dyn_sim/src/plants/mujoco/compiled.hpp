// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A Model as a MuJoCo model: bodies, joints and inertias from our tree (so that fixed links, massless links and
// payloads are merged as everywhere else), compiled, and compared with our model before it is used.
#pragma once

#include <vector>

#include "dyn_core/model/model.hpp"
#include "dyn_sim/plant.hpp"
#include "library.hpp"

namespace dyn::sim::mujoco {

struct Compiled {
  ModelPointer model;
  DataPointer data;       // at q = 0
  std::vector<int> dof;   // entry of MuJoCo's qpos and qvel (hinges and slides only) by body of our tree
  std::vector<int> body;  // MuJoCo's body by body of our tree; -1 for one without mass between two joints of one body
  std::vector<int> lead;  // body of our tree by coordinate: the one that others (mimic) follow
};

// Throws ModelError naming joint and link if MuJoCo cannot simulate a body, or if the compiled model differs from ours.
Compiled compile(const Model& model, const PlantSettings& settings);

}  // namespace dyn::sim::mujoco
