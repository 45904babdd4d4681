// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Reading and writing ros2_control's handles in the loop. They try-lock: one that is locked right now, or is of another
// type than double (they throw then), cannot be read, which is a lost value, and keeps what it had when written.
#pragma once

#include <limits>

#include "dyn_core/error.hpp"

namespace dyn_controllers {

// NaN where it cannot be had.
template <class Handle>
DYN_REALTIME double value_of(const Handle& handle) noexcept {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  try {
    return handle.template get_optional<double>().value_or(none);
  } catch (...) {
    return none;
  }
}

// A few attempts: whoever holds the lock does so for as long as it takes to copy a number.
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
