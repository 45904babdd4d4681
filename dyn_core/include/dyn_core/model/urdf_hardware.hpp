// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a URDF says about the robot's hardware: the command interfaces that its <ros2_control> tags offer.
#pragma once

#include <string>
#include <vector>

namespace dyn {

struct HardwareJoint {
  std::string name;
  std::vector<std::string> commands;  // position, velocity, effort, ..; empty: its state is read, no more
};

// The joints of all <ros2_control> tags, in the order of the file; empty if there is no such tag. Throws ModelError if
// the text is not XML. The source's name is for messages only.
[[nodiscard]] std::vector<HardwareJoint> read_hardware_joints(const std::string& xml, const std::string& source_name);

}  // namespace dyn
