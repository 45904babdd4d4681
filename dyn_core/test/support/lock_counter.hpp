// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Counts the calling thread's pthread mutex, read-write lock, spin lock, condition and semaphore calls: an uncontended
// mutex makes no system call, so only this sees it. Compile lock_counter.cpp into the test program.
#pragma once

#include <cstdint>

namespace dyn::test {

[[nodiscard]] std::int64_t lock_calls_of_this_thread() noexcept;

template <class F>
[[nodiscard]] std::int64_t count_lock_calls(F&& f) {
  const std::int64_t before = lock_calls_of_this_thread();
  f();
  return lock_calls_of_this_thread() - before;
}

}  // namespace dyn::test
