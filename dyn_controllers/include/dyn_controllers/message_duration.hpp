// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builtin_interfaces/msg/duration.hpp"

namespace dyn_controllers {

[[nodiscard]] inline double seconds(const builtin_interfaces::msg::Duration& duration) {
  return static_cast<double>(duration.sec) + 1e-9 * static_cast<double>(duration.nanosec);
}

}  // namespace dyn_controllers
