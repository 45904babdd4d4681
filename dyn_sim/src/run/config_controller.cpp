// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The controller's part of a configuration, and its parameters set one by one while it runs: the same names for both.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "config_parts.hpp"

namespace dyn::sim {
namespace {

using control::GravityCompensation;
using control::JointGains;
using control::Law;
using control::Parameters;

template <class Enum>
Enum pick(const std::string& parameter, const std::string& value,
          const std::vector<std::pair<std::string, Enum>>& all) {
  std::string known;
  for (const auto& [name, which] : all) {
    if (name == value) return which;
    known += (known.empty() ? "" : ", ") + name;
  }
  throw ModelError(parameter + ": '" + value + "' is none of " + known);
}

Law law_of(const std::string& value) {
  return pick<Law>("type", value,
                   {{"computed_torque", Law::computed_torque},
                    {"feedforward", Law::feedforward},
                    {"gravity_compensation", Law::gravity_compensation},
                    {"passivity", Law::passivity},
                    {"adaptive", Law::adaptive}});
}

GravityCompensation gravity_of(const std::string& value) {
  return pick<GravityCompensation>("gravity_compensation", value,
                                   {{"full", GravityCompensation::full},
                                    {"none", GravityCompensation::none},
                                    {"hardware", GravityCompensation::hardware}});
}

// Parameters that are one number.
double* scalar(Parameters& p, const std::string& name) {
  const std::vector<std::pair<std::string, double*>> all{{"effort_limit_scale", &p.effort_limit_scale},
                                                         {"effort_rate_limit", &p.effort_rate_limit},
                                                         {"prediction", &p.prediction},
                                                         {"reference_lead", &p.reference_lead},
                                                         {"reference_timeout", &p.reference_timeout_s},
                                                         {"ramp_in", &p.ramp_in_s},
                                                         {"passive_damping", &p.passive_damping},
                                                         {"observer_gain", &p.observer_gain},
                                                         {"collision_threshold", &p.collision_threshold},
                                                         {"adaptation_gain", &p.adaptation_gain},
                                                         {"adaptation_mass", &p.adaptation_mass_kg},
                                                         {"adaptation_radius", &p.adaptation_radius_m},
                                                         {"hold_time", &p.hold_time_s}};
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.first == name; });
  return it == all.end() ? nullptr : it->second;
}
constexpr std::array scalars{"effort_limit_scale", "effort_rate_limit", "prediction",
                             "reference_lead",     "reference_timeout", "ramp_in",
                             "passive_damping",    "observer_gain",     "collision_threshold",
                             "adaptation_gain",    "adaptation_mass",   "adaptation_radius",
                             "hold_time"};

// Parameters with a number by joint.
std::vector<std::pair<std::vector<double>*, std::string>> joint_limits(Parameters& p) {
  return {{&p.effort_limit, "effort_limit"}, {&p.acceleration_limit, "acceleration_limit"}};
}

JointGains read_gains(YamlMap map, const JointGains& otherwise) {
  JointGains gains;
  gains.p = map.number("p", otherwise.p);
  gains.d = map.number("d", otherwise.d);
  gains.i = map.number("i", otherwise.i);
  gains.i_clamp = map.number("i_clamp", otherwise.i_clamp);
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
  const std::vector<std::pair<std::string, double*>> fields{
      {"p", &gains.p}, {"d", &gains.d}, {"i", &gains.i}, {"i_clamp", &gains.i_clamp}};
  *pick<double*>(name, name.substr(dot + 1), fields) = to_number(name, value);
}

// effort_limit.JOINT and the like; null where `name` is none of them.
double* joint_limit(const std::string& name, const Model& model, Parameters& parameters) {
  for (const auto& [limits, prefix] : joint_limits(parameters)) {
    if (name.rfind(prefix + '.', 0) != 0) continue;
    limits->resize(parameters.gains.size(), 0.0);
    return &limits->at(robot_coordinate_of(name.substr(prefix.size() + 1), name, model, parameters));
  }
  return nullptr;
}

// A number for all joints, or a map with a number by joint and `default`.
void read_joint_limits(YamlMap& map, const std::string& name, const Model& model, std::vector<double>& limits) {
  if (!map.has(name)) return;
  const auto n = static_cast<size_t>(model.coordinates());
  if (map.raw(name).IsScalar()) {
    limits.assign(n, map.number(name));
    return;
  }
  YamlMap by_joint = map.map(name);
  limits.assign(n, by_joint.number("default", 0.0));
  for (size_t i = 0; i < n; ++i) limits[i] = by_joint.number(model.coordinate_names()[i], limits[i]);
  by_joint.finish();
}

}  // namespace

void read_controller(YamlMap& map, const Model& model, ArmConfig& arm) {
  Parameters& p = arm.controller;
  p.law = law_of(map.text("type", "computed_torque"));
  arm.jsim = map.text("jsim_algorithm", "fused");
  arm.coriolis = map.text("coriolis_algorithm", "fused");
  (void)AlgorithmIndex::find_jsim(arm.jsim);
  (void)AlgorithmIndex::find_coriolis(arm.coriolis);
  YamlMap gains = map.map("gains");
  const JointGains otherwise = read_gains(gains.map("default"), {400.0, 40.0, 0.0, 0.0});
  p.gains.assign(static_cast<size_t>(model.coordinates()), otherwise);
  for (size_t i = 0; i < p.gains.size(); ++i) {
    const std::string& joint = model.coordinate_names()[i];
    if (gains.has(joint)) p.gains[i] = read_gains(gains.map(joint), otherwise);
  }
  gains.finish();
  p.gravity_compensation = gravity_of(map.text("gravity_compensation", "full"));
  p.friction_compensation = map.flag("friction_compensation", p.friction_compensation);
  p.allow_heavy_payloads = map.flag("allow_heavy_payloads", p.allow_heavy_payloads);
  for (const char* name : scalars) *scalar(p, name) = map.number(name, *scalar(p, name));
  for (const auto& [limits, name] : joint_limits(p)) read_joint_limits(map, name, model, *limits);
  arm.live.max_payload_dofs = map.integer("max_payload_dofs", 6);
  if (arm.live.max_payload_dofs < 0 || arm.live.max_payload_dofs > 100) {
    map.fail("max_payload_dofs", "is not from 0 to 100");
  }
  arm.passive_joints = map.texts("passive_joints");
  arm.payload_link = map.text("payload_link", "");
  if (p.law == Law::adaptive && arm.payload_link.empty()) map.fail("payload_link", "is missing: adaptive learns there");
  if (const auto fault = control::find_fault(p, model.coordinates()); !fault.empty()) {
    throw ModelError(arm.robot + ": controller: " + fault);
  }
}

void set_parameter(const std::string& name, const std::string& value, const Model& model, Parameters& parameters,
                   live::LiveModel& live, live::LiveModel::Change* later) {
  if (name == "jsim_algorithm") return live.set_jsim(value, later);
  if (name == "coriolis_algorithm") return live.set_coriolis(value, later);
  Parameters changed = parameters;
  if (name == "type") {
    changed.law = law_of(value);
  } else if (name == "gravity_compensation") {
    changed.gravity_compensation = gravity_of(value);
  } else if (name == "friction_compensation" || name == "allow_heavy_payloads") {
    bool& flag = name == "friction_compensation" ? changed.friction_compensation : changed.allow_heavy_payloads;
    flag = pick<bool>(name, value, {{"true", true}, {"false", false}});
  } else if (double* const number = scalar(changed, name); number != nullptr) {
    *number = to_number(name, value);
  } else if (double* const limit = joint_limit(name, model, changed); limit != nullptr) {
    *limit = to_number(name, value);
  } else if (name.rfind("gains.", 0) == 0 && name.rfind('.') > 6) {
    set_gain(name, value, model, changed);
  } else {
    throw ModelError("set: there is no parameter '" + name + "'");
  }
  if (const auto fault = control::find_fault(changed, static_cast<int>(changed.gains.size())); !fault.empty()) {
    throw ModelError(fault);
  }
  parameters = changed;
}

}  // namespace dyn::sim
