// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <set>

#include "algorithm_families.hpp"
#include "dh_yaml.hpp"
#include "dyn_core/error.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "output.hpp"

namespace dyn::cli {
namespace {

std::optional<Vec3d> read_vector(const std::string& text) {
  Vec3d vector;
  const char* at = text.c_str();
  for (int i = 0; i < 3; ++i) {
    char* end = nullptr;
    vector[i] = std::strtod(at, &end);
    if (end == at || !std::isfinite(vector[i]) || *end != (i < 2 ? ',' : '\0')) return std::nullopt;
    at = end + 1;
  }
  return vector;
}

}  // namespace

void add_robot(CLI::App& app, RobotCall& robot, CLI::App* group) {
  CLI::App& place = group == nullptr ? app : *group;
  auto* option =
      place.add_option("ROBOT", robot.name, "A .urdf, .xacro or .dh.yaml file, or a name that `dyn robots` lists");
  option->type_name("");
  if (group == nullptr) option->required();
  app.add_flag("--allow-impossible-inertia", robot.allow_impossible_inertia,
               "Accept inertias that break the triangle inequality or are semidefinite, with a warning each");
}

ModelOptions model_options(const RobotCall& robot) {
  ModelOptions options;
  options.allow_impossible_inertia = robot.allow_impossible_inertia;
  return options;
}

Model load(const RobotCall& robot) { return load(robot, model_options(robot)); }

Model load(const RobotCall& robot, const ModelOptions& options) {
  Model model = sim::load_any_model(robot.name, options);
  print_warnings(model);
  return model;
}

void print_warnings(const Model& model) {
  static std::set<std::string> said;
  const RobotDescription& robot = model.description();
  const std::string where = robot.source.empty() ? robot.name : robot.source;
  for (const std::string& warning : model.warnings()) {
    const std::string line = "warning: " + one_line(where + ": " + warning) + '\n';
    if (said.insert(line).second) std::cerr << line;
  }
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "Print one JSON object on standard output and nothing else");
}

void add_algorithm(CLI::App& app, const std::string& option, std::string& name, const std::string& parameter) {
  const AlgorithmFamily& family = family_of(parameter);
  app.add_option(option, name, parameter + ": " + listed(family.names))
      ->type_name("NAME")
      ->capture_default_str()
      ->check(CLI::Validator(
          [parameter](const std::string& text) {
            try {
              (void)registered_name(parameter, text);
            } catch (const ModelError& error) {
              return std::string(error.what());
            }
            return std::string();
          },
          "", "algorithm"));
}

CLI::Validator is_vector() {
  return CLI::Validator(
      [](const std::string& text) {
        return read_vector(text) ? std::string() : "'" + text + "' is not three finite numbers X,Y,Z";
      },
      "", "vector");
}

Vec3d parse_vector(const std::string& text) { return read_vector(text).value(); }

}  // namespace dyn::cli
