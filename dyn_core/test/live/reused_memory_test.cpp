// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What the loop has given back is used for the next change of inertias.
#include <gtest/gtest.h>

#include <set>

#include "live/arm.hpp"

namespace dyn::live {
namespace {

using test::box;
using test::evaluate;
using test::Evaluated;
using test::small_arm;

constexpr double period_s = 1e-3;

// A rigid payload changes inertias alone: the loop's memory is used again, and no number of its last use is left.
TEST(LiveModel, RigidPayloadsComeAndGoInTheSameMemory) {
  LiveModel live(small_arm(), {.frames = {"link3"}});
  live.set_jsim("screw");
  live.set_coriolis("screw");
  const Evaluated alone = evaluate(live.acquire(period_s).dynamics);
  (void)live.attach(box("box", 3.0), 0.0);
  const Evaluated loaded = evaluate(live.acquire(period_s).dynamics);
  EXPECT_NE(alone, loaded);
  std::set<const Generation*> used;
  for (int k = 0; k < 50; ++k) {
    (void)live.detach("box", k % 3 == 0 ? 0.01 : 0.0);
    Generation* generation = &live.acquire(period_s);
    EXPECT_EQ(generation->frames.status(0), FrameStatus::not_made);
    generation->frames.update(generation->dynamics);
    for (int cycle = 0; cycle < k % 15; ++cycle) generation = &live.acquire(period_s);  // some ramps are cut short
    used.insert(generation);
    if (k % 3 != 0 || k % 15 > 10) {
      EXPECT_EQ(evaluate(generation->dynamics), alone) << k;
    }
    (void)live.attach(box("box", 3.0), 0.0);
    generation = &live.acquire(period_s);
    used.insert(generation);
    EXPECT_EQ(evaluate(generation->dynamics), loaded) << k;
    EXPECT_EQ(generation->model, live.newest_model());
    EXPECT_EQ(live.payloads().size(), 1U);
  }
  EXPECT_LE(used.size(), 4U);
}

}  // namespace
}  // namespace dyn::live
