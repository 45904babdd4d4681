// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Lets an allocation of the calling thread fail, as where there is no memory left; needs allocation_counter.cpp, and
// has no effect under sanitizers.
#pragma once

#include <cstdint>

namespace dyn::test {

// The allocation of malloc's family after `allocations` further ones fails, once. Negative: none does.
void fail_allocation_after(std::int64_t allocations) noexcept;
// The allocation that was to fail has failed.
[[nodiscard]] bool allocation_has_failed() noexcept;

}  // namespace dyn::test
