// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A file of ros2_control parameters as rclcpp reads it: nodes by name, each with ros__parameters, whose names may be
// nested or joined by dots; /** applies to all nodes.
#pragma once

#include <yaml-cpp/yaml.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dyn::sim {

class NodeParameters {
 public:
  NodeParameters() = default;
  NodeParameters(std::string file, std::string node) : file_(std::move(file)), node_(std::move(node)) {}

  void add(const YAML::Node& parameters, const std::string& prefix = "");
  void add(const NodeParameters& others);  // existing values take precedence
  [[nodiscard]] bool has(const std::string& name) const { return values_.count(name) != 0; }
  // `otherwise` if it is not given. Throw ModelError with file and line if it has another type.
  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise = "") const;
  [[nodiscard]] std::optional<double> number(const std::string& name) const;
  [[nodiscard]] bool flag(const std::string& name, bool otherwise) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  [[nodiscard]] std::vector<double> numbers(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  // Of a parameter that is given.
  [[nodiscard]] const YAML::Node& value(const std::string& name) const { return values_.at(name); }
  [[nodiscard]] int line(const std::string& name) const { return value(name).Mark().line + 1; }
  // JOINT of every PREFIX.JOINT or PREFIX.JOINT.MORE.
  [[nodiscard]] std::vector<std::string> below(const std::string& prefix) const;

 private:
  [[noreturn]] void fail(const std::string& name, const char* kind) const;

  std::string file_, node_;
  std::map<std::string, YAML::Node> values_;
};

struct ControllerEntry {
  std::string name, type;  // ComputedTorqueController, ..
  NodeParameters parameters;
};

struct ControlConfig {
  std::vector<ControllerEntry> controllers;  // of dyn_controllers, the broadcaster too
  NodeParameters manager, drive;             // drive: drive_facts
  bool has_drive = false;
};

// Throws ModelError.
ControlConfig read_control_config(const std::string& file);

}  // namespace dyn::sim
