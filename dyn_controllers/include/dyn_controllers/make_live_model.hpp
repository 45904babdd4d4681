// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// From a robot_description and parameters to the model of a running loop. All controllers and the broadcaster use this
// function, so that their M, C and g are the same numbers. Not for the loop; throws dyn::ModelError with one sentence.
#pragma once

#include <memory>
#include <string>

#include "dyn_controllers/joint_numbers.hpp"
#include "dyn_core/live/live_model.hpp"

namespace dyn_controllers {

// As read from the description, with the armature in use.
dyn::RobotDescription described(const std::string& urdf, const Armature& armature);

// Params: parameters::Params or broadcaster_parameters::Params, which both have the names used here.
template <class Params>
dyn::live::LiveOptions live_options(const Params& params) {
  dyn::live::LiveOptions options;
  options.model.gravity_mps2 = {params.gravity.at(0), params.gravity.at(1), params.gravity.at(2)};
  options.model.armature = true;
  options.model.allow_impossible_inertia = params.allow_impossible_inertia;
  options.algorithms.jsim = params.jsim_algorithm;
  options.algorithms.coriolis = params.coriolis_algorithm;
  return options;
}

// Warnings about the robot go to the log.
std::unique_ptr<dyn::live::LiveModel> make_live_model(const std::string& urdf, const Armature& armature,
                                                      const dyn::live::LiveOptions& options,
                                                      const rclcpp::Logger& logger);

}  // namespace dyn_controllers
