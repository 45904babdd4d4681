// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/check_control.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "check/checks.hpp"
#include "dyn_core/control/parameter_table.hpp"

namespace dyn::sim {
namespace {

// Parameters that are not in control/parameter_table.hpp: fixed when a controller is configured, or of ROS only.
constexpr const char* other_names[] = {"joints",
                                       "law",
                                       "command_interfaces",
                                       "jsim_algorithm",
                                       "coriolis_algorithm",
                                       "gravity",
                                       "base_orientation",
                                       "gravity_compensation",
                                       "allow_impossible_inertia",
                                       "passive_joints",
                                       "max_payload_dofs",
                                       "frame",
                                       "payload_link",
                                       "description_transition",
                                       "state_publish_rate",
                                       "update_rate",
                                       "is_async",
                                       "use_sim_time"};
constexpr const char* groups[] = {
    "task",     "driver_load",  "validation",         "external_wrench",  "gains",
    "armature", "effort_limit", "acceleration_limit", "async_parameters", "qos_overrides"};

bool is_known(const std::string& name) {
  const auto same = [&](const auto& known) { return name == known; };
  if (std::any_of(std::begin(other_names), std::end(other_names), same)) return true;
  const auto dot = name.find('.');
  if (dot != std::string::npos) {
    const std::string group = name.substr(0, dot);
    return std::any_of(std::begin(groups), std::end(groups), [&](const char* known) { return group == known; });
  }
  return control::find_parameter(control::number_parameters, name) != nullptr ||
         control::find_parameter(control::flag_parameters, name) != nullptr;
}

std::string kind_of(const Model& model, const std::string& name) {
  for (const JointDescription& joint : model.description().joints) {
    if (joint.name != name) continue;
    if (joint.mimic) return "mimics '" + joint.mimic->joint + "' and cannot be driven";
    return "is " + std::string(to_string(joint.type)) + " and cannot be driven by one effort";
  }
  return "is not a joint of the robot '" + model.name() + "'";
}

}  // namespace

std::string short_number(double value) {
  std::ostringstream text;
  text.precision(4);
  text << value;
  return text.str();
}

double CheckedController::period_s() const {
  constexpr double default_rate = 100.0;
  const double rate = config.manager.number("update_rate").value_or(default_rate);
  return rate > 0.0 ? 1.0 / rate : 1.0 / default_rate;
}

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
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) c.error("joints", name, "joints: '" + name + "' is listed twice");
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
  const std::vector<std::string> passive = c.own().texts("passive_joints");
  seen.insert(passive.begin(), passive.end());
  for (const Joint& joint : c.model.joints()) {
    const std::string& name = joint.description.name;
    if (names.empty() || seen.count(name) != 0) continue;
    c.warn("joints", name, "joint '" + name + "' is not in joints: another controller has to hold it");
  }
  for (const char* group : {"gains", "effort_limit", "acceleration_limit"}) {
    for (const std::string& name : c.own().below(group)) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      c.error("joints", name,
              std::string(group) + '.' + name + ": '" + name + "' is not in joints, so it has no effect");
    }
  }
}

// ROS accepts every name, and nothing reports a parameter that is not read.
void check_names(const CheckedController& c) {
  for (const std::string& name : c.own().names()) {
    if (!is_known(name)) c.error("names", "", name + ": there is no such parameter, and ROS ignores it silently");
  }
}

void check_frames(const CheckedController& c) {
  for (const char* parameter : {"frame", "external_wrench.frame"}) {
    const std::string link = c.own().text(parameter);
    if (link.empty() || c.model.find_link(link) != nullptr) continue;
    c.error("frame", "", std::string(parameter) + ": the robot has no link '" + link + "'");
  }
  if (c.is("TaskSpaceController") && c.own().text("frame").empty()) {
    c.error("frame", "", "frame: not given; it is the link whose pose is controlled");
  }
}

ControlCheck check_control(const Model& model, const std::string& file) {
  const ControlConfig config = read_control_config(file);
  ControlCheck result;
  check_units(model, result.findings);
  for (const ControllerEntry& entry : config.controllers) {
    result.controllers.push_back(entry.name);
    CheckedController controller{model, config, entry, {}, result.findings};
    check_joints(controller);
    check_names(controller);
    check_drive(controller);
    check_limits(controller);
    check_gains(controller);
    check_frames(controller);
    check_start(controller);
  }
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const ControlFinding& a, const ControlFinding& b) { return a.error && !b.error; });
  return result;
}

}  // namespace dyn::sim
