// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The checks of `dyn info --check-control`, by subject. Each adds findings, one sentence each.
#pragma once

#include "check/control_config.hpp"
#include "dyn_core/model/urdf_hardware.hpp"
#include "dyn_sim/check_control.hpp"

namespace dyn::sim {

// One controller on one robot.
struct CheckedController {
  const Model& model;
  const ControlConfig& config;
  const ControllerEntry& entry;
  const std::vector<HardwareJoint>& hardware;  // of the robot's description; empty: it says nothing
  std::vector<const Joint*> joints;            // those of the parameter `joints` that the robot has and can drive
  std::vector<ControlFinding>& findings;

  [[nodiscard]] const NodeParameters& own() const { return entry.parameters; }
  [[nodiscard]] const NodeParameters& drive() const { return config.drive; }
  [[nodiscard]] bool is(const char* type) const { return entry.type == type; }
  // The interfaces of every joint that it commands.
  [[nodiscard]] std::vector<std::string> commanded() const;
  [[nodiscard]] bool commands(const std::string& interface) const;
  // s; the controller manager's default unless it is given.
  [[nodiscard]] double period_s() const;
  // N m or N that the controller may command; 0: no limit is given.
  [[nodiscard]] double effort_limit(const Joint& joint) const;
  void error(const std::string& check, const std::string& joint, const std::string& sentence) const {
    findings.push_back({Severity::error, check, entry.name, joint, sentence});
  }
  // Of a parameter that is given: "PARAMETER: what".
  void error_of(const std::string& check, const std::string& parameter, const std::string& what) const {
    findings.push_back({Severity::error, check, entry.name, "", parameter + ": " + what, own().line(parameter)});
  }
  void warn(const std::string& check, const std::string& joint, const std::string& sentence) const {
    findings.push_back({Severity::warning, check, entry.name, joint, sentence});
  }
  void hint(const std::string& check, const std::string& sentence) const {
    findings.push_back({Severity::hint, check, entry.name, "", sentence});
  }
};

std::string short_number(double value);
std::string joined(const std::vector<std::string>& names);  // by commas

void check_type(const CheckedController& c);
void check_names(const CheckedController& c);
// Types, words, ranges and lengths. False if there is a value that the checks below cannot read.
bool check_values(const CheckedController& c);
void check_joints(CheckedController& c);            // fills c.joints
void check_drive(const CheckedController& c);       // gravity, friction, rate, delay: done by both or by neither
void check_interfaces(const CheckedController& c);  // what is commanded, and what driver and hardware take
void check_limits(const CheckedController& c);
void check_gains(const CheckedController& c);
void check_ranges(const CheckedController& c);  // numbers that ROS takes, but in another unit than ours
void check_driver_load(const CheckedController& c);
void check_links(const CheckedController& c);
void check_start(const CheckedController& c);
// Of the robot's description, independent of the controller.
void check_units(const Model& model, std::vector<ControlFinding>& findings);

}  // namespace dyn::sim
