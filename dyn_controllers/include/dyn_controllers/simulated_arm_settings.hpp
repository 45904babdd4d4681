// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Converts the hardware parameters of a simulated arm, texts of the <ros2_control> tag, to settings of a plant. Strict:
// a text that is not a number is refused by name and value (dyn::ModelError). Not for the loop. No ROS.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "dyn_controllers/simulated_drives.hpp"
#include "dyn_core/model/model.hpp"
#include "dyn_sim/plant.hpp"

namespace dyn_controllers {

using HardwareParameters = std::unordered_map<std::string, std::string>;

struct SimulatedArmSettings {
  dyn::sim::PlantSettings plant;  // the times of its state_fault are of motion
  dyn::Vec3d gravity_mps2{0.0, 0.0, -9.81};
  DriveSettings drives;
  double fail_after_s = 0.0;    // 0: never
  std::vector<double> start_q;  // by coordinate; empty: 0
};

SimulatedArmSettings read_settings(const HardwareParameters& given);

// A finite number, or a ModelError whose text begins with `what`.
double number_from(const std::string& text, const std::string& what);

}  // namespace dyn_controllers
