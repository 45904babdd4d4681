// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Limits and gains by joint, and units of the description.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "check/checks.hpp"
#include "dyn_core/dynamics.hpp"

namespace dyn::sim {
namespace {

std::string quoted(const Joint& joint) { return "joint '" + joint.description.name + "'"; }

bool turns(const Joint& joint) { return joint.description.type != JointType::prismatic; }

// Extremes over postures within the limits: the largest gravity torque, the least and the largest inertia of each
// coordinate.
struct Extremes {
  std::vector<double> gravity, least_inertia, most_inertia;
};

Extremes sample(const Model& model, const std::vector<double>& gravity_mps2) {
  constexpr int postures = 300;
  const size_t n = model.coordinates();
  Extremes out{std::vector<double>(n, 0.0), std::vector<double>(n, 1e300), std::vector<double>(n, 0.0)};
  Dynamics dynamics(model);
  if (gravity_mps2.size() == 3) dynamics.set_gravity({gravity_mps2[0], gravity_mps2[1], gravity_mps2[2]});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  std::vector<double> q(n, 0.0);
  const std::vector<double> rest(n, 0.0);
  for (int k = 0; k < postures; ++k) {
    for (const Joint& joint : model.joints()) {
      const auto& limits = joint.description.limits;
      const bool bounded = limits && limits->has_position;
      const double lower = bounded ? limits->lower : -std::numbers::pi,
                   upper = bounded ? limits->upper : std::numbers::pi;
      for (int i = 0; i < joint.degrees; ++i) {
        q[static_cast<size_t>(joint.first_coordinate) + static_cast<size_t>(i)] =
            lower + share(random) * (upper - lower);
      }
    }
    if (!dynamics.update(q, rest).ok()) continue;
    for (size_t i = 0; i < n; ++i) {
      out.gravity[i] = std::max(out.gravity[i], std::abs(dynamics.g()[i]));
      out.least_inertia[i] = std::min(out.least_inertia[i], dynamics.M()(i, i));
      out.most_inertia[i] = std::max(out.most_inertia[i], dynamics.M()(i, i));
    }
  }
  return out;
}

void check_effort(const CheckedController& c, const Joint& joint, const Extremes& extremes) {
  const std::string& name = joint.description.name;
  const char* unit = turns(joint) ? " N m" : " N";
  const double limit = c.effort_limit(joint), scale = c.own().number("effort_limit_scale").value_or(1.0);
  if (!(limit > 0.0)) {
    c.error("limits", name,
            quoted(joint) + " has no effort limit: give it one by <limit effort=\"..\"> or effort_limit." + name);
    return;
  }
  const auto of_drive = c.drive().number("effort_limit." + name);
  if (of_drive && limit > *of_drive) {
    c.error("limits", name,
            quoted(joint) + " may be commanded " + short_number(limit) + unit + ", but its drive allows " +
                short_number(*of_drive) + unit);
  }
  const double gravity = extremes.gravity[joint.first_coordinate];
  if (c.own().text("gravity_compensation", "full") == "full" && gravity > scale * limit) {
    c.warn("limits", name,
           quoted(joint) + ": gravity needs up to " + short_number(gravity) + unit + ", and it may use " +
               short_number(scale * limit) + unit);
  }
}

void check_motion(const CheckedController& c, const Joint& joint) {
  const std::string& name = joint.description.name;
  const auto& limits = joint.description.limits;
  const bool endless = joint.description.type == JointType::continuous;
  if (!endless && !(limits && limits->has_position)) {
    c.error("limits", name, quoted(joint) + " has no position limits");
  }
  if (!limits || !(limits->velocity > 0.0)) c.error("limits", name, quoted(joint) + " has no velocity limit");
  const auto of_drive = c.drive().number("velocity_limit." + name);
  if (limits && of_drive && limits->velocity > *of_drive * 1.02) {
    c.error("limits", name,
            quoted(joint) + " may be sent at " + short_number(limits->velocity) + ", but its drive stops at " +
                short_number(*of_drive) + (turns(joint) ? " rad/s" : " m/s"));
  }
}

constexpr double little_damping = 0.3;  // d / (2 sqrt(p))

// A velocity fed back with a delay of `late` periods, v' = v - d T v(late): stable below d T = 2 sin(pi / (4 late +
// 2)).
double largest_damping(const CheckedController& c) {
  const double late_periods = std::ceil(c.drive().number("delay").value_or(0.0));
  return 2.0 * std::sin(std::numbers::pi / (4.0 * late_periods + 2.0)) / c.period_s();
}

// Gains of 0: drives that are sent positions hold the joint themselves, and with velocities they damp it.
void check_hold(const CheckedController& c, const std::string& joint, double p, double d) {
  const std::string where = "gains." + joint;
  const bool held = c.commands("position"), damped = held || c.commands("velocity");
  if (c.is("GravityCompensationController")) {
    if (d == 0.0) c.warn("gains", joint, where + ".d: 0, so that the joint is not damped while it is guided");
    return;
  }
  if (!damped && !(d > 0.0)) c.error("gains", joint, where + ".d: 0, so that the joint is not damped");
  if (!held && p == 0.0) c.error("gains", joint, where + ".p: 0, so that nothing holds the joint at its reference");
}

// d of `parameter` beside the value from which a loop of the period is unstable.
void check_damping(const CheckedController& c, const std::string& joint, const std::string& parameter, double d,
                   double bound) {
  const double late = c.drive().number("delay").value_or(0.0), T = c.period_s();
  if (d >= bound) {
    c.error("gains", joint,
            parameter + ": " + short_number(d) + " is too large for a period of " + short_number(1e3 * T) + " ms" +
                (late > 0.0 ? " and a delay of " + short_number(late) + " periods" : "") + ": from " +
                short_number(bound) + " on the loop is unstable");
  } else if (d > 0.5 * bound) {
    c.warn("gains", joint,
           parameter + ": " + short_number(d) + " is more than half of " + short_number(bound) +
               ", from which the loop is unstable");
  }
}

void check_gain(const CheckedController& c, const Joint& joint, const Extremes& extremes) {
  const std::string& name = joint.description.name;
  const size_t i = joint.first_coordinate;
  const std::string where = "gains." + name;
  const double p = c.own().number(where + ".p").value_or(0.0), d = c.own().number(where + ".d").value_or(0.0);
  check_hold(c, name, p, d);
  // For computed torque the gains are accelerations; otherwise they are efforts, which act on the joint's inertia.
  const bool on_effort = !c.is("ComputedTorqueController") || c.own().text("law") == "passivity";
  const double least = on_effort ? extremes.least_inertia[i] : 1.0, most = on_effort ? extremes.most_inertia[i] : 1.0;
  check_damping(c, name, where + ".d", d, largest_damping(c) * least);
  const bool feeds_back = p > 0.0 && d > 0.0 && c.own().text("law") != "passivity";
  if (feeds_back && d / (2.0 * std::sqrt(p * most)) < little_damping) {
    c.warn("gains", name,
           where + ": d = " + short_number(d) + " is small compared with p = " + short_number(p) +
               ": the joint overshoots; " + short_number(2.0 * std::sqrt(p * most)) + " avoids that");
  }
}

// Of TaskSpaceController with mode computed_torque: accelerations of the frame. A position that is predicted by half a
// period, as it is by default, damps by p T / 2 beside d.
void check_task_gains(const CheckedController& c) {
  if (c.own().text("task.mode", "computed_torque") != "computed_torque") return;
  const double bound = largest_damping(c), T = c.period_s();
  for (const char* group : {"linear", "angular"}) {
    const std::string ending = group, p_name = "task.p_" + ending, d_name = "task.d_" + ending;
    const double p = c.own().number(p_name).value_or(400.0), d = c.own().number(d_name).value_or(40.0);
    check_damping(c, "", d_name, d, bound);
    if (d < bound && d + 0.5 * p * T >= bound) {
      c.error("gains", "",
              p_name + ": " + short_number(p) + " is too large for a period of " + short_number(1e3 * T) +
                  " ms: from " + short_number(2.0 * (bound - d) / T) + " on the loop is unstable");
    } else if (d < 2.0 * little_damping * std::sqrt(p)) {
      c.warn("gains", "",
             d_name + ": " + short_number(d) + " is small compared with " + p_name + ": " + short_number(p) +
                 ": the frame overshoots; " + short_number(2.0 * std::sqrt(p)) + " avoids that");
    }
  }
}

}  // namespace

void check_limits(const CheckedController& c) {
  const Extremes extremes = sample(c.model, c.own().numbers("gravity"));
  for (const Joint* joint : c.joints) {
    check_effort(c, *joint, extremes);
    check_motion(c, *joint);
  }
}

void check_gains(const CheckedController& c) {
  if (c.is("TaskSpaceController")) return check_task_gains(c);
  const Extremes extremes = sample(c.model, {});
  for (const Joint* joint : c.joints) check_gain(c, *joint, extremes);
}

void check_units(const Model& model, std::vector<ControlFinding>& findings) {
  constexpr double widest_rad = 8.0 * std::numbers::pi, fastest_radps = 60.0, longest_m = 20.0, strongest = 20000.0;
  constexpr double widest_gyration_m = 2.0;
  const auto doubt = [&](const std::string& joint, const std::string& sentence) {
    findings.push_back({Severity::error, "units", "", joint, sentence});
  };
  for (const Joint& joint : model.joints()) {
    const auto& limits = joint.description.limits;
    const std::string& name = joint.description.name;
    if (!limits) continue;
    const double furthest = std::max(std::abs(limits->lower), std::abs(limits->upper));
    const bool turned = turns(joint);
    if (limits->has_position && furthest > (turned ? widest_rad : longest_m)) {
      doubt(name, quoted(joint) + " has a position limit of " + short_number(furthest) +
                      (turned ? " rad: are those degrees?" : " m: are those millimetres?"));
    }
    if (turned && limits->velocity > fastest_radps) {
      doubt(name, quoted(joint) + " has a velocity limit of " + short_number(limits->velocity) +
                      " rad/s: are those degrees?");
    }
    if (limits->effort > strongest) {
      doubt(name, quoted(joint) + " has an effort limit of " + short_number(limits->effort) + ": is that in N m or N?");
    }
  }
  for (const Link& link : model.links()) {
    const double mass = link.inertial.mass_kg;
    if (link.body < 0 || !(mass > 0.0)) continue;
    const double gyration = std::sqrt(link.inertial.inertia_com_kgm2.trace() / (2.0 * mass));
    const double arm = link.inertial.com_m.norm();
    if (gyration > widest_gyration_m || arm > widest_gyration_m) {
      doubt("", "link '" + link.name + "' has a mass of " + short_number(mass) + " kg " +
                    (arm > widest_gyration_m ? "at " + short_number(arm) + " m from its joint"
                                             : "and a radius of gyration of " + short_number(gyration) + " m") +
                    ": are those millimetres?");
    }
  }
}

}  // namespace dyn::sim
