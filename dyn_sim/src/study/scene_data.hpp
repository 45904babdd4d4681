// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A robot that moves over a ground, for the 3D view in a study's report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dyn_core/model/description.hpp"

namespace dyn::study {

// Heights over a square grid, by rows along x; none: flat.
struct Terrain {
  double x_m = 0.0, y_m = 0.0, step_m = 0.0;  // the first point; between points
  int count = 0;                              // of points along x, and along y
  std::vector<double> heights_m = {};
};

struct Animation {
  RobotDescription robot;
  std::vector<std::string> coordinates;  // names of q's entries
  double thickness_m = 0.0;              // of links that have no shape of their own
  Terrain terrain;
  std::vector<double> time_s;
  std::vector<std::vector<double>> q;  // at each time
};

[[nodiscard]] nlohmann::json json_of(const Animation& animation);

}  // namespace dyn::study
