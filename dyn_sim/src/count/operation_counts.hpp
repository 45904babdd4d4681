// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Multiplications and additions of the algorithms, counted by running the same code on dyn::Counting.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/model/model.hpp"
#include "dyn_core/numeric/counting.hpp"

namespace dyn::cli {

struct AlgorithmCount {
  std::string_view parameter, name, source;
  OperationCount compute;     // compute() alone
  OperationCount papers;      // as papers count it: forward dynamics with the bias C v + g given
  OperationCount kinematics;  // the passes of kinematics.hpp that it needs
};

struct PassCount {
  std::string_view pass;
  OperationCount count;
};

// One call each at a state without zeros. An empty name means all algorithms of the family, an empty family all
// families.
[[nodiscard]] std::vector<AlgorithmCount> count_algorithms(const Model& model, std::string_view parameter = "",
                                                           std::string_view name = "");
[[nodiscard]] std::vector<PassCount> count_kinematics(const Model& model);

}  // namespace dyn::cli
