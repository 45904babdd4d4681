// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The controller's part of a configuration, and setting its parameters one by one while it runs: both use the same
// names.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "config_parts.hpp"
#include "dyn_core/control/controller.hpp"
#include "dyn_core/control/parameter_table.hpp"

namespace dyn::sim {
namespace {

using control::JointGains;
using control::Law;
using control::Parameters;

template <class Names>
auto pick(const std::string& parameter, const std::string& value, const Names& names) {
  std::string known;
  for (const auto& [name, which] : names) {
    if (name == value) return which;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw ModelError(parameter + ": '" + value + "' must be one of " + known);
}

bool flag_of(const std::string& parameter, const std::string& value) {
  return pick(parameter, value, std::array<std::pair<std::string_view, bool>, 2>{{{"true", true}, {"false", false}}});
}

JointGains read_gains(YamlMap map, const JointGains& otherwise) {
  JointGains gains;
  for (const auto& [name, member] : control::gain_parameters) {
    gains.*member = map.number(std::string(name), otherwise.*member, {0.0, ranges::gain});
  }
  map.finish();
  return gains;
}

int coordinate_of(const Model& model, const std::string& name) {
  const auto& names = model.coordinate_names();
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? -1 : static_cast<int>(it - names.begin());
}

double to_number(const std::string& name, const std::string& value) {
  double number = 0.0;
  const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || rest != value.data() + value.size() || !std::isfinite(number)) {
    throw ModelError(name + ": '" + value + "' is not a finite number");
  }
  return number;
}

size_t robot_coordinate_of(const std::string& joint, const std::string& name, const Model& model,
                           const Parameters& parameters) {
  const int coordinate = coordinate_of(model, joint);
  if (coordinate < 0 || coordinate >= static_cast<int>(parameters.gains.size())) {
    throw ModelError(name + ": the robot has no joint '" + joint + "'");
  }
  return static_cast<size_t>(coordinate);
}

// gains.JOINT.p and the like.
void set_gain(const std::string& name, const std::string& value, const Model& model, Parameters& parameters) {
  const auto dot = name.rfind('.');
  JointGains& gains = parameters.gains[robot_coordinate_of(name.substr(6, dot - 6), name, model, parameters)];
  const std::string which = name.substr(dot + 1);
  const auto* const gain = control::find_parameter(control::gain_parameters, which);
  if (gain == nullptr) throw ModelError(name + ": there is no gain '" + which + "'");
  gains.*gain->member = to_number(name, value);
}

// task.NAME; null for other names.
const control::TaskNumber* task_number(const std::string& name) {
  constexpr std::string_view prefix = "task.";
  return name.rfind(prefix, 0) == 0 ? control::find_parameter(control::task_numbers, name.substr(prefix.size()))
                                    : nullptr;
}

// effort_limit.JOINT and the like; null for other names.
double* joint_limit(const std::string& name, const Model& model, Parameters& parameters) {
  for (const control::JointParameter& line : control::joint_parameters) {
    const std::string prefix = std::string(line.name) + '.';
    if (name.rfind(prefix, 0) != 0) continue;
    std::vector<double>& limits = parameters.*line.member;
    limits.resize(parameters.gains.size(), 0.0);
    return &limits.at(robot_coordinate_of(name.substr(prefix.size()), name, model, parameters));
  }
  return nullptr;
}

// A number for all joints, or a map with a number by joint and `default`.
void read_joint_limits(YamlMap& map, const control::JointParameter& line, const Model& model,
                       std::vector<double>& limits) {
  const std::string name(line.name);
  const YamlRange range{0.0, line.highest};
  if (!map.has(name)) return;
  const size_t n = model.coordinates();
  if (map.raw(name).IsScalar()) {
    limits.assign(n, map.number(name, range));
    return;
  }
  YamlMap by_joint = map.map(name);
  limits.assign(n, by_joint.number("default", 0.0, range));
  for (size_t i = 0; i < n; ++i) limits[i] = by_joint.number(model.coordinate_names()[i], limits[i], range);
  by_joint.finish();
}

}  // namespace

void read_controller(YamlMap& map, const Model& model, ArmConfig& arm) {
  Parameters& p = arm.controller;
  p.law = pick(map.where("type"), map.text("type", "computed_torque"), control::law_names);
  arm.jsim = map.text("jsim_algorithm", "fused");
  arm.coriolis = map.text("coriolis_algorithm", "fused");
  map.try_as("jsim_algorithm", [&] { (void)AlgorithmIndex::find_jsim(arm.jsim); });
  map.try_as("coriolis_algorithm", [&] { (void)AlgorithmIndex::find_coriolis(arm.coriolis); });
  YamlMap gains = map.map("gains");
  const JointGains otherwise = read_gains(gains.map("default"), {400.0, 40.0, 0.0, 0.0});
  arm.default_gains = otherwise;
  p.gains.assign(model.coordinates(), otherwise);
  for (size_t i = 0; i < p.gains.size(); ++i) {
    const std::string& joint = model.coordinate_names()[i];
    if (gains.has(joint)) p.gains[i] = read_gains(gains.map(joint), otherwise);
  }
  gains.finish();
  p.gravity_compensation = pick(map.where("gravity_compensation"), map.text("gravity_compensation", "full"),
                                control::gravity_compensation_names);
  for (const auto& line : control::flag_parameters) {
    p.*line.member = map.flag(std::string(line.name), p.*line.member);
  }
  for (const auto& line : control::number_parameters) {
    p.*line.member = map.number(std::string(line.name), p.*line.member, {line.lowest, line.highest});
  }
  for (const auto& line : control::joint_parameters) {
    read_joint_limits(map, line, model, p.*line.member);
  }
  arm.live.max_payload_dofs = map.integer("max_payload_dofs", 6, {0, 100});
  arm.passive_joints = map.texts("passive_joints");
  map.try_as("passive_joints", [&] { (void)control::Actuation::from_model(model, arm.passive_joints); });
  arm.payload_link = map.text("payload_link", "");
  if (!arm.payload_link.empty()) check_moving_link(map, "payload_link", arm.payload_link, model);
  if (p.law == Law::task_space) read_task(map, model, arm);
  if (p.law == Law::adaptive && arm.payload_link.empty()) map.fail("payload_link", "is missing: adaptive learns there");
  if (const auto fault = control::find_fault(p, model.coordinates()); !fault.empty()) {
    const auto end = fault.find(": ");
    map.fail(fault.substr(0, end), fault.substr(end + 2));
  }
}

Parameters changed_parameters(const std::string& name, const std::string& value, const Model& model,
                              const Parameters& parameters) {
  Parameters changed = parameters;
  if (name == "jsim_algorithm") {
    (void)AlgorithmIndex::find_jsim(value);
  } else if (name == "coriolis_algorithm") {
    (void)AlgorithmIndex::find_coriolis(value);
  } else if (name == "type") {
    changed.law = pick(name, value, control::law_names);
    if (changed.law != parameters.law && (changed.law == Law::task_space || parameters.law == Law::task_space)) {
      throw ModelError("type: the law task_space cannot be chosen or left while it runs");
    }
  } else if (name == "gravity_compensation") {
    changed.gravity_compensation = pick(name, value, control::gravity_compensation_names);
  } else if (const auto* const flag = control::find_parameter(control::flag_parameters, name); flag != nullptr) {
    changed.*flag->member = flag_of(name, value);
  } else if (const auto* const number = control::find_parameter(control::number_parameters, name); number != nullptr) {
    changed.*number->member = to_number(name, value);
  } else if (double* const limit = joint_limit(name, model, changed); limit != nullptr) {
    *limit = to_number(name, value);
  } else if (const auto* const task = task_number(name); task != nullptr && changed.law == Law::task_space) {
    changed.task.*task->member = to_number(name, value);
  } else if (name.rfind("gains.", 0) == 0 && name.rfind('.') > 6) {
    set_gain(name, value, model, changed);
  } else {
    throw ModelError(name + ": there is no such parameter that may change");
  }
  if (const auto fault = control::find_fault(changed, static_cast<int>(changed.gains.size())); !fault.empty()) {
    throw ModelError(fault);
  }
  return changed;
}

void set_parameter(const std::string& name, const std::string& value, const Model& model, Parameters& parameters,
                   live::LiveModel& live, live::LiveModel::Change* later) {
  if (name == "jsim_algorithm") return live.set_jsim(value, later);
  if (name == "coriolis_algorithm") return live.set_coriolis(value, later);
  parameters = changed_parameters(name, value, model, parameters);
}

}  // namespace dyn::sim
