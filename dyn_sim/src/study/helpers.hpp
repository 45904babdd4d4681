// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Functions shared by several studies. Not for the loop.
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

// The forces that are quadratic in the rates by eqs 13 and 14 of paper 000 (Wang and Ju) alone, as the paper prints its
// bias: without the products of angular velocities w_l' x n_l qd_l that stand in eqs 11 and 12. For robots whose bodies
// are their coordinates.
[[nodiscard]] VecX<double> bias_as_printed(const Model& model, const std::vector<double>& q,
                                           const std::vector<double>& v);

// Throws ModelError with the joint's name if the state is not finite or M is singular.
void demand(const Status& status, const Model& model);

}  // namespace dyn::study
