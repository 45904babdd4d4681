// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// An arm whose torques act late, at 1 kHz: the delay is estimated from its motion.
#include "dyn_core/control/delay_estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "control/task_rig.hpp"
#include "support/allocation_counter.hpp"
#include "support/lock_counter.hpp"

namespace dyn::control {
namespace {

using test::TaskRig;

// The hand moves on a circle, one turn a second.
struct Circling : TaskRig {
  explicit Circling(int late) : estimator(live.max_coordinates(), T) {
    delay_cycles = late;
    aim_at_hand();
    start = target.point.p_m;
  }
  void run(int cycles, bool moves = true) {
    const double radius = 0.1;
    for (int k = 0; k < cycles; ++k) {
      const double s = rate * time_s;
      if (moves) {
        target.point.p_m = start + radius * Vec3d(0.0, std::sin(s), 1.0 - std::cos(s));
        target.point.twist << radius * rate * Vec3d(0.0, std::cos(s), std::sin(s)), Vec3d::Zero();
      }
      seen_q = q, seen_v = v;
      for (double& x : seen_v) x += noise * normal(random);
      control::ReferenceInput reference{seen_q, seen_v, zero};
      reference.task = &target;
      (void)step_seen(reference, seen_q, seen_v);
      estimator.update(controller.last_generation()->dynamics, controller.prediction(), seen_v, effort,
                       static_cast<int>(q.size()));
    }
  }
  Vec3d start;
  DelayEstimator estimator;
  double rate = 8.0;  // rad/s on the circle
  double noise = 0.0;
  std::mt19937 random{3};
  std::normal_distribution<double> normal;
  std::vector<double> seen_q, seen_v, zero = std::vector<double>(7, 0.0);
};

TEST(DelayEstimate, IsTheDelayOfThePlant) {
  for (const int late : {0, 1, 2, 3}) {
    Circling arm(late);
    arm.run(3000);
    const DelayEstimate found = arm.estimator.estimate();
    std::printf("delay of %d periods: found %.4f, deviation %.1g, explained %.6f\n", late, found.periods,
                found.deviation, found.explained);
    EXPECT_TRUE(found.known) << late;
    EXPECT_NEAR(found.periods, late, 0.15);
    EXPECT_NEAR(found.proposed_prediction(), late + 0.5, 0.15);
    EXPECT_GT(found.explained, 0.99);
  }
}

// The torque of a slow motion is mostly gravity's, and the model is evaluated ahead.
TEST(DelayEstimate, IsTheSameWithEveryPrediction) {
  for (const double rate : {2.0, 8.0}) {
    double without = 0.0;
    for (const double prediction : {0.0, 0.5, 1.5, 2.5}) {
      Circling arm(1);
      arm.rate = rate;
      arm.parameters.prediction = prediction;
      arm.controller.set_parameters(arm.parameters);
      arm.run(6000);
      const DelayEstimate found = arm.estimator.estimate();
      std::printf("prediction %.1f, %.0f rad/s: found %.4f\n", prediction, rate, found.periods);
      EXPECT_TRUE(found.known) << prediction << ", " << rate << " rad/s";
      if (prediction == 0.0) without = found.periods;
      EXPECT_NEAR(found.periods, without, 0.05) << prediction << ", " << rate << " rad/s";
    }
  }
}

TEST(DelayEstimate, IsFoundThroughNoiseAndAWrongMass) {
  Circling arm(2);
  arm.noise = 1e-5;  // rad/s
  (void)arm.live.attach(Payload::rigid("wrong", "tool0", {0.1, Vec3d::Zero(), Mat3d(Mat3d::Identity() * 1e-3)}), 0.0);
  arm.run(6000);
  const DelayEstimate found = arm.estimator.estimate();
  EXPECT_TRUE(found.known);
  EXPECT_NEAR(found.periods, 2.0, 0.4);
}

TEST(DelayEstimate, IsNotKnownOfAnArmThatStandsOrIsMovedBySomebodyElse) {
  Circling standing(1);
  standing.run(3000, false);
  EXPECT_FALSE(standing.estimator.estimate().known);

  Circling pushed(1);
  pushed.on_hand = [&](const Vec3d&, const Vec3d&) {
    return Vec3d(60.0 * std::sin(90.0 * pushed.time_s), 50.0 * std::sin(70.0 * pushed.time_s), 0.0);
  };
  pushed.run(3000, false);
  EXPECT_FALSE(pushed.estimator.estimate().known);

  Circling both(1);
  both.run(3000);
  EXPECT_TRUE(both.estimator.estimate().known);
  both.estimator.interrupt();
  EXPECT_TRUE(both.estimator.estimate().known) << "interrupt() keeps the estimate";
  both.estimator.reset();
  EXPECT_FALSE(both.estimator.estimate().known);
}

// Controllers are switched in between: the stored momentum is not that of the cycle before.
TEST(DelayEstimate, CyclesThatDoNotFollowEachOtherAreNotCompared) {
  Circling arm(1);
  for (int k = 0; k < 8; ++k) {
    arm.run(700);
    arm.estimator.interrupt();
    for (double& v : arm.v) v *= 0.5;
  }
  const DelayEstimate found = arm.estimator.estimate();
  EXPECT_TRUE(found.known);
  EXPECT_NEAR(found.periods, 1.0, 0.15);
}

TEST(DelayEstimate, RunsInRealTime) {
  Circling arm(1);
  arm.run(10);
  const Dynamics& dynamics = arm.controller.last_generation()->dynamics;
  std::int64_t locks = 0;
  const auto count = test::count_allocations([&] {
    locks = test::count_lock_calls([&] {
      for (int k = 0; k < 500; ++k) arm.estimator.update(dynamics, 0.5, arm.seen_v, arm.effort, 7);
      (void)arm.estimator.estimate();
    });
  });
  EXPECT_TRUE(count.none()) << count.allocations;
  EXPECT_EQ(locks, 0);
}

}  // namespace
}  // namespace dyn::control
