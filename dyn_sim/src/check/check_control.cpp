// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/check_control.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "check/checks.hpp"
#include "dh_yaml.hpp"
#include "dyn_core/model/urdf.hpp"

namespace dyn::sim {
namespace {

std::string kind_of(const Model& model, const std::string& name) {
  for (const JointDescription& joint : model.description().joints) {
    if (joint.name != name) continue;
    if (joint.mimic) return "mimics '" + joint.mimic->joint + "' and cannot be driven";
    return "is " + std::string(to_string(joint.type)) + " and cannot be driven by one effort";
  }
  return "is not a joint of the robot '" + model.name() + "'";
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<HardwareJoint> hardware_of(const Model& model) {
  const std::string& source = model.description().source;
  if (is_dh_file(source)) return {};
  return read_hardware_joints(read_urdf_text(source), source);
}

}  // namespace

std::string short_number(double value) {
  std::ostringstream text;
  text.precision(4);
  text << value;
  return text.str();
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

double CheckedController::period_s() const {
  constexpr double default_rate = 100.0;
  const double rate = config.manager.number("update_rate").value_or(default_rate);
  return rate > 0.0 ? 1.0 / rate : 1.0 / default_rate;
}

std::vector<std::string> CheckedController::commanded() const {
  const auto given = own().texts("command_interfaces");
  return given.empty() ? std::vector<std::string>{"effort"} : given;
}

bool CheckedController::commands(const std::string& interface) const { return contains(commanded(), interface); }

double CheckedController::effort_limit(const Joint& joint) const {
  const auto& limits = joint.description.limits;
  const double of_robot = limits ? limits->effort : 0.0;
  const double given = own().number("effort_limit." + joint.description.name).value_or(0.0);
  if (of_robot > 0.0 && given > 0.0) return std::min(of_robot, given);
  return std::max(of_robot, given);
}

void check_joints(CheckedController& c) {
  const std::vector<std::string> names = c.own().texts("joints");
  if (names.empty()) c.error("joints", "", "joints: the list is empty, so nothing is commanded");
  const std::vector<std::string> passive = c.own().texts("passive_joints");
  std::set<std::string> seen(passive.begin(), passive.end());
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      if (contains(passive, name)) c.error("joints", name, "joints: '" + name + "' is in passive_joints too");
      continue;
    }
    const auto& all = c.model.joints();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Joint& joint) {
      return joint.description.name == name && joint.degrees == 1;
    });
    if (found == all.end()) {
      c.error("joints", name, "joints: '" + name + "' " + kind_of(c.model, name));
    } else {
      c.joints.push_back(&*found);
    }
  }
  for (const Joint& joint : c.model.joints()) {
    const std::string& name = joint.description.name;
    if (names.empty() || seen.count(name) != 0) continue;
    c.warn("joints", name, "joint '" + name + "' is not in joints: another controller has to hold it");
  }
  for (const char* group : {"gains", "effort_limit", "acceleration_limit"}) {
    for (const std::string& name : c.own().below(group)) {
      if (contains(names, name)) continue;
      c.error("joints", name,
              std::string(group) + '.' + name + ": '" + name + "' is not in joints, so it has no effect");
    }
  }
  for (const std::string& name : c.own().below("armature")) {
    const auto& all = c.model.description().joints;
    const auto same = [&](const JointDescription& joint) { return joint.name == name; };
    if (std::any_of(all.begin(), all.end(), same)) continue;
    c.error("joints", name, "armature." + name + ": '" + name + "' is not a joint of the robot");
  }
}

void check_links(const CheckedController& c) {
  for (const char* parameter : {"frame", "external_wrench.frame", "payload_link", "driver_load.link"}) {
    const std::string link = c.own().text(parameter);
    if (link.empty() || c.model.find_link(link) != nullptr) continue;
    c.error("frame", "", std::string(parameter) + ": the robot has no link '" + link + "'");
  }
  const auto missing = [&](const char* parameter, const char* why) {
    if (c.own().text(parameter).empty()) c.error("frame", "", std::string(parameter) + ": not given; " + why);
  };
  if (c.is("TaskSpaceController")) missing("frame", "it is the link whose pose is controlled");
  if (c.is("ComputedTorqueController") && c.own().text("law") == "adaptive") {
    missing("payload_link", "it is the link on which the law adaptive learns");
  }
  if (!c.own().text("driver_load.type").empty()) {
    missing("driver_load.name", "it is the driver's service or topic");
    missing("driver_load.link", "it is the link in whose frame the driver takes its load");
  }
}

ControlCheck check_control(const Model& model, const std::string& file) {
  const ControlConfig config = read_control_config(file);
  const std::vector<HardwareJoint> hardware = hardware_of(model);
  ControlCheck result;
  check_units(model, result.findings);
  for (const ControllerEntry& entry : config.controllers) {
    result.controllers.push_back(entry.name);
    CheckedController controller{model, config, entry, hardware, {}, result.findings};
    check_type(controller);
    check_names(controller);
    if (!check_values(controller) || controller.is("DynamicsBroadcaster")) continue;
    check_joints(controller);
    check_drive(controller);
    check_interfaces(controller);
    check_limits(controller);
    check_gains(controller);
    check_ranges(controller);
    check_driver_load(controller);
    check_links(controller);
    check_start(controller);
  }
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const ControlFinding& a, const ControlFinding& b) { return a.severity < b.severity; });
  return result;
}

}  // namespace dyn::sim
