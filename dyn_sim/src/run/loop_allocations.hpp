// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// How often the calling thread has called malloc's family. The program `dyn` counts (loop_allocations.cpp takes the
// place of these functions for the whole process); under a sanitizer, which does the same, nothing is counted.
#pragma once

#include <cstdint>

namespace dyn::sim {

[[nodiscard]] std::int64_t allocations_of_this_thread() noexcept;
[[nodiscard]] bool allocations_are_counted() noexcept;

}  // namespace dyn::sim
