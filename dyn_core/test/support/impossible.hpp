// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Arms with inertias that break the triangle inequality, from test/data.
#pragma once

#include <array>
#include <string>

#include "dyn_core/model/urdf.hpp"

namespace dyn::test {

inline constexpr std::array<const char*, 2> impossible_arms{"puma560", "sia10"};

inline RobotDescription impossible_arm(const std::string& name) {
  return load_urdf(std::string(DYN_TEST_DATA) + "/" + name + ".urdf");
}

}  // namespace dyn::test
