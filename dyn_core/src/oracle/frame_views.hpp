// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"
#include "dyn_core/numeric/types.hpp"

namespace dyn::oracle {

// Of every link, in the order of the model.
[[nodiscard]] inline std::vector<std::string> link_names(const Model& model) {
  std::vector<std::string> names;
  for (const Link& link : model.links()) names.push_back(link.name);
  return names;
}

// Six numbers as a vector, and columns of six as a matrix: how PinocchioModel::Frame gives its results.
[[nodiscard]] inline ConstVectorRef<double> six(const std::vector<double>& x) { return {x.data(), 6}; }
[[nodiscard]] inline ConstMatrixRef<double> six_by(const std::vector<double>& x) {
  return {x.data(), 6, static_cast<Eigen::Index>(x.size() / 6), Eigen::OuterStride<>(6)};
}

}  // namespace dyn::oracle
