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

}  // namespace

std::vector<int> controlled_coordinates(const dyn::Model& robot, const parameters::Params& params) {
  if (params.joints.empty()) throw ModelError("joints: none is named");
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
  const bool passivity = law == dyn::control::Law::computed_torque && params.law == "passivity";
  out.law = passivity ? dyn::control::Law::passivity : law;
  out.gains.resize(static_cast<size_t>(coordinates));
  for (size_t k = 0; k < controlled.size(); ++k) {
    const auto& gains = params.gains.joints_map.at(params.joints[k]);
    if (law == dyn::control::Law::computed_torque && (gains.p <= 0.0 || gains.d <= 0.0)) {
      throw ModelError("gains." + params.joints[k] + ": p and d must be above 0");
    }
    out.gains[static_cast<size_t>(controlled[k])] = {gains.p, gains.d, gains.i, gains.i_clamp};
  }
  out.gravity_compensation = params.gravity_compensation == "full"   ? GravityCompensation::full
                             : params.gravity_compensation == "none" ? GravityCompensation::none
                                                                     : GravityCompensation::hardware;
  out.friction_compensation = params.friction_compensation;
  out.effort_limit_scale = params.effort_limit_scale;
  out.allow_heavy_payloads = params.allow_heavy_payloads;
  out.effort_rate_limit = params.effort_rate_limit;
  out.prediction = params.prediction;
  out.reference_lead = std::max(0.0, params.reference_lead);  // -1: by mode, in Arm::step
  out.reference_timeout_s = params.reference_timeout;
  out.ramp_in_s = params.ramp_in;
  out.passive_damping = params.passive_damping;
  out.observer_gain = params.observer_gain;
  out.collision_threshold = params.collision_threshold;
  out.hold_time_s = params.hold_time;
  return out;
}

dyn::Vec3d gravity(const parameters::Params& params) {
  dyn::Vec3d g(params.gravity.at(0), params.gravity.at(1), params.gravity.at(2));
  dyn::check_gravity(g);
  return g;
}

}  // namespace dyn_controllers
