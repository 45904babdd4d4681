// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What dyn_controllers/src/parameters.yaml and broadcaster_parameters.yaml declare: the files from which ROS gets the
// parameters of the controllers are built into the program by cmake/embed.cmake.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dyn::sim {

extern const std::string_view parameters_yaml, broadcaster_parameters_yaml;

enum class ParameterKind : std::uint8_t { flag, integer, number, text };

struct DeclaredParameter {
  ParameterKind kind = ParameterKind::text;
  bool list = false;
  bool integer_too = false;        // a number that may be written without a decimal point
  std::vector<std::string> words;  // that are allowed; empty: all
  double lowest = -std::numeric_limits<double>::infinity(), highest = std::numeric_limits<double>::infinity();
  bool above = false;    // `lowest` itself is not allowed
  std::size_t size = 0;  // of a list; 0: any
  bool unique = false, not_empty = false;
};

// By name, with * for a joint: gains.*.p
using DeclaredParameters = std::map<std::string, DeclaredParameter>;
[[nodiscard]] const DeclaredParameters& declared_of_controllers();
[[nodiscard]] const DeclaredParameters& declared_of_broadcaster();

// Null if there is none of that name.
[[nodiscard]] const DeclaredParameter* find_declared(const DeclaredParameters& all, const std::string& name);
// The names in the group of `name`, "gains.JOINT.d, gains.JOINT.i, ..": what it may have been meant to be. Empty: there
// is no such group.
[[nodiscard]] std::string declared_beside(const DeclaredParameters& all, const std::string& name);

// Why ROS or the controllers refuse the value, a sentence that begins with the value; empty if they accept it.
[[nodiscard]] std::string fault_of(const DeclaredParameter& declared, const YAML::Node& value);
// Whether the checks can go on with the value, although ROS may refuse it: 400 for a double.
[[nodiscard]] bool can_be_read(const DeclaredParameter& declared, const YAML::Node& value);

}  // namespace dyn::sim
