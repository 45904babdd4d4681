// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What the four algorithms called `fused` (jsim, coriolis, inverse, forward) have in common for the registry.
#pragma once

#include <string_view>

namespace dyn {

struct FusedForm {
  static constexpr std::string_view name = "fused";
  static constexpr std::string_view lane_form = "src/fused/fused_lanes.cpp";
};

}  // namespace dyn
