// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Reading and writing ros2_control's handles in the loop. The handles try-lock: one that is locked, or whose type is
// not double, cannot be read and counts as a lost value; when written, it keeps its old value. Handles of another type
// throw, except that those of ros2_control 6 make a number of a bool, which is no state either.
#pragma once

#include <limits>

#include "dyn_core/error.hpp"
#include "hardware_interface/hardware_info.hpp"

namespace dyn_controllers {

// NaN if it cannot be read.
template <class Handle>
DYN_REALTIME double value_of(const Handle& handle) noexcept {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  try {
    if (handle.get_data_type() != hardware_interface::HandleDataType::DOUBLE) return none;
    return handle.template get_optional<double>().value_or(none);
  } catch (...) {
    return none;
  }
}

// A few attempts: the lock is only held while a number is copied.
template <class Handle>
DYN_REALTIME void put(Handle& handle, double value) noexcept {
  constexpr int attempts = 10;
  try {
    for (int i = 0; i < attempts; ++i) {
      if (handle.set_value(value)) return;
    }
  } catch (...) {
    return;
  }
}

}  // namespace dyn_controllers
