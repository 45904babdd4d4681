// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Names in the files of a run.
#pragma once

#include <string>

#include "dyn_sim/run/record.hpp"

namespace dyn::sim::outputs {

[[nodiscard]] std::string law_name(control::Law law);
// Empty if no algorithm has that index.
[[nodiscard]] std::string jsim_name(int index);

// log.csv of the arm `left`: log.left.csv.
[[nodiscard]] std::string arm_file(const std::string& file, const std::string& arm);

[[nodiscard]] CoordinateUnit coordinate_unit(const ArmRecord& arm, int coordinate);

}  // namespace dyn::sim::outputs
