// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Options that several commands share, and how their values are read. A bad value is a wrong call: exit code 2.
#pragma once

#include <string>

#include "command.hpp"
#include "dyn_core/model/model.hpp"
#include "dyn_core/numeric/types.hpp"

namespace dyn::cli {

// The argument ROBOT with the options for reading it.
struct RobotCall {
  std::string name;
  bool allow_impossible_inertia = false;
};

// Required; or part of a group of alternatives, if one is given.
void add_robot(CLI::App& app, RobotCall& robot, CLI::App* group = nullptr);
[[nodiscard]] ModelOptions model_options(const RobotCall& robot);
// Builds the model, and prints its warnings on standard error.
[[nodiscard]] Model load(const RobotCall& robot);
[[nodiscard]] Model load(const RobotCall& robot, const ModelOptions& options);
void print_warnings(const Model& model);  // each sentence once per program
void add_json(CLI::App& app, bool& json);
void add_algorithm(CLI::App& app, const std::string& option, std::string& name, const std::string& parameter);

// "X,Y,Z", three finite numbers.
[[nodiscard]] CLI::Validator is_vector();
[[nodiscard]] Vec3d parse_vector(const std::string& text);

}  // namespace dyn::cli
