// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Base parameters: the sums of inertial parameters that a fixed base's joint torques depend on, by QR with pivots of
// the regressor in random states (Gautier 1991).
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"
#include "dyn_core/regressor/layout.hpp"

namespace dyn::sim::identify {

struct BaseSums {
  Eigen::MatrixXd sums;  // base parameters = sums * p
  std::vector<std::string> in_words;
  std::vector<int> pivots;  // the parameter that each sum is named by
};

[[nodiscard]] BaseSums base_sums(const std::shared_ptr<const Model>& model);

// link2.m, link2.mx, ..., link2.izz: the names of a body's ten parameters about its link's frame.
[[nodiscard]] std::string parameter_name(const regressor::Layout& layout, int place);

}  // namespace dyn::sim::identify
