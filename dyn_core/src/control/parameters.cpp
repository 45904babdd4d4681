// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/parameters.hpp"

#include <cmath>
#include <sstream>

#include "dyn_core/control/parameter_table.hpp"

namespace dyn::control {
namespace {

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// Empty where it is within its range.
std::string fault_of(const std::string& name, double value, double lowest, double highest, bool above) {
  const bool within = std::isfinite(value) && value <= highest && (above ? value > lowest : value >= lowest);
  if (within) return {};
  return name + ": " + number(value) + " is not " +
         (above ? "above " + number(lowest) + " and at most " : "from " + number(lowest) + " to ") + number(highest);
}

std::string fault_of_gains(const JointGains& gains, size_t coordinate) {
  for (const GainParameter& gain : gain_parameters) {
    const std::string name = "gains of coordinate " + std::to_string(coordinate) + ", " + std::string(gain.name);
    if (auto fault = fault_of(name, gains.*gain.member, 0.0, ranges::gain, false); !fault.empty()) return fault;
  }
  return {};
}

// One a coordinate, or none at all.
std::string fault_of_limits(const JointParameter& line, const std::vector<double>& limits, size_t coordinates) {
  const std::string name(line.name);
  if (!limits.empty() && limits.size() != coordinates) {
    return name + ": given for " + std::to_string(limits.size()) + " joints of " + std::to_string(coordinates);
  }
  for (size_t i = 0; i < limits.size(); ++i) {
    const std::string which = name + " of coordinate " + std::to_string(i);
    if (auto fault = fault_of(which, limits[i], 0.0, line.highest, false); !fault.empty()) return fault;
  }
  return {};
}

}  // namespace

std::string find_fault(const TaskParameters& p, int coordinates) {
  for (const TaskNumber& line : task_numbers) {
    auto fault = fault_of("task." + std::string(line.name), p.*line.member, 0.0, ranges::gain, line.above);
    if (!fault.empty()) return fault;
  }
  for (const TaskAxisNumbers& line : task_axis_numbers) {
    for (const double value : p.*line.member) {
      if (auto fault = fault_of("task." + std::string(line.name), value, 0.0, ranges::gain, false); !fault.empty())
        return fault;
    }
  }
  if (!p.posture.empty() && p.posture.size() != static_cast<size_t>(coordinates)) {
    return "task.posture: given for " + std::to_string(p.posture.size()) + " joints of " + std::to_string(coordinates);
  }
  for (const double q : p.posture) {
    if (auto fault = fault_of("task.posture", q, -ranges::position, ranges::position, false); !fault.empty())
      return fault;
  }
  return {};
}

std::string find_fault(const Parameters& p, int coordinates) {
  const size_t n = coordinates;
  if (p.gains.size() != n) {
    return "gains: given for " + std::to_string(p.gains.size()) + " joints of " + std::to_string(coordinates);
  }
  for (size_t i = 0; i < n; ++i) {
    if (auto fault = fault_of_gains(p.gains[i], i); !fault.empty()) return fault;
  }
  for (const JointParameter& line : joint_parameters) {
    if (auto fault = fault_of_limits(line, p.*line.member, n); !fault.empty()) return fault;
  }
  for (const NumberParameter& line : number_parameters) {
    auto fault = fault_of(std::string(line.name), p.*line.member, line.lowest, line.highest, line.above);
    if (!fault.empty()) return fault;
  }
  return p.law == Law::task_space ? find_fault(p.task, coordinates) : std::string{};
}

}  // namespace dyn::control
