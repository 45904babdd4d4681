// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Pinocchio's algorithms for one robot, written as C by CppADCodeGen. Compiled once, slowly, since it includes all of
// CppAD, Pinocchio and CppADCodeGen.
#pragma once

#include <string>
#include <vector>

#include "peer.hpp"

namespace dyn::bench {

// `void NAME(const double* q, const double* v, const double* a, double* y)`: the parts of y in this order, whole
// matrices column-major; a is used if the inverse dynamics, its derivatives or the regressor is among them.
struct GeneratedFunction {
  std::string name;
  // Of task_M, task_C, task_g, task_h, task_inverse, task_inverse_derivatives (dtau/dq, dtau/dv, M), task_regressor.
  std::vector<PeerTask> parts;
};

// Numbers in y.
[[nodiscard]] int results_of(const GeneratedFunction& function, int bodies);

// Robots as PeerTree has them. Entries of their joints' frames within 1e-12 of -1, 0 or 1 are taken as exactly that, so
// that they vanish from the code.
[[nodiscard]] std::string generate(const PeerTree& tree, const GeneratedFunction& function);

[[nodiscard]] const char* generator_version();

}  // namespace dyn::bench
