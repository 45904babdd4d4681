// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by a library that is not ours, to be laid beside a figure: RBDL, with which paper 000 compares, if the program was
// built with it, otherwise Pinocchio.
#pragma once

#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn::study {

// Its name and version; empty if this program was built with neither.
[[nodiscard]] std::string second_library();
// At each of these positions; none without a library. For trees of revolute joints.
[[nodiscard]] std::vector<MatX<double>> second_mass_matrices(const Model& model,
                                                             const std::vector<std::vector<double>>& positions);

}  // namespace dyn::study
