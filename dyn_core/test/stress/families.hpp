// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Robots and states that are difficult for floating-point arithmetic, each family with one difficulty. A case depends
// on its seed alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dyn_core/model/description.hpp"

namespace dyn::stress {

struct Case {
  RobotDescription robot;
  std::vector<double> q, v, a, tau;  // in the order of the robot's coordinates
};

struct Family {
  const char* name;
  const char* what;
  double share;  // of all cases
  Case (*make)(std::uint64_t seed);
};

[[nodiscard]] std::span<const Family> families();

}  // namespace dyn::stress
