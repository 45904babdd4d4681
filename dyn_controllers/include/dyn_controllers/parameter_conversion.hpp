// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// From ROS parameters to the structs of dyn_core. Not for the loop; throws dyn::ModelError with one sentence.
#pragma once

#include <string>
#include <vector>

#include "dyn_controllers/dyn_controllers_parameters.hpp"
#include "dyn_core/control/parameters.hpp"
#include "dyn_core/model/model.hpp"

namespace dyn_controllers {

// The coordinates of the robot that get commands, one for each entry of `joints`. Throws if a joint does not exist, has
// several degrees of freedom, mimics another, or is passive.
std::vector<int> controlled_coordinates(const dyn::Model& robot, const parameters::Params& params);

// Coordinates without a command that are not passive get no feedback: their motion is taken as given.
dyn::control::Parameters control_parameters(const parameters::Params& params, dyn::control::Law law,
                                            const std::vector<int>& controlled, int coordinates);

dyn::Vec3d gravity(const parameters::Params& params);

}  // namespace dyn_controllers
