// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// urdfdom is what a user's other programs read the URDF with. It logs and drops what it cannot read, so that it may see
// another robot: here it has to see the one that walk_urdf() has found. Nothing is taken from it.
#pragma once

#include <string>

#include "dyn_core/model/description.hpp"

namespace dyn {

// Throws ModelError where urdfdom refuses the text, or reads a link or joint otherwise. The robot is a tree.
void check_with_urdfdom(const RobotDescription& robot, const std::string& clean_xml);

}  // namespace dyn
