// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Small things that several studies need. Off the loop.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "dyn_core/dynamics.hpp"

namespace dyn::study {

// Parameters of a robot as its file has them; throw ModelError where there is no such link or joint.
[[nodiscard]] const Inertial& inertial_of(const RobotDescription& robot, const std::string& link);
[[nodiscard]] const JointDescription& joint_of(const RobotDescription& robot, const std::string& joint);

[[nodiscard]] std::vector<double> random_values(std::mt19937_64& rng, int count, double largest);

// Throws ModelError with the joint's name where the state or M's pivot is unfit.
void demand(const Status& status, const Model& model);

}  // namespace dyn::study
