// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "check/control_config.hpp"

#include <algorithm>
#include <set>

#include "dyn_core/error.hpp"
#include "run/yaml_reader.hpp"

namespace dyn::sim {
namespace {

constexpr const char* prefix_of_types = "dyn_controllers/";
constexpr const char* own_parameters = "ros__parameters";

// /ns/name and name are treated as the same node.
std::string last_part(const std::string& name) { return name.substr(name.find_last_of('/') + 1); }

using Nodes = std::map<std::string, NodeParameters>;

// Namespaces nest: a map with ros__parameters is a node.
void collect(const YAML::Node& tree, const std::string& file, Nodes& nodes, int depth = 0) {
  constexpr int deepest = 8;
  if (!tree.IsMap() || depth > deepest) return;
  for (const auto& entry : tree) {
    const auto name = entry.first.as<std::string>();
    if (!entry.second.IsMap()) {
      throw ModelError(file + ":" + std::to_string(entry.first.Mark().line + 1) + ": '" + name +
                       "' is not a node: it has no " + own_parameters);
    }
    if (const YAML::Node parameters = entry.second[own_parameters]) {
      const std::string node = name == "/**" ? name : last_part(name);
      nodes.try_emplace(node, file, node).first->second.add(parameters);
    } else {
      collect(entry.second, file, nodes, depth + 1);
    }
  }
}

}  // namespace

void NodeParameters::add(const YAML::Node& parameters, const std::string& prefix) {
  if (!parameters.IsMap()) return;
  for (const auto& entry : parameters) {
    const std::string name = prefix + entry.first.as<std::string>();
    if (entry.second.IsMap()) {
      add(entry.second, name + '.');
    } else {
      values_[name] = entry.second;
    }
  }
}

void NodeParameters::add(const NodeParameters& others) {
  for (const auto& [name, value] : others.values_) values_[name] = value;
}

void NodeParameters::fail(const std::string& name, const char* kind) const {
  throw ModelError(file_ + ":" + std::to_string(line(name)) + ": " + node_ + '.' + name + ": '" + shown(value(name)) +
                   "' is not " + kind);
}

std::string NodeParameters::text(const std::string& name, const std::string& otherwise) const {
  if (!has(name)) return otherwise;
  if (!values_.at(name).IsScalar()) fail(name, "a string");
  return values_.at(name).Scalar();
}

std::optional<double> NodeParameters::number(const std::string& name) const {
  if (!has(name)) return {};
  double value = 0.0;
  if (!YAML::convert<double>::decode(values_.at(name), value)) fail(name, "a number");
  return value;
}

bool NodeParameters::flag(const std::string& name, bool otherwise) const {
  if (!has(name)) return otherwise;
  bool value = false;
  if (!YAML::convert<bool>::decode(values_.at(name), value)) fail(name, "true or false");
  return value;
}

std::vector<std::string> NodeParameters::texts(const std::string& name) const {
  if (!has(name)) return {};
  std::vector<std::string> all;
  if (!values_.at(name).IsSequence()) fail(name, "a list of strings");
  for (const auto& entry : values_.at(name)) {
    if (!entry.IsScalar()) fail(name, "a list of strings");
    all.push_back(entry.Scalar());
  }
  return all;
}

std::vector<double> NodeParameters::numbers(const std::string& name) const {
  if (!has(name)) return {};
  std::vector<double> all;
  if (!values_.at(name).IsSequence() || !YAML::convert<std::vector<double>>::decode(values_.at(name), all)) {
    fail(name, "a list of numbers");
  }
  return all;
}

std::vector<std::string> NodeParameters::names() const {
  std::vector<std::string> all;
  for (const auto& [name, value] : values_) all.push_back(name);
  return all;
}

std::vector<std::string> NodeParameters::below(const std::string& prefix) const {
  std::set<std::string> all;
  for (const auto& [name, value] : values_) {
    if (name.rfind(prefix + '.', 0) != 0) continue;
    const std::string rest = name.substr(prefix.size() + 1);
    all.insert(prefix == "gains" ? rest.substr(0, rest.find_last_of('.')) : rest);
  }
  return {all.begin(), all.end()};
}

ControlConfig read_control_config(const std::string& file) {
  Nodes nodes;
  collect(parse_document(read_configuration(file), file), file, nodes);
  ControlConfig config;
  if (nodes.count("controller_manager") != 0) config.manager = nodes["controller_manager"];
  config.has_drive = nodes.count("drive_facts") != 0;
  if (config.has_drive) config.drive = nodes["drive_facts"];
  for (const std::string& name : config.manager.names()) {
    const std::string ending = ".type";
    if (name.size() <= ending.size() || name.substr(name.size() - ending.size()) != ending) continue;
    const std::string type = config.manager.text(name);
    if (type.rfind(prefix_of_types, 0) != 0) continue;
    ControllerEntry entry;
    entry.name = name.substr(0, name.size() - ending.size());
    entry.type = type.substr(std::string(prefix_of_types).size());
    entry.parameters = NodeParameters(file, entry.name);
    entry.parameters.add(nodes["/**"]);
    entry.parameters.add(nodes[entry.name]);
    config.controllers.push_back(entry);
  }
  if (config.controllers.empty()) {
    throw ModelError(file + ": controller_manager has no controller whose type begins with " + prefix_of_types);
  }
  return config;
}

}  // namespace dyn::sim
