// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// From the loop to the validator: in order, whole, and counted where there is no room.
#include "dyn_core/live/sample_ring.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace dyn::live {
namespace {

bool write(SampleRing& ring, std::uint64_t number) {
  Sample* const sample = ring.begin();
  if (sample == nullptr) return false;
  sample->generation = number;
  sample->n = 2;
  std::fill(sample->M.begin(), sample->M.end(), static_cast<double>(number));
  ring.commit();
  return true;
}

TEST(SampleRing, HasRoomForWhatItWasMadeFor) {
  SampleRing ring(4, 3, 5);
  Sample* const sample = ring.begin();
  ASSERT_NE(sample, nullptr);
  EXPECT_EQ(sample->q.size(), 3U);
  EXPECT_EQ(sample->v.size(), 3U);
  EXPECT_EQ(sample->M.size(), 9U);
  EXPECT_EQ(sample->Cv.size(), 3U);
  EXPECT_EQ(sample->g.size(), 3U);
  EXPECT_EQ(sample->ramps.size(), 5U);
  EXPECT_EQ(ring.front(), nullptr) << "nothing is seen before commit()";
}

TEST(SampleRing, DropsAndCountsWhatFindsItFull) {
  SampleRing ring(4, 2, 2);
  for (std::uint64_t k = 0; k < 4; ++k) EXPECT_TRUE(write(ring, k));
  EXPECT_FALSE(write(ring, 4));
  EXPECT_FALSE(write(ring, 5));
  EXPECT_EQ(ring.dropped(), 2U);
  EXPECT_EQ(ring.written(), 4U);
  for (std::uint64_t k = 0; k < 4; ++k) {
    ASSERT_NE(ring.front(), nullptr);
    EXPECT_EQ(ring.front()->generation, k) << "oldest first; what is full keeps what it has";
    ring.release();
  }
  EXPECT_EQ(ring.front(), nullptr);
  EXPECT_TRUE(write(ring, 6));
  EXPECT_EQ(ring.front()->generation, 6U);
}

TEST(SampleRingStress, WholeAndInOrderBetweenTwoThreads) {
  constexpr std::uint64_t samples = 50000;
  SampleRing ring(8, 4, 2);
  std::uint64_t seen = 0, torn = 0, out_of_order = 0, last = 0;
  std::atomic<bool> writing{true};
  std::thread consumer([&] {
    for (bool more = true; more || ring.front() != nullptr;) {
      more = writing.load(std::memory_order_acquire);
      const Sample* const sample = ring.front();
      if (sample == nullptr) continue;
      ++seen;
      out_of_order += sample->generation <= last ? 1 : 0;
      last = sample->generation;
      for (const double x : sample->M) torn += x == static_cast<double>(last) ? 0 : 1;
      ring.release();
    }
  });
  std::uint64_t written = 0;
  for (std::uint64_t k = 1; k <= samples; ++k) written += write(ring, k) ? 1 : 0;
  writing.store(false, std::memory_order_release);
  consumer.join();
  EXPECT_EQ(seen, written);
  EXPECT_EQ(written + ring.dropped(), samples) << "every sample is either seen or counted as dropped";
  EXPECT_EQ(torn, 0U);
  EXPECT_EQ(out_of_order, 0U);
}

}  // namespace
}  // namespace dyn::live
