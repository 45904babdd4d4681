// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Finds errors in a controller's parameters for a robot: a file of ros2_control parameters is read as the controllers
// of dyn_controllers would read it, and compared with the robot's description and with known facts about its drives. No
// ROS. The facts about the drives are in the same file under the name drive_facts (config/ros/arms/).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn::sim {

// error: wrong; warning: doubtful, but not certainly wrong; hint: right or wrong, which only its user knows.
enum class Severity : std::uint8_t { error, warning, hint };

struct ControlFinding {
  Severity severity = Severity::error;
  std::string check;       // gravity, friction, joints, limits, units, gains, rate, names, values, frame, drive, start
  std::string controller;  // its name; empty: of no particular controller
  std::string joint;       // empty: of no particular joint
  std::string sentence;
  int line = 0;  // of the file; 0: of no particular line
};

struct ControlCheck {
  std::vector<std::string> controllers;  // those that were checked
  std::vector<ControlFinding> findings;  // by severity

  [[nodiscard]] bool ok() const noexcept { return findings.empty() || findings.front().severity != Severity::error; }
};

// Throws ModelError if the file cannot be read or has no controller of dyn_controllers.
ControlCheck check_control(const Model& model, const std::string& file);

}  // namespace dyn::sim
