// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The figures of docs/control.md, held. Nothing here depends on a clock.
#include "dyn_sim/precision.hpp"

#include <gtest/gtest.h>

namespace dyn::sim {
namespace {

TEST(Precision, SampledLawIsSecondOrderInThePeriod) {
  const double at_1_kHz = track(arm7_moves(1000.0, 0.5)).rms;
  const double at_2_kHz = track(arm7_moves(2000.0, 0.5)).rms;
  const double at_5_kHz = track(arm7_moves(5000.0, 0.5)).rms;
  EXPECT_LT(at_1_kHz, 5e-7);
  EXPECT_NEAR(at_1_kHz / at_2_kHz, 4.0, 0.2);
  EXPECT_NEAR(at_2_kHz / at_5_kHz, 6.25, 0.3);
}

TEST(Precision, WithoutPredictionItIsFirstOrderAndAHundredTimesWorse) {
  const double at_1_kHz = track(arm7_moves(1000.0, 0.0)).rms;
  const double at_2_kHz = track(arm7_moves(2000.0, 0.0)).rms;
  EXPECT_NEAR(at_1_kHz / at_2_kHz, 2.0, 0.1);
  EXPECT_GT(at_1_kHz, 50.0 * track(arm7_moves(1000.0, 0.5)).rms);
}

// A reference from a topic or from a controller above knows no trajectory: it is extrapolated.
TEST(Precision, AReferenceThatLeadsIsTakenBack) {
  RunConfig wrong = arm7_moves(1000.0, 0.5);
  wrong.arms.front().controller.reference_lead = 1.0;  // though it does not lead
  EXPECT_GT(track(wrong).max, 1e-4);
}

TEST(Precision, PayloadAttachedInTheSameCycle) {
  const double known = track(arm7_with_payload(Belief::from_the_start), payload_at_s).rms;
  const double same = track(arm7_with_payload(Belief::same_cycle), payload_at_s).rms;
  const double late = track(arm7_with_payload(Belief::one_cycle_late), payload_at_s).rms;
  const double ramped = track(arm7_with_payload(Belief::ramped), payload_at_s).rms;
  const double never = track(arm7_with_payload(Belief::never), payload_at_s).rms;
  EXPECT_LT(same, 2.0 * known);
  EXPECT_GT(late, same);
  EXPECT_GT(ramped, late);
  EXPECT_GT(never, 1000.0 * same);
  EXPECT_GT(never, ramped);
}

TEST(Precision, LawInsideTheIntegrator) {
  const RunConfig moves = arm7_moves(1000.0, 0.5);
  EXPECT_LT(track_continuously(moves.arms.front(), moves.duration_s, 1e-12).max, 1e-9);
}

TEST(Precision, FeedforwardOfPaper004InsideTheIntegrator) {
  EXPECT_LT(track_continuously(paper_004_feedforward(), 1.0, 1e-14).max, 1e-12);
}

}  // namespace
}  // namespace dyn::sim
