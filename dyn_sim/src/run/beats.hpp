// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// When the loop's cycles are due.
#pragma once

#include <cstdint>

namespace dyn::sim {

// A cycle was due at `due_ns` and ended more than a period later. What the cycle before the next one is taken to have
// been due at: beats that have passed are left out, not made up for, and those to come stay where they were.
[[nodiscard]] constexpr std::int64_t beat_after_overrun(std::int64_t due_ns, std::int64_t now_ns,
                                                        std::int64_t period_ns) noexcept {
  const std::int64_t late = now_ns - due_ns - period_ns;
  return due_ns + (late / period_ns) * period_ns;
}

}  // namespace dyn::sim
