// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The parameters of a controller, named as in ROS and in the YAML of `dyn run`. A whole set is passed to the loop at
// once through lockfree::Handover; the writer validates it, never the loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dyn_core/control/task_space.hpp"
#include "dyn_core/numeric/types.hpp"

namespace dyn::control {

enum class Law : std::uint8_t { computed_torque, feedforward, gravity_compensation, passivity, adaptive, task_space };
enum class GravityCompensation : std::uint8_t { full, none, hardware };  // hardware: the drive adds g itself

// PID on acceleration for computed torque: a = a_ref + p e + d edot + i int(e), |i int(e)| <= i_clamp. For feedforward
// the same on torque (0: pure feedforward); for gravity compensation only d, as damping; for passivity and adaptive
// p / d is Lambda and d M_ii is K.
struct JointGains {
  double p = 0.0;        // 1/s^2 (N m/rad for feedforward)
  double d = 0.0;        // 1/s (N m s/rad for feedforward, gravity compensation)
  double i = 0.0;        // 1/s^3 (N m/(rad s) for feedforward)
  double i_clamp = 0.0;  // rad/s^2 (N m for feedforward)
};

struct Parameters {
  Law law = Law::computed_torque;
  std::vector<JointGains> gains;     // one a robot coordinate
  std::vector<double> effort_limit;  // N m or N by robot coordinate; the smaller of this and the URDF's; 0, empty: none
  // rad/s^2 or m/s^2 by robot coordinate, of references; 0, or empty: the acceleration for which there is effort at the
  // current state
  std::vector<double> acceleration_limit;
  GravityCompensation gravity_compensation = GravityCompensation::full;
  bool friction_compensation = false;
  double effort_limit_scale = 1.0;    // of the effort limits, 0 to 1
  double effort_rate_limit = 0.0;     // N m/s or N/s; 0: none
  bool allow_heavy_payloads = false;  // control/payload_check.hpp warns instead of refusing
  double prediction = 0.5;            // periods ahead at which model and reference are evaluated
  double reference_lead = 0.0;        // periods by which the reference runs ahead of the state
  double reference_timeout_s = 0.1;   // without a new reference: hold; 0: never
  double state_timeout_s = 0.05;     // a state that is frozen for longer is a fault (control/state_watch.hpp); 0: never
  double ramp_in_s = 0.0;            // feedback comes in smoothly over this time after activation
  double passive_damping = 0.0;      // 1/s: anti-swing of passive joints by the actuated ones
  double observer_gain = 50.0;       // 1/s, generalised-momentum observer
  double collision_threshold = 0.0;  // N m or N of external effort that raises the flag, not in ramps; 0: off
  double adaptation_gain = 2.0;      // 1/J, how fast `adaptive` learns the payload
  double adaptation_mass_kg = 0.5;   // its first estimate, at activation: a ball of this mass and radius
  double adaptation_radius_m = 0.1;
  TaskParameters task;        // of the law task_space
  double hold_time_s = 0.05;  // how long the last good torque is held on a non-finite state or result
  std::uint64_t version = 0;  // set by the controller: the later of two sets has the larger number
};

// One sentence about the first thing wrong with it (gains for other than `coordinates` joints, negative or non-finite
// values, ...); empty if all is well.
std::string find_fault(const Parameters& parameters, int coordinates);

}  // namespace dyn::control
