// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The newest value between two threads: whole, in order, the last one arrives.
#include "dyn_core/lockfree/latest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace dyn::lockfree {
namespace {

using Numbers = std::vector<std::uint64_t>;  // all equal while it is whole

void publish(Latest<Numbers>& latest, std::uint64_t number) {
  std::fill(latest.back().begin(), latest.back().end(), number);
  latest.publish();
}

TEST(Latest, ShowsTheNewestOnceAsNew) {
  Latest<Numbers> latest(Numbers(3, 7));
  EXPECT_FALSE(latest.take());
  EXPECT_EQ(latest.front(), Numbers(3, 7)) << "the constructor's value";
  publish(latest, 1);
  publish(latest, 2);
  EXPECT_EQ(latest.front(), Numbers(3, 7)) << "front() stays until take()";
  EXPECT_TRUE(latest.take());
  EXPECT_EQ(latest.front(), Numbers(3, 2));
  EXPECT_FALSE(latest.take());
  EXPECT_EQ(latest.front(), Numbers(3, 2));
}

TEST(LatestStress, WholeAndInOrderBetweenTwoThreads) {
  constexpr std::uint64_t values = 100000;
  Latest<Numbers> latest(Numbers(32, 0));
  int torn = 0, out_of_order = 0;
  std::thread reader([&] {
    std::uint64_t last = 0;
    while (last != values) {  // the last one arrives, or the test's timeout says that it did not
      if (!latest.take()) {
        std::this_thread::yield();
        continue;
      }
      const Numbers& now = latest.front();
      torn += std::all_of(now.begin(), now.end(), [&](auto x) { return x == now[0]; }) ? 0 : 1;
      out_of_order += now[0] <= last ? 1 : 0;
      last = now[0];
    }
  });
  for (std::uint64_t k = 1; k <= values; ++k) publish(latest, k);
  reader.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(out_of_order, 0);
}

}  // namespace
}  // namespace dyn::lockfree
