// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What would be wrong with a controller's parameters on a robot: a file of ros2_control parameters is read as the
// controllers of dyn_controllers would read it, and compared with the robot's description and with what is known of its
// drives. No ROS. Facts about the drives stand in the same file under the name drive_facts (config/ros/arms/).
#pragma once

#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn::sim {

struct ControlFinding {
  bool error = true;       // else a warning: doubtful, and not wrong for sure
  std::string check;       // gravity, friction, joints, limits, units, gains, rate, names, frame, drive
  std::string controller;  // its name; empty: of no one controller
  std::string joint;       // empty: of no one joint
  std::string sentence;
};

struct ControlCheck {
  std::vector<std::string> controllers;  // that were looked at
  std::vector<ControlFinding> findings;  // errors first

  [[nodiscard]] bool ok() const noexcept { return findings.empty() || !findings.front().error; }
};

// Throws ModelError where the file cannot be read or has no controller of dyn_controllers.
ControlCheck check_control(const Model& model, const std::string& file);

}  // namespace dyn::sim
