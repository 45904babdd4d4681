// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// How a robot's coordinates carry over when its description is replaced. Off the loop.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn {

// Throws ModelError with the joint's name where a position would have another meaning in the new description: joints of
// other names or in another order, a revolute joint that is prismatic now, an axis of opposite direction, another
// parent joint. Joints of payloads are ignored. Lengths, inertias, limits, and axes turned by less than a right angle
// may differ.
void demand_same_joints(const Model& before, const Model& after);

// Coordinate before -> the coordinate after that continues it, or nothing where it ends.
using CoordinateMap = std::map<std::string, std::optional<std::string>>;

// By coordinate after: the coordinate before that it continues; -1: it is new and begins at 0. A coordinate that is not
// in the map continues under its own name where demand_same_joints() allows it. Throws ModelError where a coordinate
// before is neither continued nor ended, where the map names one that does not exist, maps two to one, or radians to
// metres.
[[nodiscard]] std::vector<int> carried_coordinates(const Model& before, const Model& after, const CoordinateMap& map);

}  // namespace dyn
