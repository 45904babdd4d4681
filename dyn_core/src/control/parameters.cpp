// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/parameters.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace dyn::control {
namespace {

std::string outside(const std::string& name, double value, const char* range) {
  return name + ": " + std::to_string(value) + " is not " + range;
}

std::string fault_of_gains(const JointGains& gains, size_t joint) {
  const std::array<std::pair<const char*, double>, 4> values{
      {{"p", gains.p}, {"d", gains.d}, {"i", gains.i}, {"i_clamp", gains.i_clamp}}};
  for (const auto& [name, value] : values) {
    if (std::isfinite(value) && value >= 0.0) continue;
    return outside("gains of coordinate " + std::to_string(joint) + ", " + name, value,
                   "a finite number of at least 0");
  }
  return {};
}

// One a coordinate, or none at all; 0: not set.
std::string fault_of_limits(const char* name, const std::vector<double>& limits, size_t coordinates) {
  if (!limits.empty() && limits.size() != coordinates) {
    return std::string(name) + ": given for " + std::to_string(limits.size()) + " joints of " +
           std::to_string(coordinates);
  }
  for (size_t i = 0; i < limits.size(); ++i) {
    if (std::isfinite(limits[i]) && limits[i] >= 0.0) continue;
    return outside(std::string(name) + " of coordinate " + std::to_string(i), limits[i],
                   "a finite number of at least 0");
  }
  return {};
}

}  // namespace

std::string find_fault(const Parameters& p, int coordinates) {
  if (p.gains.size() != static_cast<size_t>(coordinates)) {
    return "gains: given for " + std::to_string(p.gains.size()) + " joints of " + std::to_string(coordinates);
  }
  for (size_t i = 0; i < p.gains.size(); ++i) {
    if (auto fault = fault_of_gains(p.gains[i], i); !fault.empty()) return fault;
  }
  const size_t n = p.gains.size();
  if (auto fault = fault_of_limits("effort_limit", p.effort_limit, n); !fault.empty()) return fault;
  if (auto fault = fault_of_limits("acceleration_limit", p.acceleration_limit, n); !fault.empty()) return fault;
  const std::array<std::pair<const char*, double>, 8> not_negative{{{"effort_rate_limit", p.effort_rate_limit},
                                                                    {"reference_timeout", p.reference_timeout_s},
                                                                    {"ramp_in", p.ramp_in_s},
                                                                    {"passive_damping", p.passive_damping},
                                                                    {"observer_gain", p.observer_gain},
                                                                    {"collision_threshold", p.collision_threshold},
                                                                    {"adaptation_gain", p.adaptation_gain},
                                                                    {"hold_time", p.hold_time_s}}};
  for (const auto& [name, value] : not_negative) {
    if (!std::isfinite(value) || value < 0.0) return outside(name, value, "a finite number of at least 0");
  }
  const std::array<std::pair<const char*, double>, 2> positive{
      {{"adaptation_mass", p.adaptation_mass_kg}, {"adaptation_radius", p.adaptation_radius_m}}};
  for (const auto& [name, value] : positive) {
    if (!std::isfinite(value) || value <= 0.0) return outside(name, value, "a finite number above 0");
  }
  if (!(p.effort_limit_scale >= 0.0 && p.effort_limit_scale <= 1.0)) {
    return outside("effort_limit_scale", p.effort_limit_scale, "from 0 to 1");
  }
  if (!(p.prediction >= 0.0 && p.prediction <= 8.0)) return outside("prediction", p.prediction, "from 0 to 8 periods");
  if (!(p.reference_lead >= 0.0 && p.reference_lead <= 8.0)) {
    return outside("reference_lead", p.reference_lead, "from 0 to 8 periods");
  }
  return {};
}

}  // namespace dyn::control
