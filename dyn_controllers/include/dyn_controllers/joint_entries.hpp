// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Which of the joints whose interfaces a controller has are those of a model. Not for the loop.
#pragma once

#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn_controllers {

// By coordinate of the robot in `model`, without payloads: its place in `names`, the coordinates for which there are
// interfaces. Throws dyn::ModelError with the joint's name where it is not among them.
[[nodiscard]] std::vector<int> joint_entries(const dyn::Model& model, const std::vector<std::string>& names);

}  // namespace dyn_controllers
