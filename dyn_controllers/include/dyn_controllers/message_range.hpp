// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The ranges of numeric/ranges.hpp, for numbers of messages.
#pragma once

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "dyn_core/numeric/types.hpp"

namespace dyn_controllers {

// Throws std::invalid_argument if `value` is not from -most to most. `who`: "~/target_pose has".
inline void check_range(const std::string& who, double value, double most) {
  if (std::abs(value) <= most) return;
  std::ostringstream text;
  if (!std::isfinite(value)) {
    text << who << " an entry that is not finite";
  } else {
    text << who << " the entry " << value << ", which is not from " << -most << " to " << most;
  }
  throw std::invalid_argument(text.str());
}

inline void check_range(const std::string& who, const dyn::Vec3d& values, double most) {
  for (const double value : values) check_range(who, value, most);
}

}  // namespace dyn_controllers
