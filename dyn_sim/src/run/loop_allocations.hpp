// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// How often the calling thread has called malloc's family. Counted in the program `dyn` (loop_allocations.cpp replaces
// these functions for the whole process), except under a sanitizer, which replaces them too.
#pragma once

#include <cstdint>

namespace dyn::sim {

[[nodiscard]] std::int64_t allocations_of_this_thread() noexcept;
[[nodiscard]] bool allocations_are_counted() noexcept;

}  // namespace dyn::sim
