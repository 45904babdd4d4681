// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// When the loop's cycles are due.
#pragma once

#include <cstdint>

namespace dyn::sim {

// A cycle was due at `due_ns` and ended more than a period later, at `now_ns`. Returns the time one period before the
// next due cycle: missed cycles are skipped, not made up for, and later ones keep their times.
[[nodiscard]] constexpr std::int64_t due_after_overrun(std::int64_t due_ns, std::int64_t now_ns,
                                                       std::int64_t period_ns) noexcept {
  const std::int64_t late = now_ns - due_ns - period_ns;
  return due_ns + (late / period_ns) * period_ns;
}

}  // namespace dyn::sim
