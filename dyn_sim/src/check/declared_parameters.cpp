// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "check/declared_parameters.hpp"

#include <algorithm>
#include <stdexcept>

#include "dyn_core/control/parameter_table.hpp"

namespace dyn::sim {
namespace {

constexpr std::string_view any_joint = "__map_joints";

DeclaredParameter of_type(const std::string& type) {
  const std::string ending = "_array";
  DeclaredParameter out;
  out.list = type.size() > ending.size() && type.substr(type.size() - ending.size()) == ending;
  const std::string one = out.list ? type.substr(0, type.size() - ending.size()) : type;
  if (one == "bool") {
    out.kind = ParameterKind::flag;
  } else if (one == "int") {
    out.kind = ParameterKind::integer;
  } else if (one == "double") {
    out.kind = ParameterKind::number;
  } else if (one != "string") {
    throw std::logic_error("a declared parameter has the type " + type);
  }
  return out;
}

void add_validation(const std::string& rule, const YAML::Node& arguments, DeclaredParameter& out) {
  const auto number = [&](std::size_t i) { return arguments[i].as<double>(); };
  if (rule == "unique<>") {
    out.unique = true;
  } else if (rule == "not_empty<>") {
    out.not_empty = true;
  } else if (rule == "one_of<>" || rule == "subset_of<>") {
    out.words = arguments[0].as<std::vector<std::string>>();
  } else if (rule == "bounds<>" || rule == "element_bounds<>") {
    out.lowest = number(0);
    out.highest = number(1);
  } else if (rule == "gt<>" || rule == "gt_eq<>") {
    out.lowest = number(0);
    out.above = rule == "gt<>";
  } else if (rule == "lt_eq<>") {
    out.highest = number(0);
  } else if (rule == "fixed_size<>") {
    out.size = arguments[0].as<std::size_t>();
  } else {
    throw std::logic_error("a declared parameter has the rule " + rule);
  }
}

void add_all(const YAML::Node& group, const std::string& prefix, DeclaredParameters& all) {
  for (const auto& entry : group) {
    const auto name = entry.first.as<std::string>();
    const YAML::Node& node = entry.second;
    // A group may have a parameter `type`, which is a map.
    if (!node["type"] || !node["type"].IsScalar()) {
      add_all(node, prefix + (name == any_joint ? "*" : name) + '.', all);
      continue;
    }
    DeclaredParameter& declared = all[prefix + name] = of_type(node["type"].as<std::string>());
    for (const auto& rule : node["validation"]) add_validation(rule.first.as<std::string>(), rule.second, declared);
  }
}

// What ROS and ros2_control declare for every controller, or read from its part of the file.
void add_those_of_ros(DeclaredParameters& all) {
  for (const char* name : {"use_sim_time", "start_type_description_service", "is_async",
                           "async_parameters.wait_until_initial_trigger", "async_parameters.print_warnings"}) {
    all[name] = of_type("bool");
  }
  for (const char* name : {"update_rate", "thread_priority", "async_parameters.thread_priority"}) {
    all[name] = of_type("int");
  }
  all["async_parameters.cpu_affinity"] = of_type("int_array");
  all["async_parameters.scheduling_policy"] = of_type("string");
  all["type"] = of_type("string");
  all["fallback_controllers"] = of_type("string_array");
}

// NAME.JOINT, which joint_numbers.hpp declares once the robot is known.
void add_joint_number(const std::string& name, DeclaredParameters& all) {
  DeclaredParameter& declared = all[name + ".*"];
  declared.kind = ParameterKind::number;
  declared.integer_too = true;
  declared.lowest = 0.0;
}

DeclaredParameters read_all(std::string_view yaml) {
  DeclaredParameters all;
  for (const auto& root : YAML::Load(std::string(yaml))) add_all(root.second, "", all);
  add_those_of_ros(all);
  add_joint_number("armature", all);
  return all;
}

DeclaredParameters read_those_of_controllers() {
  DeclaredParameters all = read_all(parameters_yaml);
  for (const control::JointParameter& line : control::joint_parameters) add_joint_number(std::string(line.name), all);
  for (const control::NumberParameter& line : control::number_parameters) {
    if (line.above) all.at(std::string(line.name)).above = true;
  }
  return all;
}

// GROUP.*.LAST is GROUP.JOINT.LAST for every joint, whose name may have dots in it.
bool matches(const std::string& pattern, const std::string& name) {
  const auto star = pattern.find('*');
  if (star == std::string::npos) return pattern == name;
  const std::string before = pattern.substr(0, star), after = pattern.substr(star + 1);
  return name.size() > before.size() + after.size() && name.rfind(before, 0) == 0 &&
         name.substr(name.size() - after.size()) == after;
}

}  // namespace

const DeclaredParameters& declared_of_controllers() {
  static const DeclaredParameters all = read_those_of_controllers();
  return all;
}

const DeclaredParameters& declared_of_broadcaster() {
  static const DeclaredParameters all = read_all(broadcaster_parameters_yaml);
  return all;
}

const DeclaredParameter* find_declared(const DeclaredParameters& all, const std::string& name) {
  const auto exact = all.find(name);
  if (exact != all.end()) return &exact->second;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& entry) { return matches(entry.first, name); });
  return found == all.end() ? nullptr : &found->second;
}

std::string declared_beside(const DeclaredParameters& all, const std::string& name) {
  const std::string group = name.substr(0, name.find('.')) + '.';
  std::string names;
  for (const auto& [known, declared] : all) {
    if (known.rfind(group, 0) != 0) continue;
    std::string shown = known;
    if (const auto star = shown.find('*'); star != std::string::npos) shown.replace(star, 1, "JOINT");
    names += (names.empty() ? "" : ", ") + shown;
  }
  return names;
}

}  // namespace dyn::sim
