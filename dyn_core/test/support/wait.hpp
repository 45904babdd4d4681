// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Waits for another thread, but not for ever: after the limit the test fails with a name, and continues to its end. The
// limit is far above what the slowest machine needs; no test result depends on time.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace dyn::test {

inline constexpr std::chrono::minutes longest_wait{2};

// True as soon as `done()` is; false, and the test has failed, where that takes longer than `limit`.
template <class Done>
[[nodiscard]] bool wait_until(Done&& done, const char* what, std::chrono::milliseconds limit = longest_wait) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) {
      ADD_FAILURE() << "timed out waiting until " << what;
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));  // the other thread may need the processor, or a lock
  }
  return true;
}

}  // namespace dyn::test
