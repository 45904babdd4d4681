// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a controller commands, and what the robot's driver and its hardware take.
#include <algorithm>

#include "check/checks.hpp"

namespace dyn::sim {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

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

}  // namespace

void check_interfaces(const CheckedController& c) {
  if (c.commanded() != std::vector<std::string>{"effort"} && !c.is("FeedforwardController")) {
    c.error("drive", "", "command_interfaces: this controller commands effort only");
  }
  if (c.commands("effort") && !c.drive().flag("effort_command", true)) {
    c.error("drive", "",
            "drive_facts.effort_command: the robot's driver accepts no efforts, so that no torque "
            "controller can command it");
  }
  check_offered(c);
}

}  // namespace dyn::sim
