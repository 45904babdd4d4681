// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a controller commands, and what the robot's driver and its hardware take.
#include <algorithm>

#include "check/checks.hpp"

namespace dyn::sim {
namespace {

// The commands that the description offers for a joint; a joint that is in no <ros2_control> tag has none.
std::vector<std::string> offered(const CheckedController& c, const std::string& joint) {
  const auto found =
      std::find_if(c.hardware.begin(), c.hardware.end(), [&](const HardwareJoint& x) { return x.name == joint; });
  return found == c.hardware.end() ? std::vector<std::string>{} : found->commands;
}

// A command that does not exist keeps a controller inactive; a driver may also export more than its tag offers, and
// drop what comes there.
void check_offered(const CheckedController& c) {
  if (c.hardware.empty()) return;
  for (const std::string& interface : c.commanded()) {
    std::vector<std::string> without, instead;
    for (const Joint* joint : c.joints) {
      const std::string& name = joint->description.name;
      const std::vector<std::string> commands = offered(c, name);
      if (std::find(commands.begin(), commands.end(), interface) != commands.end()) continue;
      if (without.empty()) instead = commands;
      without.push_back(name);
    }
    if (without.empty()) continue;
    c.error("drive", "",
            "command_interfaces: " + interface + ", which the robot's <ros2_control> tag does not offer for " +
                joined(without) + "; it offers " + (instead.empty() ? "nothing" : joined(instead)));
  }
}

// A driver that takes an effort only beside a position (lbr_fri_ros2: where one of the two is NaN, every torque is 0),
// and one whose position state is the position that was commanded, so that no feedback sees the arm.
void check_driver(const CheckedController& c) {
  if (c.commands("effort") && !c.drive().flag("effort_command", true)) {
    c.error("drive", "",
            "drive_facts.effort_command: the robot's driver accepts no efforts, so that no torque "
            "controller can command it");
  }
  if (c.commands("effort") && !c.commands("position") && c.drive().flag("needs_position", false)) {
    c.error("drive", "",
            "drive_facts.needs_position: the driver sets every torque to 0 while a joint has no position command; "
            "FeedforwardController with command_interfaces: [position, effort] commands both");
  }
  if (!c.drive().flag("state_is_commanded", false)) return;
  for (const std::string& joint : c.own().texts("joints")) {
    for (const char* gain : {".p", ".d", ".i"}) {
      const std::string name = "gains." + joint + gain;
      if (!c.own().has(name) || c.own().number(name) == 0.0) continue;
      c.error("drive", joint,
              name +
                  ": the driver's position state is its own command (drive_facts.state_is_commanded), so that "
                  "feedback does not see the arm");
    }
  }
}

// The observer knows the commanded efforts alone.
void check_observed(const CheckedController& c) {
  if (!c.commands("position") && !c.commands("velocity")) return;
  for (const char* name :
       {"collision_threshold", "external_wrench.force_threshold", "external_wrench.torque_threshold"}) {
    if (c.own().number(name).value_or(0.0) <= 0.0) continue;
    c.warn("drive", "",
           std::string(name) +
               ": the drives close a loop of their own, and its torque counts as coming from outside the arm");
  }
}

}  // namespace

void check_interfaces(const CheckedController& c) {
  if (c.commanded() != std::vector<std::string>{"effort"} && !c.is("FeedforwardController")) {
    c.error("drive", "", "command_interfaces: this controller commands effort only");
  }
  check_driver(c);
  check_observed(c);
  check_offered(c);
}

}  // namespace dyn::sim
