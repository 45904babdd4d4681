// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Robots given by a Denavit-Hartenberg table with slender-rod links (dyn_core/model/dh_table.hpp), in a .dh.yaml file:
//   name: arm
//   links:
//     - {type: revolute, a: 0.4, b: 0.1, alpha: 1.57, theta: 0, mass: 3, tip_mass: 0, hub_inertia: 0.01, hub_across: 0,
//        limits: {lower: -2, upper: 2, velocity: 3, effort: 50}}
// m, rad, kg, kg m^2; missing values are 0, the default type is continuous. mass_per_length (kg/m) may be given instead
// of mass.
#pragma once

#include <filesystem>
#include <string>

#include "dyn_core/model/model.hpp"

namespace dyn::sim {

[[nodiscard]] bool is_dh_file(const std::filesystem::path& file);
// Throws ModelError naming file, line and key.
[[nodiscard]] RobotDescription load_dh_file(const std::filesystem::path& file);

// The robot that ROBOT names on the command line: a .dh.yaml file, or what dyn::load_robot() accepts.
[[nodiscard]] RobotDescription load_any_robot(const std::string& robot);
[[nodiscard]] Model load_any_model(const std::string& robot, const ModelOptions& options);

}  // namespace dyn::sim
