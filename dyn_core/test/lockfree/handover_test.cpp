// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Between writers and the loop: whole values, the newest one only, each freed exactly once, by a writer.
#include "dyn_core/lockfree/handover.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace dyn::lockfree {
namespace {

std::atomic<int> alive{0};

// Its numbers are all equal while it is whole.
struct Value {
  explicit Value(std::uint64_t number, int from_writer = 0) : writer(from_writer) {
    numbers.fill(number);
    ++alive;
  }
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  ~Value() {
    numbers.fill(0xdead);
    --alive;
  }
  [[nodiscard]] bool whole() const {
    return numbers[0] != 0xdead && std::all_of(numbers.begin(), numbers.end(), [&](auto x) { return x == numbers[0]; });
  }

  int writer;
  std::array<std::uint64_t, 32> numbers{};
};

TEST(Handover, GivesTheNewestOnceAndOnlyOnce) {
  Handover<Value> box;
  EXPECT_FALSE(box.take());
  box.publish(Owned<Value>::make(1));
  box.publish(Owned<Value>::make(2));
  EXPECT_EQ(alive, 1) << "the one that was never seen is freed by the writer who replaces it";
  const Owned<Value> seen = box.take();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->numbers[0], 2U);
  EXPECT_FALSE(box.take());
}

TEST(Handover, RetiredValuesStayUntilAWriterComes) {
  Handover<Value> box;
  for (std::uint64_t k = 0; k < 3; ++k) {
    box.retire(Owned<Value>::make(k));
    EXPECT_EQ(alive, static_cast<int>(k) + 1);
  }
  box.collect();
  EXPECT_EQ(alive, 0);
  box.retire(Owned<Value>::make(3));
  box.publish(Owned<Value>::make(4));  // collects too
  EXPECT_EQ(alive, 1);
}

TEST(Handover, WhatTheLoopOffersReplacesWhatItHasNotSeen) {
  Handover<Value> box;
  box.publish(Owned<Value>::make(1));
  box.offer(Owned<Value>::make(2));
  EXPECT_EQ(alive, 2) << "the loop frees nothing";
  box.collect();
  EXPECT_EQ(alive, 1);
  const Owned<Value> seen = box.take();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->numbers[0], 2U);
}

TEST(Handover, FreesEverythingWhenItGoes) {
  {
    Handover<Value> box;
    box.publish(Owned<Value>::make(1));
    box.retire(Owned<Value>::make(2));
    box.retire(Owned<Value>::make(3));
  }
  EXPECT_EQ(alive, 0);
}

// Four writers as fast as they can. Each one's values are seen in the order in which they were written, none is torn or
// freed while it is in use, the last one arrives, and none is left.
TEST(HandoverStress, NothingTornLostOrLeaked) {
  constexpr int writers = 4;
  constexpr std::uint64_t values = 50000;
  int torn = 0, out_of_order = 0;
  {
    Handover<Value> box;
    std::atomic<int> writing{writers};
    std::array<std::uint64_t, writers> last{};
    std::thread loop([&] {
      Owned<Value> now;
      for (bool more = true; more || !now;) {
        more = writing.load(std::memory_order_acquire) > 0;
        if (Owned<Value> fresh = box.take()) {
          auto& before = last[fresh->writer];
          out_of_order += fresh->numbers[0] <= before ? 1 : 0;
          before = fresh->numbers[0];
          box.retire(std::exchange(now, std::move(fresh)));
        }
        if (now) torn += now->whole() ? 0 : 1;
      }
      box.retire(std::move(now));
    });
    std::vector<std::thread> threads;
    for (int w = 0; w < writers; ++w) {
      threads.emplace_back([&, w] {
        for (std::uint64_t k = 1; k <= values; ++k) box.publish(Owned<Value>::make(k, w));
        --writing;
      });
    }
    for (auto& thread : threads) thread.join();
    loop.join();
    EXPECT_EQ(*std::max_element(last.begin(), last.end()), values) << "the newest value of all was never seen";
  }
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(out_of_order, 0);
  EXPECT_EQ(alive, 0);
}

// The loop offers values that it may never see again: a writer that replaces one frees it, and the other way round.
TEST(HandoverStress, WhatTheLoopOffersIsWholeForWriters) {
  constexpr std::uint64_t values = 50000;
  int torn = 0;
  {
    Handover<Value> box;
    std::thread loop([&] {
      for (std::uint64_t k = 1; k <= values; ++k) {
        box.offer(Owned<Value>::make(k));
        if (k % 3 != 0) continue;
        if (Owned<Value> seen = box.take()) {
          torn += seen->whole() ? 0 : 1;
          box.retire(std::move(seen));
        }
      }
    });
    for (std::uint64_t k = 1; k <= values; ++k) box.publish(Owned<Value>::make(k));
    loop.join();
  }
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace dyn::lockfree
