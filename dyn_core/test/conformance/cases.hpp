// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The cases for every algorithm: robots, each at random states, with the oracle's results. Made once a program, on
// first use. The oracle does not use Tree (support/energy_oracle.hpp).
#pragma once

#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"
#include "dyn_core/numeric/residual.hpp"

namespace dyn::test {

struct Case {
  std::string robot;
  const Model* model = nullptr;
  std::vector<double> q, v, a, tau;

  // The oracle's, user's coordinates, rounded to double once.
  MatX<double> M, Mdot, C;  // M without armature; C by Christoffel symbols, empty for more than 12 coordinates
  VecX<double> Cv, g, qdd;  // qdd with armature; empty where M is singular
  // What is small for this robot at this speed: entries of C, forces. Where the truth is 0 (one joint has no C), errors
  // are relative to these.
  double matrix_floor = 0.0, force_floor = 0.0;
  double condition = 1.0;  // of M with armature; infinite where it is singular
};

// Random trees of up to 40 joints of every type, with mimic joints, payloads and armature; the papers' robots; real
// ones; trees with rotors (model/rotors.hpp).
[[nodiscard]] const std::vector<Case>& all_cases();

[[nodiscard]] VecX<double> eigen(const std::vector<double>& x);

// Fails where the result in float differs from that in double by more than a relative error of so many units of float's
// epsilon for each of the robot's bodies.
void expect_float_error(double error, const Case& c);

}  // namespace dyn::test
