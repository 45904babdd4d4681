// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Values of a parameter file as ROS reads them, beside what is declared. ROS (get_value() of rcl_yaml_param_parser)
// takes the type from the text: 400 is an integer and is refused where a double is declared, off without quotes is a
// bool, and a list has entries of one type.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>

#include "check/declared_parameters.hpp"
#include "run/yaml_reader.hpp"

namespace dyn::sim {
namespace {

// yaml-cpp gives a text in quotes the tag "!".
bool is_quoted(const YAML::Node& scalar) { return scalar.Tag() == "!" || scalar.Tag() == "tag:yaml.org,2002:str"; }

// The whole text as a number; nothing if it is none, or beyond the range of a double.
std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || errno != 0) return {};
  return value;
}

ParameterKind kind_of(const YAML::Node& scalar) {
  constexpr std::array flags{"y", "Y", "yes", "Yes", "YES", "true",  "True",  "TRUE",  "on",  "On",  "ON",
                             "n", "N", "no",  "No",  "NO",  "false", "False", "FALSE", "off", "Off", "OFF"};
  const std::string& text = scalar.Scalar();
  if (is_quoted(scalar) || text.empty()) return ParameterKind::text;
  for (const char* flag : flags) {
    if (text == flag) return ParameterKind::flag;
  }
  char* end = nullptr;
  errno = 0;
  (void)std::strtoll(text.c_str(), &end, 0);  // also 0x10 and 010, as there
  if (*end == '\0' && errno == 0) return ParameterKind::integer;
  return number_of(text) ? ParameterKind::number : ParameterKind::text;
}

const char* name_of(ParameterKind kind, bool list) {
  switch (kind) {
    case ParameterKind::flag: return list ? "a list of true and false" : "true or false";
    case ParameterKind::integer: return list ? "a list of integers" : "an integer";
    case ParameterKind::number: return list ? "a list of doubles" : "a double";
    default: return list ? "a list of strings" : "a string";
  }
}

std::string quoted(const YAML::Node& value) { return "'" + shown(value) + "'"; }

// Of one scalar.
std::string fault_of_kind(const DeclaredParameter& declared, const YAML::Node& scalar) {
  if (!scalar.IsScalar() || (scalar.Scalar().empty() && !is_quoted(scalar))) {
    return quoted(scalar) + " is not " + name_of(declared.kind, false);
  }
  const ParameterKind kind = kind_of(scalar);
  if (kind == declared.kind || (kind == ParameterKind::integer && declared.integer_too)) return {};
  if (declared.kind == ParameterKind::number && kind == ParameterKind::integer) {
    return quoted(scalar) + " is an integer, which ROS refuses for a double: write " + scalar.Scalar() + ".0";
  }
  if (declared.kind == ParameterKind::text) {
    return quoted(scalar) + " is read by ROS as " + name_of(kind, false) + ", not as a string: write it in quotes";
  }
  return quoted(scalar) + " is not " + name_of(declared.kind, false);
}

std::string range_of(const DeclaredParameter& declared) {
  std::ostringstream text;
  if (std::isfinite(declared.highest)) {
    text << (declared.above ? "above " : "from ") << declared.lowest << (declared.above ? " and at most " : " to ")
         << declared.highest;
  } else if (std::isfinite(declared.lowest)) {
    text << (declared.above ? "above " : "at least ") << declared.lowest;
  } else {
    text << "a finite number";
  }
  return text.str();
}

// Of one scalar of the declared kind.
std::string fault_of_content(const DeclaredParameter& declared, const YAML::Node& scalar) {
  if (declared.kind == ParameterKind::text) {
    if (declared.not_empty && scalar.Scalar().empty()) return "'' is empty";
    std::string known;
    for (const std::string& word : declared.words) {
      if (word == scalar.Scalar()) return {};
      known += (known.empty() ? "" : ", ") + word;
    }
    return known.empty() ? "" : quoted(scalar) + " is not one of " + known;
  }
  if (declared.kind == ParameterKind::flag) return {};
  const double value = number_of(scalar.Scalar()).value_or(std::nan(""));
  const bool inside = std::isfinite(value) && value >= declared.lowest && value <= declared.highest &&
                      !(declared.above && value == declared.lowest);
  return inside ? "" : quoted(scalar) + " is not " + range_of(declared);
}

std::string fault_of_list(const DeclaredParameter& declared, const YAML::Node& list) {
  if (list.size() == 0) return "'[]': ROS reads no empty list; leave the line out";
  std::set<std::string> seen;
  for (const YAML::Node& entry : list) {
    if (auto fault = fault_of_kind(declared, entry); !fault.empty()) return fault;
    if (auto fault = fault_of_content(declared, entry); !fault.empty()) return fault;
    if (declared.unique && !seen.insert(entry.Scalar()).second) return quoted(entry) + " is listed twice";
  }
  if (declared.size != 0 && list.size() != declared.size) {
    return quoted(list) + " has " + std::to_string(list.size()) + " entries, not " + std::to_string(declared.size);
  }
  return {};
}

}  // namespace

bool can_be_read(const DeclaredParameter& declared, const YAML::Node& value) {
  const auto one = [&](const YAML::Node& scalar) {
    bool flag = false;
    double number = 0.0;
    if (declared.kind == ParameterKind::text) return scalar.IsScalar();
    return declared.kind == ParameterKind::flag ? YAML::convert<bool>::decode(scalar, flag)
                                                : YAML::convert<double>::decode(scalar, number);
  };
  if (!declared.list) return one(value);
  return value.IsSequence() && std::all_of(value.begin(), value.end(), one);
}

std::string fault_of(const DeclaredParameter& declared, const YAML::Node& value) {
  if (declared.list) {
    return value.IsSequence() ? fault_of_list(declared, value)
                              : quoted(value) + " is not " + name_of(declared.kind, true);
  }
  auto fault = fault_of_kind(declared, value);
  return fault.empty() ? fault_of_content(declared, value) : fault;
}

}  // namespace dyn::sim
