// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Robots by name: those shipped in config/robots, and those of the package example-robot-data by its own names.
//
// Shipped robots are looked for in DYN_CONFIG_PATH, in the Python package (config/robots beside its library), beside
// the installed program or library (../share/dyn_control/robots), in ament's prefixes, and where the build found them.
// example-robot-data is looked for in DYN_ROBOTS_PATH, below the prefixes of CMAKE_PREFIX_PATH and AMENT_PREFIX_PATH,
// in the active Python environment, in ../share, and where CMake found it (cache variable DYN_EXAMPLE_ROBOT_DATA_DIR).
// Lists of paths are separated by colons.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn {

struct KnownRobot {
  std::string name;
  std::filesystem::path file;
  bool shipped = false;  // ours; else of example-robot-data
};

// Every robot that can be called by name; shipped ones first, each group in alphabetical order.
[[nodiscard]] std::vector<KnownRobot> known_robots();

// One more place for example-robot-data: its directory robots/. Before any other thread looks for a robot.
void add_example_robots(const std::filesystem::path& directory);

// A .urdf or .xacro file, or the name of a known robot. Throws ModelError that lists similar names.
[[nodiscard]] std::filesystem::path find_robot(const std::string& robot);

[[nodiscard]] RobotDescription load_robot(const std::string& robot);
[[nodiscard]] Model load_model(const std::string& robot, const ModelOptions& options = {});

}  // namespace dyn
