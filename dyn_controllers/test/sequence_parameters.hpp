// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// All kinds of controllers side by side on one arm, none active.
#pragma once

#include "controller_manager_fixture.hpp"

namespace dyn_controllers::test {

inline std::vector<std::pair<std::string, std::string>> sequence_controllers() {
  const std::string trajectory = "joint_trajectory_controller/JointTrajectoryController";
  return {{"computed", "dyn_controllers/ComputedTorqueController"},
          {"feedforward", "dyn_controllers/FeedforwardController"},
          {"gravity_compensation", "dyn_controllers/GravityCompensationController"},
          {"task", "dyn_controllers/TaskSpaceController"},
          {"dynamics", "dyn_controllers/DynamicsBroadcaster"},
          {"position", "forward_command_controller/ForwardCommandController"},
          {"trajectory", trajectory},
          {"fed_trajectory", trajectory}};
}

// Gains as the launch files have them; the damping of gravity compensation is such that a hand does not hurl the arm.
inline std::string sequence_parameters() {
  const auto joints = arm7_joints();
  const dyn::Model model = dyn::load_model("arm7");
  const auto list = [&](const std::string& prefix) {
    std::string text = "[";
    for (const std::string& joint : joints) text += prefix + joint + ", ";
    return text + "]";
  };
  std::ostringstream computed, feedforward, guiding;
  for (size_t i = 0; i < joints.size(); ++i) {
    const double effort = model.joints()[i].description.limits->effort;
    computed << "      " << joints[i] << ": {p: 400.0, d: 40.0}\n";
    feedforward << "      " << joints[i] << ": {p: " << std::fixed << 3.0 * effort << ", d: " << 0.3 * effort << "}\n";
    guiding << "      " << joints[i] << ": {d: " << std::fixed << 0.1 * effort << "}\n";
  }
  std::ostringstream text;
  const auto ours = [&](const std::string& name, const std::string& gains) {
    text << name << ":\n  ros__parameters:\n    joints: " << list("") << "\n    gains:\n" << gains;
  };
  ours("computed", computed.str());
  ours("feedforward", feedforward.str());
  ours("gravity_compensation", guiding.str());
  ours("task", guiding.str());
  text << "    frame: tool0\n";
  text << "dynamics:\n  ros__parameters:\n    measured_effort: true\n";
  text << "position:\n  ros__parameters:\n    joints: " << list("") << "\n    interface_name: position\n";
  for (const auto& [above, below] :
       {std::pair{"trajectory", "computed/"}, std::pair{"fed_trajectory", "feedforward/"}}) {
    text
        << above << ":\n  ros__parameters:\n    joints: " << list("") << "\n    command_joints: " << list(below)
        << "\n    command_interfaces: [position, velocity, acceleration]\n    state_interfaces: [position, velocity]\n";
  }
  const auto file = std::filesystem::temp_directory_path() / ("dyn_sequences_" + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << text.str();
  return file.string();
}

}  // namespace dyn_controllers::test
