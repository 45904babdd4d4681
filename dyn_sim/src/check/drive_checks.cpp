// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Facts on which the controller and the drives must agree, and how a controller starts.
#include <cmath>

#include "check/checks.hpp"

namespace dyn::sim {
namespace {

void check_gravity(const CheckedController& c) {
  const std::string own = c.own().text("gravity_compensation", "full");
  if (c.drive().has("adds_gravity")) {
    const bool drive_adds = c.drive().flag("adds_gravity", false);
    if (drive_adds && own == "full") {
      c.error(
          "gravity", "",
          "gravity_compensation: full, but the drives add gravity themselves: the arm would be driven upwards by its "
          "own weight; use hardware");
    } else if (!drive_adds && own == "hardware") {
      c.error("gravity", "", "gravity_compensation: hardware, but these drives do not add gravity: the arm would fall");
    } else if (!drive_adds && own == "none") {
      c.error("gravity", "",
              "gravity_compensation: none, and the drives do not add gravity either: the arm would fall");
    }
  } else {
    c.warn("drive", "",
           "drive_facts.adds_gravity: not given, so that gravity may be "
           "compensated twice or not at all");
  }
  const std::vector<double> gravity = c.own().numbers("gravity");
  if (gravity.empty()) return;
  double square = 0.0;
  for (const double x : gravity) square += x * x;
  constexpr double least = 9.7, most = 9.9;
  const double size = std::sqrt(square);
  if (size < least || size > most) {
    c.error("units", "", "gravity: " + short_number(size) + " m/s^2 is not the earth's 9.8");
  }
}

void check_rate(const CheckedController& c) {
  const auto rate = c.config.manager.number("update_rate");
  const auto of_drive = c.drive().number("rate");
  if (!rate) c.error("rate", "", "controller_manager.update_rate: not given, so it is 100 Hz");
  if (rate && !(*rate > 0.0)) {
    c.error("rate", "", "controller_manager.update_rate: " + short_number(*rate) + " Hz is not above 0");
  } else if (rate && of_drive && *rate != *of_drive) {
    c.error("rate", "",
            "controller_manager.update_rate: " + short_number(*rate) + " Hz, but the robot's own cycle is " +
                short_number(*of_drive) + " Hz");
  }
  const auto own = c.own().number("update_rate");
  if (own && rate && *own > 0.0 && *own != *rate) {
    c.error("rate", "",
            "update_rate: " + short_number(*own) + " Hz is not the controller manager's " + short_number(*rate) +
                " Hz: efforts are held for several cycles");
  }
  const auto delay = c.drive().number("delay");
  const double prediction = c.own().number("prediction").value_or(0.5);
  constexpr double late_periods = 2.5;
  if (!delay && prediction > late_periods) {
    c.warn("drive", "",
           "prediction: " + short_number(prediction) + " periods, but drive_facts.delay is not given: is it in ms?");
  }
  if (delay && std::abs(prediction - *delay - 0.5) > 0.5) {
    c.warn("drive", "",
           "prediction: " + short_number(prediction) + " periods, but efforts act " + short_number(*delay) +
               " periods late, for which it should be " + short_number(*delay + 0.5));
  }
}

// What is not known of the drives cannot be compared.
void check_facts(const CheckedController& c) {
  if (!c.drive().has("adds_friction")) {
    c.warn("drive", "", "drive_facts.adds_friction: not given, so that friction may be compensated twice");
  }
  for (const char* limit : {"effort_limit", "velocity_limit"}) {
    std::vector<std::string> without;
    for (const Joint* joint : c.joints) {
      const std::string& name = joint->description.name;
      if (!c.drive().has(std::string(limit) + '.' + name)) without.push_back(name);
    }
    if (without.empty()) continue;
    c.warn("drive", "",
           "drive_facts." + std::string(limit) + ": not given for " + joined(without) +
               ", so that nothing beyond the drive's limit is found");
  }
}

}  // namespace

void check_drive(const CheckedController& c) {
  check_gravity(c);
  check_facts(c);
  check_rate(c);
  if (c.drive().flag("adds_friction", false) && c.own().flag("friction_compensation", false)) {
    c.error("friction", "",
            "friction_compensation: true, but the drives compensate friction themselves: twice the compensation keeps "
            "the arm moving");
  }
  const auto rate_limit = c.drive().number("effort_rate_limit");
  const double own = c.own().number("effort_rate_limit").value_or(0.0);
  if (rate_limit && *rate_limit > 0.0 && (own <= 0.0 || own > *rate_limit)) {
    c.error("limits", "",
            "effort_rate_limit: " + (own > 0.0 ? short_number(own) + " N m/s" : std::string("none")) +
                ", but the robot stops if an effort changes by more than " + short_number(*rate_limit) + " N m/s");
  }
}

void check_start(const CheckedController& c) {
  const double scale = c.own().number("effort_limit_scale").value_or(1.0);
  if (scale == 0.0) c.error("limits", "", "effort_limit_scale: 0, so that the controller may use no effort");
  if (c.own().number("ramp_in").value_or(0.0) <= 0.0 && !c.is("GravityCompensationController")) {
    c.warn("start", "", "ramp_in: 0, so that the full feedback acts from the first cycle on");
  }
  const auto timeout = c.own().number("reference_timeout");
  if (timeout && *timeout == 0.0) {
    c.warn("start", "", "reference_timeout: 0, so that an arm whose references stop keeps following the last one");
  }
  constexpr double long_hold_s = 0.5;
  if (const auto hold = c.own().number("hold_time"); hold && *hold > long_hold_s) {
    c.warn("start", "", "hold_time: for " + short_number(*hold) + " s after the last state the last effort is held");
  }
}

}  // namespace dyn::sim
