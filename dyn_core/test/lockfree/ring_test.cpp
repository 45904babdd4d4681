// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One producer, one consumer: every value once, in order, and back to the producer who frees what it holds.
#include "dyn_core/lockfree/ring.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <thread>

namespace dyn::lockfree {
namespace {

using Slot = std::unique_ptr<std::uint64_t>;

using ReclaimedRing = Ring<Slot, AfterRelease::reclaim>;

template <class AnyRing>
bool put(AnyRing& ring, std::uint64_t number) {
  Slot* const slot = ring.next();
  if (slot == nullptr) return false;
  *slot = std::make_unique<std::uint64_t>(number);
  ring.commit();
  return true;
}

TEST(Ring, IsFullWhenEverySlotIsTheConsumers) {
  Ring<Slot> ring(2);
  EXPECT_EQ(ring.front(), nullptr);
  EXPECT_TRUE(put(ring, 1));
  EXPECT_TRUE(put(ring, 2));
  EXPECT_EQ(ring.next(), nullptr);
  ASSERT_NE(ring.front(), nullptr);
  EXPECT_EQ(**ring.front(), 1U) << "oldest first";
  EXPECT_EQ(ring.committed(), 2U);
  ring.release();
  EXPECT_EQ(ring.released(), 1U);
  EXPECT_TRUE(put(ring, 3));
  EXPECT_EQ(**ring.front(), 2U);
}

TEST(Ring, ReclaimShowsEveryReleasedSlotOnce) {
  ReclaimedRing ring(3);
  for (std::uint64_t k = 1; k <= 3; ++k) EXPECT_TRUE(put(ring, k));
  EXPECT_EQ(ring.reclaim(), nullptr) << "no slot was released yet";
  ring.release();
  ring.release();
  EXPECT_EQ(ring.next(), nullptr) << "what was released may not be filled before it was reclaimed";
  for (std::uint64_t k = 1; k <= 2; ++k) {
    Slot* const done = ring.reclaim();
    ASSERT_NE(done, nullptr);
    EXPECT_EQ(**done, k);
    done->reset();
  }
  EXPECT_EQ(ring.reclaim(), nullptr);
  EXPECT_EQ(**ring.front(), 3U);
}

TEST(RingStress, EveryValueOnceInOrderBetweenTwoThreads) {
  constexpr std::uint64_t values = 100000;
  ReclaimedRing ring(8);
  std::uint64_t wrong = 0, reclaimed = 0;
  std::thread consumer([&] {
    for (std::uint64_t k = 1; k <= values; ++k) {
      while (ring.front() == nullptr) std::this_thread::yield();
      wrong += **ring.front() == k ? 0 : 1;
      ring.release();
    }
  });
  for (std::uint64_t k = 1; k <= values;) {
    while (Slot* const done = ring.reclaim()) {
      done->reset();
      ++reclaimed;
    }
    if (put(ring, k)) {
      ++k;
    } else {
      std::this_thread::yield();
    }
  }
  consumer.join();
  while (ring.reclaim() != nullptr) ++reclaimed;
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(reclaimed, values);
  EXPECT_EQ(ring.reclaim(), nullptr);
}

// A slot is filled again only when the consumer has read it.
TEST(RingStress, SlotsAreRefilledWhenTheyWereRead) {
  constexpr std::uint64_t values = 100000;
  Ring<std::uint64_t> ring(4);
  std::uint64_t wrong = 0;
  std::thread consumer([&] {
    for (std::uint64_t k = 1; k <= values; ++k) {
      while (ring.front() == nullptr) std::this_thread::yield();
      wrong += *ring.front() == k ? 0 : 1;
      ring.release();
    }
  });
  for (std::uint64_t k = 1; k <= values; ++k) {
    while (ring.next() == nullptr) std::this_thread::yield();
    *ring.next() = k;
    ring.commit();
  }
  consumer.join();
  EXPECT_EQ(wrong, 0U);
}

// What was written before a count was raised is seen by every thread that sees the count.
TEST(RingStress, CountsShowWhatWasWrittenBeforeThem) {
  Ring<int> ring(1);
  int committed = 0, released = 0;
  std::thread watcher([&] {
    while (ring.committed() == 0) std::this_thread::yield();
    EXPECT_EQ(committed, 1);
    while (ring.released() == 0) std::this_thread::yield();
    EXPECT_EQ(released, 1);
  });
  ASSERT_NE(ring.next(), nullptr);
  committed = 1;
  ring.commit();
  ASSERT_NE(ring.front(), nullptr);
  released = 1;
  ring.release();
  watcher.join();
}

}  // namespace
}  // namespace dyn::lockfree
