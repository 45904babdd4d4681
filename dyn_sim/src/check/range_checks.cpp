// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Numbers that ROS takes, but that no arm has in our units: most likely they are in another one.
#include <algorithm>
#include <cmath>

#include "check/checks.hpp"

namespace dyn::sim {
namespace {

struct PlausibleRange {
  const char* name;
  double highest;
  const char* unit;
  const char* instead;
};

// TaskSpaceController's alone have names that begin with "task.".
constexpr PlausibleRange ranges[] = {
    {"ramp_in", 60.0, "s", "milliseconds"},
    {"reference_timeout", 5.0, "s", "milliseconds"},
    {"state_timeout", 1.0, "s", "milliseconds"},
    {"description_transition", 60.0, "s", "milliseconds"},
    {"task.velocity_limit", 10.0, "m/s", "millimetres"},
    {"task.angular_velocity_limit", 30.0, "rad/s", "degrees"},
    {"task.acceleration_limit", 500.0, "m/s^2", "millimetres"},
    {"task.angular_acceleration_limit", 1000.0, "rad/s^2", "degrees"},
};

void doubt(const CheckedController& c, const std::string& joint, const std::string& name, double value,
           const std::string& unit, const std::string& instead) {
  c.warn("units", joint, name + ": " + short_number(value) + ' ' + unit + ": is that in " + instead + '?');
}

// The time in which the strongest joint's effort can be reached.
void check_effort_rate(const CheckedController& c) {
  constexpr double slow_s = 2.0;
  const double rate = c.own().number("effort_rate_limit").value_or(0.0);
  double most = 0.0;
  for (const Joint* joint : c.joints) most = std::max(most, c.effort_limit(*joint));
  most *= c.own().number("effort_limit_scale").value_or(1.0);
  if (!(rate > 0.0) || most <= slow_s * rate) return;
  c.warn("units", "",
         "effort_rate_limit: at " + short_number(rate) + " N m/s the controller takes " + short_number(most / rate) +
             " s to reach " + short_number(most) + " N m: is that in N m/ms?");
}

// A rotor so heavy that the joint's whole effort hardly accelerates it.
void check_joint(const CheckedController& c, const Joint& joint) {
  constexpr double slow = 1.0, slowest = 0.02, fastest = 5000.0;  // rad/s^2 or m/s^2
  const std::string& name = joint.description.name;
  const bool turns = joint.description.type != JointType::prismatic;
  const double armature = c.own().number("armature." + name).value_or(0.0), effort = c.effort_limit(joint);
  if (effort > 0.0 && armature * slow > effort) {
    doubt(c, name, "armature." + name, armature, turns ? "kg m^2" : "kg", turns ? "g m^2 or kg cm^2" : "g");
  }
  const double limit = c.own().number("acceleration_limit." + name).value_or(0.0);
  if (limit > 0.0 && (limit < slowest || limit > fastest)) {
    doubt(c, name, "acceleration_limit." + name, limit, turns ? "rad/s^2" : "m/s^2",
          turns ? "degrees, or in 1/ms^2" : "millimetres, or in 1/ms^2");
  }
}

double mass_kg(const Model& model) {
  double sum = 0.0;
  for (const Link& link : model.links()) sum += link.inertial.mass_kg;
  return sum;
}

}  // namespace

void check_ranges(const CheckedController& c) {
  for (const PlausibleRange& range : ranges) {
    const double value = c.own().number(range.name).value_or(0.0);
    if (value > range.highest) doubt(c, "", range.name, value, range.unit, range.instead);
  }
  check_effort_rate(c);
  for (const Joint* joint : c.joints) check_joint(c, *joint);
}

void check_driver_load(const CheckedController& c) {
  const NodeParameters& own = c.own();
  if (own.text("driver_load.type").empty()) {
    if (!c.drive().flag("adds_gravity", false)) return;
    c.hint("drive",
           "driver_load: not given, and the drives add gravity: the robot is not told of a payload that is attached "
           "here, and has to be told otherwise");
    return;
  }
  constexpr double furthest_m = 2.0;
  const double mass = own.number("driver_load.mass").value_or(0.0), of_robot = mass_kg(c.model);
  if (mass > of_robot) {
    c.warn("units", "",
           "driver_load.mass: " + short_number(mass) + " kg are more than the robot's own " + short_number(of_robot) +
               " kg: is that in grams?");
  }
  double square = 0.0, trace = 0.0;
  for (const double x : own.numbers("driver_load.com")) square += x * x;
  if (std::sqrt(square) > furthest_m) doubt(c, "", "driver_load.com", std::sqrt(square), "m", "millimetres");
  const std::vector<double> inertia = own.numbers("driver_load.inertia");
  for (const std::size_t diagonal : {0U, 3U, 5U}) trace += diagonal < inertia.size() ? inertia[diagonal] : 0.0;
  // The sum of the principal moments is twice the mass times the square of the radius of gyration about the centre.
  if (trace > 2.0 * mass * furthest_m * furthest_m) {
    c.warn("units", "",
           "driver_load.inertia: its radius of gyration is " +
               (mass > 0.0 ? short_number(std::sqrt(trace / (2.0 * mass))) + " m" : "infinite, since its mass is 0") +
               ": is that in kg m^2?");
  }
}

}  // namespace dyn::sim
