// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A warm-up between two cycles leaves no trace: the torques with and without it are the same to the bit, in all modes.
#include <gtest/gtest.h>

#include <cmath>

#include "control/rig.hpp"
#include "dyn_core/live/sample_ring.hpp"

namespace dyn::control {
namespace {

constexpr int cycles = 600;

Parameters parameters_of(Law law) {
  Parameters p = plain_parameters();
  p.law = law;
  p.prediction = 1.5;
  for (JointGains& gain : p.gains) {
    gain.i = 200.0;
    gain.i_clamp = 5.0;
  }
  p.friction_compensation = true;
  p.effort_rate_limit = 4000.0;
  p.ramp_in_s = 0.05;
  p.reference_timeout_s = 0.02;
  p.hold_time_s = 0.01;
  p.collision_threshold = 0.5;
  p.passive_damping = 1.0;
  p.acceleration_limit.clear();  // the limit from the effort
  return p;
}

// A tenth of a second each: along, with a payload ramped in, with a chain, without reference, with NaN for a while,
// with references out of reach.
void provoke(Rig& rig, int k, Law law) {
  const double t = 1e-3 * k;
  for (size_t i = 0; i < rig.q.size(); ++i) {
    const double phase = 3.0 * t + static_cast<double>(i);
    rig.q[i] = 0.3 * std::sin(phase);
    rig.v[i] = 0.9 * std::cos(phase);
    rig.ref_q[i] = 0.31 * std::sin(phase + 0.01);
    rig.ref_v[i] = 0.93 * std::cos(phase + 0.01);
    rig.ref_a[i] = -2.8 * std::sin(phase + 0.01);
  }
  if (k == 100) (void)rig.live.attach(test::box("box", 3.0), 0.05);
  if (k == 200) (void)rig.live.attach(test::bucket("bucket"), 0.0);
  rig.fresh = k < 300 || k >= 350;
  if (k >= 400 && k < 415) rig.q[1] = std::nan("");
  if (k >= 520 && k < 560) rig.ref_q[0] = 50.0;
  if (k >= 570 && k < 575) rig.ref_q[0] = std::nan("");
  if (k == 450) rig.live.set_jsim("crba");
  if (k == 480) (void)rig.live.detach("bucket", 0.0);
  if (k == 500) {
    Parameters p = parameters_of(law);
    p.effort_limit_scale = 0.1;
    rig.controller.set_parameters(p);
  }
}

struct Seen {
  std::vector<double> numbers;
  std::uint64_t samples = 0;
};

Seen run(Law law, int warm_ups) {
  Rig rig(test::small_arm(), parameters_of(law), {}, References::limited);
  live::SampleRing ring(cycles / 2, rig.live.max_coordinates(), 5);  // full in the end: drops are counted too
  rig.controller.set_sample_ring(&ring);
  rig.effort.assign(rig.effort.size(), 0.0);
  Seen seen;
  for (int k = 0; k < cycles; ++k) {
    provoke(rig, k, law);
    const CycleReport report = rig.step();
    seen.numbers.insert(seen.numbers.end(), rig.effort.begin(), rig.effort.end());
    seen.numbers.push_back(static_cast<double>(report.mode) + (report.saturated ? 0.25 : 0.0) +
                           (report.collision ? 0.5 : 0.0));
    for (int r = 0; r < warm_ups; ++r) rig.controller.warm_up();
    seen.numbers.push_back(rig.controller.estimated_payload().mass_kg);
    const auto& terms = rig.controller.terms();
    seen.numbers.insert(seen.numbers.end(), terms.external.begin(), terms.external.end());
    seen.numbers.insert(seen.numbers.end(), terms.demanded.begin(), terms.demanded.end());
  }
  seen.samples = ring.written() * 100000 + ring.dropped();
  return seen;
}

class WarmUp : public testing::TestWithParam<Law> {};

TEST_P(WarmUp, LeavesNoTrace) {
  const Seen without = run(GetParam(), 0);
  const Seen with = run(GetParam(), 2);
  EXPECT_EQ(with.samples, without.samples);
  EXPECT_GT(without.samples % 100000, 0U);
  ASSERT_EQ(with.numbers.size(), without.numbers.size());
  for (size_t i = 0; i < without.numbers.size(); ++i) {
    ASSERT_EQ(with.numbers[i], without.numbers[i]) << "number " << i << " of " << without.numbers.size();
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, WarmUp,
                         testing::Values(Law::computed_torque, Law::feedforward, Law::gravity_compensation,
                                         Law::passivity, Law::adaptive));

// The warm-up runs to the end: the next slot has the last cycle's numbers, and is not committed.
TEST(WarmUp, FillsTheNextSlotUnseen) {
  Rig rig;
  live::SampleRing ring(2, rig.live.max_coordinates(), 5);
  (void)rig.step();
  rig.controller.set_sample_ring(&ring);
  rig.controller.warm_up();
  ASSERT_NE(ring.next(), nullptr);
  EXPECT_EQ(ring.next()->q[1], rig.q[1]);
  EXPECT_EQ(ring.front(), nullptr);
  EXPECT_EQ(ring.written(), 0U);
}

}  // namespace
}  // namespace dyn::control
