// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// For programs with allocation_counter.cpp and lock_counter.cpp.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/allocation_counter.hpp"
#include "support/lock_counter.hpp"

namespace dyn::test {

// What `f` does is real-time safe: no allocation, no lock.
template <class F>
void expect_real_time(const std::string& where, F&& f) {
  std::int64_t locks = 0;
  const AllocationCount count = count_allocations([&] { locks = count_lock_calls(f); });
  EXPECT_TRUE(count.none()) << where;
  EXPECT_EQ(locks, 0) << where;
}

}  // namespace dyn::test
