// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Robots by name for tests: those shipped in config/, and where the build knows example-robot-data, ten real ones.
// Not those that need the program xacro, which a build may do without: oracle/oracle_pin.py tests these.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "dyn_core/model/robot_library.hpp"

namespace dyn::test {

inline constexpr std::array<const char*, 10> real_robots{"ur5", "ur10",  "panda", "kinova", "xarm7",
                                                         "z1",  "tiago", "talos", "hyq",    "romeo"};

inline std::vector<std::pair<std::string, RobotDescription>> robots_for_tests() {
  std::vector<std::pair<std::string, RobotDescription>> robots;
  for (const KnownRobot& robot : known_robots()) {
    if (robot.shipped && robot.file.extension() != ".xacro") robots.emplace_back(robot.name, load_robot(robot.name));
  }
#ifdef DYN_HAS_EXAMPLE_ROBOT_DATA
  for (const char* name : real_robots) robots.emplace_back(name, load_robot(name));
#endif
  return robots;
}

}  // namespace dyn::test
