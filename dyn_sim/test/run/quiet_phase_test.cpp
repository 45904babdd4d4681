// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The phase of the loop's first cycle, with a clock that stands still where the system would take CPU time.
#include "run/quiet_phase.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "run/due_cycles.hpp"

namespace dyn::sim {
namespace {

constexpr std::int64_t period_ns = 1'000'000;

// Goes on by 100 ns a look, and jumps over the `gap_ns` from `phase_ns` on in every period.
struct Clock {
  std::int64_t phase_ns, gap_ns, time_ns = 12'345'678;
  std::int64_t operator()() {
    time_ns += 100;
    const std::int64_t phase = time_ns % period_ns;
    if (phase >= phase_ns && phase < phase_ns + gap_ns) time_ns += phase_ns + gap_ns - phase;
    return time_ns;
  }
};

std::int64_t distance(std::int64_t a, std::int64_t b) {
  const std::int64_t d = std::abs(a - b) % period_ns;
  return std::min(d, period_ns - d);
}

TEST(QuietPhase, IsFarFromWhatDisturbs) {
  for (const std::int64_t disturbed : {0, 130'000, 480'000, 870'000, 960'000}) {
    const PhaseLoad load = watch_phases(period_ns, 50 * period_ns, Clock{disturbed, 20'000});
    std::int64_t taken_ns = 0;
    for (const std::int64_t ns : load) taken_ns += ns;
    EXPECT_NEAR(static_cast<double>(taken_ns), 50 * 20'000, 0.05 * 50 * 20'000) << disturbed;
    const std::int64_t phase = quietest_phase(load, period_ns, 30'000, 10'000);
    EXPECT_GT(distance(phase, disturbed + 10'000), 400'000) << disturbed << " and " << phase;
  }
}

TEST(QuietPhase, TheWindowCountsBeforeTheRest) {
  PhaseLoad load{};
  load.fill(10);            // everywhere some,
  load[20] = load[40] = 0;  // but for two places, of which one has a quiet neighbour before it
  load[19] = 0;
  EXPECT_EQ(quietest_phase(load, period_ns, period_ns / phase_bins, 0) * phase_bins / period_ns, 20);
}

TEST(QuietPhase, ShortStepsOfTheClockAreNoDisturbance) {
  const PhaseLoad load = watch_phases(period_ns, 10 * period_ns, Clock{500'000, 1'500});
  for (const std::int64_t ns : load) EXPECT_EQ(ns, 0);
}

// Of the cycles that are due every 1000 ns from 0 on, the one at 3000 took until `now`.
TEST(DueCycles, ThatWereMissedAreLeftOutAndLaterOnesKeepTheirTimes) {
  for (const std::int64_t now : {4001, 4500, 4999, 5000, 5001, 7999, 8000, 8001, 1003000}) {
    const std::int64_t next = due_after_overrun(3000, now, 1000) + 1000;  // as the loop goes on
    EXPECT_EQ(next % 1000, 0) << now;
    EXPECT_LE(next, now) << "the next cycle begins at once, late by less than a period";
    EXPECT_GT(next, now - 1000) << "none is made up for";
  }
}

}  // namespace
}  // namespace dyn::sim
