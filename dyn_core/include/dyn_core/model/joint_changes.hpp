// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What becomes of a robot's coordinates when another description takes the place of the one in use. Off the loop.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn {

// Throws ModelError with the joint's name where a position would mean another thing by the new description: joints of
// other names or order, a turning joint that slides, an axis that points the other way, another joint before it.
// Joints of payloads are left aside. Lengths, inertias, limits, and axes that are turned by less than a right angle may
// differ.
void demand_same_joints(const Model& before, const Model& after);

// Coordinate before -> coordinate after that goes on with it, or nothing where it ends.
using CoordinateMap = std::map<std::string, std::optional<std::string>>;

// The coordinate before that each coordinate after goes on with; -1: it begins at 0. What is not in the map goes on by
// its name where demand_same_joints() would let it. Throws ModelError where the map leaves a coordinate before without
// an answer, names one that is not there, gives two to one, or would have radians go on as metres.
[[nodiscard]] std::vector<int> carried_coordinates(const Model& before, const Model& after, const CoordinateMap& map);

}  // namespace dyn
