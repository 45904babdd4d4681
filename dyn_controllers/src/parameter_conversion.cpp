// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/parameter_conversion.hpp"

#include <algorithm>
#include <cmath>

#include "dyn_core/error.hpp"
#include "dyn_core/model/validate.hpp"

namespace dyn_controllers {
namespace {

using dyn::ModelError;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

int coordinate_of(const dyn::Model& robot, const std::string& name) {
  for (const dyn::Joint& joint : robot.joints()) {
    if (joint.description.name != name) continue;
    if (joint.degrees != 1) throw ModelError("joints: '" + name + "' has more than one degree of freedom");
    return joint.first_coordinate;
  }
  for (const dyn::JointDescription& joint : robot.description().joints) {
    if (joint.name != name) continue;
    throw ModelError("joints: '" + name + "' " + (joint.mimic ? "mimics '" + joint.mimic->joint + "'" : "is fixed"));
  }
  throw ModelError("joints: the robot '" + robot.name() + "' has no joint '" + name + "'");
}

std::array<double, 6> six(const std::vector<double>& values) {
  std::array<double, 6> all{};
  std::copy_n(values.begin(), all.size(), all.begin());
  return all;
}

// `controlled`: coordinate of each of `joints`.
dyn::control::TaskParameters task_parameters(const parameters::Params& params, const std::vector<int>& controlled,
                                             int coordinates) {
  const auto& task = params.task;
  dyn::control::TaskParameters out;
  out.mode = task.mode == "impedance" ? dyn::control::TaskMode::impedance : dyn::control::TaskMode::computed_torque;
  out.axes = task.axes == "frame" ? dyn::control::TaskAxes::frame : dyn::control::TaskAxes::base;
  out.p_linear = task.p_linear;
  out.d_linear = task.d_linear;
  out.p_angular = task.p_angular;
  out.d_angular = task.d_angular;
  out.reject_external = task.reject_external;
  out.stiffness = six(task.stiffness);
  out.damping = six(task.damping);
  out.inertia = six(task.inertia);
  out.damping_ratio = task.damping_ratio;
  out.velocity_limit = task.velocity_limit;
  out.angular_velocity_limit = task.angular_velocity_limit;
  out.acceleration_limit = task.acceleration_limit;
  out.angular_acceleration_limit = task.angular_acceleration_limit;
  out.posture_p = task.posture_p;
  out.posture_d = task.posture_d;
  out.damp_below = task.damp_below;
  out.singular_damping = task.singular_damping;
  if (task.posture.empty()) return out;
  if (task.posture.size() != controlled.size()) {
    throw ModelError("task.posture: given for " + std::to_string(task.posture.size()) + " joints of " +
                     std::to_string(controlled.size()));
  }
  out.posture.assign(coordinates, 0.0);
  for (size_t k = 0; k < controlled.size(); ++k) out.posture[controlled[k]] = task.posture[k];
  return out;
}

}  // namespace

std::vector<int> controlled_coordinates(const dyn::Model& robot, const parameters::Params& params) {
  if (params.joints.empty()) throw ModelError("joints: the list is empty");
  std::vector<int> controlled;
  for (const std::string& name : params.joints) {
    if (contains(params.passive_joints, name)) throw ModelError("joints: '" + name + "' is in passive_joints too");
    controlled.push_back(coordinate_of(robot, name));
  }
  return controlled;
}

dyn::control::Parameters control_parameters(const parameters::Params& params, dyn::control::Law law,
                                            const std::vector<int>& controlled, int coordinates) {
  using dyn::control::GravityCompensation;
  dyn::control::Parameters out;
  out.law = law;
  if (law == dyn::control::Law::computed_torque && params.law == "passivity") out.law = dyn::control::Law::passivity;
  if (law == dyn::control::Law::computed_torque && params.law == "adaptive") out.law = dyn::control::Law::adaptive;
  out.gains.resize(coordinates);
  for (size_t k = 0; k < controlled.size(); ++k) {
    const auto& gains = params.gains.joints_map.at(params.joints[k]);
    if (law == dyn::control::Law::computed_torque && (gains.p <= 0.0 || gains.d <= 0.0)) {
      throw ModelError("gains." + params.joints[k] + ": p and d must be above 0");
    }
    out.gains[controlled[k]] = {gains.p, gains.d, gains.i, gains.i_clamp};
  }
  out.gravity_compensation = params.gravity_compensation == "full"   ? GravityCompensation::full
                             : params.gravity_compensation == "none" ? GravityCompensation::none
                                                                     : GravityCompensation::hardware;
  out.friction_compensation = params.friction_compensation;
  out.effort_limit_scale = params.effort_limit_scale;
  out.allow_heavy_payloads = params.allow_heavy_payloads;
  out.effort_rate_limit = params.effort_rate_limit;
  out.prediction = params.prediction;
  out.state_timeout_s = params.state_timeout;
  out.reference_lead = std::max(0.0, params.reference_lead);  // -1: by mode, in Arm::step
  out.reference_timeout_s = params.reference_timeout;
  out.ramp_in_s = params.ramp_in;
  out.passive_damping = params.passive_damping;
  out.observer_gain = params.observer_gain;
  out.collision_threshold = params.collision_threshold;
  out.adaptation_gain = params.adaptation_gain;
  out.adaptation_mass_kg = params.adaptation_mass;
  out.adaptation_radius_m = params.adaptation_radius;
  out.hold_time_s = params.hold_time;
  if (law == dyn::control::Law::task_space) out.task = task_parameters(params, controlled, coordinates);
  return out;
}

dyn::Vec3d gravity(const parameters::Params& params) {
  dyn::Vec3d g(params.gravity.at(0), params.gravity.at(1), params.gravity.at(2));
  dyn::check_gravity(g);
  return g;
}

}  // namespace dyn_controllers
