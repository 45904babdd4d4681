// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The parts report.html is made of.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dyn_sim/run/record.hpp"

namespace dyn::sim::report {

// Data of the 3D view: links with their shapes, joints with the coordinate that moves them, payloads with the times of
// attaching and detaching, pushes.
[[nodiscard]] nlohmann::json scene(const ArmRecord& arm);

// A robot alone, its coordinates by their names; the radius is that of links which have no shape.
[[nodiscard]] nlohmann::json robot_scene(const RobotDescription& robot, const std::vector<std::string>& coordinates,
                                         double radius_m);

// Coordinates, decimated signals, algorithm and flags by time, events, residuals of one arm; at most `rows` rows.
[[nodiscard]] nlohmann::json arm_data(const ArmRecord& arm, int rows);

// Counts of the values in logarithmic bins.
[[nodiscard]] nlohmann::json histogram(const std::vector<float>& values);

// Little-endian 32-bit floats in base64.
[[nodiscard]] std::string base64_floats(const std::vector<float>& values);

}  // namespace dyn::sim::report
