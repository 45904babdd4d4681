// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The program `dyn` counts the allocations of its loop by replacing malloc. A module in another program's process does
// not replace it: `allocations_in_loop` is None there.
#include "run/loop_allocations.hpp"

namespace dyn::sim {

std::int64_t allocations_of_this_thread() noexcept { return 0; }
bool allocations_are_counted() noexcept { return false; }

}  // namespace dyn::sim
