// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Several arm7 in one robot_description, a metre apart, with a hardware and controllers each.
#pragma once

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "plugin_fixture.hpp"

namespace dyn_controllers::test {

inline std::vector<std::string> joints_of(const std::string& arm) {
  std::vector<std::string> names = arm7_joints();
  for (std::string& name : names) name.insert(0, arm + '_');
  return names;
}

// arm7's links and joints with a prefix, without the <robot> around them and the materials before them.
inline std::string arm_of(const std::string& arm) {
  const std::string urdf = arm7_urdf();
  const size_t begin = urdf.find("<link"), end = urdf.rfind("</robot>");
  const std::regex named(R"re((<(?:link|joint) name=")|((?:parent|child) link="))re");
  return std::regex_replace(urdf.substr(begin, end - begin), named, "$&" + arm + '_');
}

inline std::string several_arms(const std::vector<std::string>& arms) {
  std::ostringstream robot;
  const std::string urdf = arm7_urdf();
  robot << urdf.substr(0, urdf.find("<link")) << "<link name='world'/>";
  for (size_t k = 0; k < arms.size(); ++k) {
    const std::string& arm = arms[k];
    robot << arm_of(arm) << "<joint name='" << arm << "_mount' type='fixed'><parent link='world'/><child link='" << arm
          << "_base_link'/><origin xyz='0 " << static_cast<double>(k) - 0.5 << " 0'/></joint>";
    robot << "<ros2_control name='" << arm << "_hardware' type='system'><hardware>"
          << "<plugin>dyn_controllers/SimulatedArm</plugin><param name='friction'>false</param></hardware>";
    for (const std::string& joint : joints_of(arm)) {
      robot << "<joint name='" << joint << "'><command_interface name='effort'/><state_interface name='position'/>"
            << "<state_interface name='velocity'/></joint>";
    }
    robot << "</ros2_control>";
  }
  robot << "</robot>";
  return robot.str();
}

// Of the arm's torque controller, which has the arm's name.
inline std::string torque_parameters_of(const std::string& arm) {
  std::ostringstream text;
  text << arm << ":\n  ros__parameters:\n    reference_timeout: 0.0\n    joints: [";
  for (const std::string& joint : joints_of(arm)) text << joint << ", ";
  text << "]\n    gains:\n";
  for (const std::string& joint : joints_of(arm)) text << "      " << joint << ": {p: 400.0, d: 40.0}\n";
  return text.str();
}

}  // namespace dyn_controllers::test
