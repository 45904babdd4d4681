// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A user's other programs read the URDF with urdfdom, which logs and drops what it cannot read and so may see another
// robot. This check compares it with the robot that walk_urdf() has read; nothing of urdfdom's result is used.
#pragma once

#include <string>

#include "dyn_core/model/description.hpp"

namespace dyn {

// Throws ModelError where urdfdom refuses the text, or reads a link or joint differently. The robot must be a tree.
void check_with_urdfdom(const RobotDescription& robot, const std::string& clean_xml);

}  // namespace dyn
