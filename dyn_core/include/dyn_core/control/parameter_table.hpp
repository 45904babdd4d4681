// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Every control parameter, once: its name (the same in the YAML of `dyn run`, in its `set` events and in ROS), its
// member of Parameters, its range and unit. All of them may change while the controller is active (in ROS except those
// by joint, which are read when the controller is configured); those that may not (joints, passive_joints,
// payload_link, max_payload_dofs, ..) are not part of Parameters. find_fault() and the program read this table;
// test_parameter_table compares it with Parameters and with ROS's parameters.yaml. A new parameter is a member and a
// line here.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "dyn_core/control/parameters.hpp"
#include "dyn_core/numeric/ranges.hpp"

namespace dyn::control {

struct NumberParameter {
  std::string_view name;
  double Parameters::*member;
  double lowest, highest;  // both allowed; with `above`, `lowest` itself is not
  bool above;
  std::string_view unit;
};

inline constexpr std::array<NumberParameter, 14> number_parameters{{
    {"effort_limit_scale", &Parameters::effort_limit_scale, 0.0, 1.0, false, "share"},
    {"effort_rate_limit", &Parameters::effort_rate_limit, 0.0, ranges::effort_rate, false, "N m/s or N/s; 0: none"},
    {"prediction", &Parameters::prediction, 0.0, 8.0, false, "periods"},
    {"reference_lead", &Parameters::reference_lead, 0.0, 8.0, false, "periods"},
    {"reference_timeout", &Parameters::reference_timeout_s, 0.0, ranges::duration_s, false, "s; 0: never"},
    {"state_timeout", &Parameters::state_timeout_s, 0.0, ranges::duration_s, false, "s; 0: never"},
    {"ramp_in", &Parameters::ramp_in_s, 0.0, ranges::duration_s, false, "s"},
    {"passive_damping", &Parameters::passive_damping, 0.0, ranges::rate_per_s, false, "1/s"},
    {"observer_gain", &Parameters::observer_gain, 0.0, ranges::rate_per_s, false, "1/s"},
    {"collision_threshold", &Parameters::collision_threshold, 0.0, ranges::effort, false, "N m or N; 0: off"},
    {"adaptation_gain", &Parameters::adaptation_gain, 0.0, ranges::gain, false, "1/J"},
    {"adaptation_mass", &Parameters::adaptation_mass_kg, 0.0, ranges::mass_kg, true, "kg"},
    {"adaptation_radius", &Parameters::adaptation_radius_m, 0.0, ranges::length_m, true, "m"},
    {"hold_time", &Parameters::hold_time_s, 0.0, ranges::duration_s, false, "s"},
}};

struct FlagParameter {
  std::string_view name;
  bool Parameters::*member;
};
inline constexpr std::array<FlagParameter, 2> flag_parameters{{
    {"friction_compensation", &Parameters::friction_compensation},
    {"allow_heavy_payloads", &Parameters::allow_heavy_payloads},
}};

// NAME.JOINT: one number by robot coordinate, at least 0; 0: not set. In YAML also one number for all of them.
struct JointParameter {
  std::string_view name;
  std::vector<double> Parameters::*member;
  double highest;
  std::string_view unit;
};
inline constexpr std::array<JointParameter, 2> joint_parameters{{
    {"effort_limit", &Parameters::effort_limit, ranges::effort, "N m or N"},
    {"acceleration_limit", &Parameters::acceleration_limit, ranges::acceleration, "rad/s^2 or m/s^2"},
}};

// gains.JOINT.NAME, from 0 to ranges::gain; units beside JointGains.
struct GainParameter {
  std::string_view name;
  double JointGains::*member;
};
inline constexpr std::array<GainParameter, 4> gain_parameters{
    {{"p", &JointGains::p}, {"d", &JointGains::d}, {"i", &JointGains::i}, {"i_clamp", &JointGains::i_clamp}}};

// Parameters with a word as value: `type` of dyn run (ROS has plugins instead, and the parameter `law` for passivity
// and adaptive), and gravity_compensation.
inline constexpr std::array<std::pair<std::string_view, Law>, 6> law_names{
    {{"computed_torque", Law::computed_torque},
     {"feedforward", Law::feedforward},
     {"gravity_compensation", Law::gravity_compensation},
     {"passivity", Law::passivity},
     {"adaptive", Law::adaptive},
     {"task_space", Law::task_space}}};
inline constexpr std::array<std::pair<std::string_view, GravityCompensation>, 3> gravity_compensation_names{
    {{"full", GravityCompensation::full},
     {"none", GravityCompensation::none},
     {"hardware", GravityCompensation::hardware}}};

// The line with that name, or null.
template <class Lines>
[[nodiscard]] constexpr const typename Lines::value_type* find_parameter(const Lines& lines, std::string_view name) {
  for (const auto& line : lines) {
    if (line.name == name) return &line;
  }
  return nullptr;
}

}  // namespace dyn::control
