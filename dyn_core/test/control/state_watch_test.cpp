// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Frozen sensors: reported where their numbers cannot be true, and not where they can.
#include "dyn_core/control/state_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "control/rig.hpp"

namespace dyn::control {
namespace {

using Mode = CycleReport::Mode;

struct Watched {
  // Cycles of 1 ms until it is reported, at most `most`.
  int cycles_until(double q, double v, double effort, int most = 1000, double timeout_s = 0.05) {
    int k = 0;
    bool frozen = false;
    while (k < most && !frozen) {
      ++k;
      watch.see(0, q, v, 1e-3);
      frozen = watch.is_same(0) && watch.note(0, effort, 20.0, 1e-3, timeout_s);
    }
    return frozen ? k : -1;
  }
  StateWatch watch{1};
};

TEST(StateWatch, AVelocityWithoutMotionCannotBe) {
  EXPECT_NEAR(Watched().cycles_until(0.3, 1.0, 5.0), 51, 1) << "the first one is no repetition";
  EXPECT_NEAR(Watched().cycles_until(0.3, -0.02, 5.0), 251, 1) << "5 mrad";
  EXPECT_EQ(Watched().cycles_until(0.3, 1e-6, 5.0), -1) << "as sensors at rest report";
  EXPECT_EQ(Watched().cycles_until(0.3, 1.0, 5.0, 1000, 0.0), -1) << "not asked for";
  EXPECT_NEAR(Watched().cycles_until(0.3, 1.0, 5.0, 1000, 0.2), 201, 1);
}

TEST(StateWatch, ATorqueThatChangesWithoutAnEffectCannotBe) {
  Watched at_rest;
  EXPECT_EQ(at_rest.cycles_until(0.3, 0.0, 50.0), -1) << "at rest, loaded or in contact";
  EXPECT_EQ(at_rest.cycles_until(0.3, 0.0, 69.0), -1) << "may be stiction";
  EXPECT_EQ(at_rest.cycles_until(0.3, 0.0, 71.0, 40), -1) << "an encoder with coarse steps";
  EXPECT_EQ(at_rest.cycles_until(0.3, 0.0, 50.0, 10), -1);
  EXPECT_NEAR(at_rest.cycles_until(0.3, 0.0, 29.0), 51, 1);
  EXPECT_TRUE(at_rest.watch.frozen(0));
  EXPECT_EQ(at_rest.cycles_until(0.3, 0.0, 50.0), 1) << "frozen until the state changes";
  EXPECT_EQ(at_rest.cycles_until(0.3, 1e-300, 29.0), -1) << "one bit";
  EXPECT_FALSE(at_rest.watch.frozen(0));
}

// Gravity alone, at once, and no damping by the frozen velocity; the joint by its index; then failure. The others are
// damped by theirs.
TEST(StateWatch, OfTheControllerTakesTheStateForLost) {
  Parameters p = plain_parameters();
  p.state_timeout_s = 0.05;
  Rig rig(test::small_arm(), p, {}, References::limited);
  rig.ref_q.assign(rig.q.begin(), rig.q.end());
  EXPECT_EQ(rig.steps(500).frozen, -1) << "at rest";
  rig.v[1] = 0.5;
  rig.v[2] = 0.1;
  const auto gravity = rig.gravity();
  const double damping = 40.0 * rig.model().M()(2, 2) * 0.1;
  for (int k = 1; k <= 600; ++k) {
    rig.q[0] += 1e-9, rig.q[2] += 1e-9;
    const CycleReport report = rig.step();
    const bool found = k > 52;
    if (std::abs(k - 51) <= 1 || std::abs(k - 551) <= 1) continue;  // depends on rounding
    ASSERT_EQ(report.frozen, found ? 1 : -1) << k;
    ASSERT_EQ(report.mode, !found ? Mode::tracking : k <= 551 ? Mode::safe_torque : Mode::failed) << k;
    if (found) {
      EXPECT_NEAR(rig.effort[1], gravity[1], 1e-3);
      EXPECT_NEAR(rig.effort[2], gravity[2] - damping, 1e-3);
    }
  }
  rig.q[1] += 1e-12;
  const CycleReport report = rig.step();
  EXPECT_EQ(report.frozen, -1);
  EXPECT_EQ(report.mode, Mode::tracking);
}

// A bus that hangs: joint 2 is reported by its own rule 0.2 s after the others, and is not damped by its frozen
// velocity meanwhile.
TEST(StateWatch, NoJointIsDampedByAVelocityThatMayBeFrozen) {
  Parameters p = plain_parameters();
  p.state_timeout_s = 0.05;
  Rig rig(test::small_arm(), p, {}, References::limited);
  rig.v = rig.ref_v = {0.44, -0.02, -0.63, 0.0, 0.0};
  const auto gravity = rig.gravity();
  int cycles = 1;
  while (cycles < 100 && rig.step().frozen < 0) ++cycles;
  EXPECT_NEAR(cycles, 51, 1);
  for (int k = 0; k < 600; ++k) {
    ASSERT_EQ(rig.step().frozen, 0);
    for (size_t i = 0; i < 3; ++i) ASSERT_NEAR(rig.effort[i], gravity[i], 1e-3) << k << ", joint " << i;
  }
  rig.q[0] += 1e-9;
  EXPECT_EQ(rig.step().frozen, 1) << "the others still are";
  rig.q[1] += 1e-9;
  EXPECT_EQ(rig.step().frozen, 2);
  rig.q[2] += 1e-9;
  EXPECT_EQ(rig.step().mode, Mode::tracking);
}

// One joint's state is not finite, another one's does not change, the third one's does.
TEST(StateWatch, WithoutAFiniteStateTheOthersAreWatchedToo) {
  Parameters p = plain_parameters();
  p.state_timeout_s = 0.05;
  Rig rig(test::small_arm(), p, {}, References::limited);
  rig.v = rig.ref_v = {0.0, 0.5, -0.6, 0.0, 0.0};
  (void)rig.step();
  const Dynamics model = rig.model();
  rig.q[0] = std::nan("");
  for (int k = 0; k < 100; ++k) {
    rig.q[1] += 1e-9;
    (void)rig.step();
  }
  EXPECT_NEAR(rig.effort[1], model.g()[1] - 40.0 * model.M()(1, 1) * 0.5, 1e-6);
  EXPECT_NEAR(rig.effort[2], model.g()[2], 1e-6);
}

// A joint that is held to the last bit, by stiction or below an encoder's step, while another one folds the arm: its
// torque changes by gravity and inertia, which push it nowhere.
TEST(StateWatch, AJointMayStandWhileOthersMove) {
  Parameters p = plain_parameters();
  p.state_timeout_s = 0.05;
  Rig rig(test::small_arm(14.0), p);
  rig.q[2] = -0.7;
  rig.ref_q.assign(rig.q.begin(), rig.q.end());
  (void)rig.step();
  const double effort_before = rig.effort[1];
  for (int k = 0; k < 2000; ++k) {
    const double rate = M_PI / 2.0;  // joint3 by 3 rad in 1 s, and back
    rig.ref_q[2] = rig.q[2] = 3.0 * std::sin(rate * 1e-3 * k) - 0.7;
    rig.ref_v[2] = rig.v[2] = 3.0 * rate * std::cos(rate * 1e-3 * k);
    rig.ref_a[2] = -3.0 * rate * rate * std::sin(rate * 1e-3 * k);
    ASSERT_EQ(rig.step().frozen, -1) << k;
    if (k == 1000) {
      EXPECT_GT(std::abs(rig.effort[1] - effort_before), rig.controller.moving_effort(1) + 10.0);
    }
  }
  // A joint that hangs while its own reference goes on.
  rig.v[2] = rig.ref_v[2] = rig.ref_a[2] = 0.0;
  rig.ref_q[1] += 0.5;
  EXPECT_EQ(rig.steps(60).frozen, 1);
}

TEST(StateWatch, WhatMovesAJointFollowsItsLimits) {
  Rig rig;
  (void)rig.step();
  EXPECT_EQ(rig.controller.moving_effort(1), 20.0);
  Actuation fresh = Actuation::from_model(*rig.live.newest_model(), {});
  fresh.effort_limit[1] = 10.0;
  fresh.friction[1].coulomb = 3.0;
  fresh.friction[1].offset = -1.0;
  fresh.followed[2] = true;
  rig.controller.set_limits(fresh);
  (void)rig.step();
  EXPECT_EQ(rig.controller.moving_effort(1), 10.0) << "2 (3 + 1) + 0.2 10";
  EXPECT_EQ(rig.controller.moving_effort(2), MotionLimits::none);
}

// A tenth of a second of ramp: 5 N m of offset come in by 0.05 N m a cycle, at rest and with nothing else changed; a
// third description in the middle goes on from there.
TEST(FrictionRamp, ANewDescriptionChangesTheTorqueByAndBy) {
  Parameters p = plain_parameters();
  p.friction_compensation = true;
  Rig rig(test::small_arm(), p);
  (void)rig.step();
  const double before = rig.effort[1];
  Actuation fresh = Actuation::from_model(*rig.live.newest_model(), {});
  fresh.friction_transition_s = 0.1;
  fresh.friction[1].offset = 5.0;
  rig.controller.set_limits(fresh);
  double last = before;
  const auto steps = [&](int count) {
    for (int k = 0; k < count; ++k) {
      (void)rig.step();
      EXPECT_NEAR(rig.effort[1] - last, 0.05, 0.0501) << k;
      last = rig.effort[1];
    }
  };
  steps(51);
  EXPECT_NEAR(last, before + 2.5, 1e-9);
  fresh.friction[1].offset = 7.5;
  rig.controller.set_limits(fresh);
  steps(101);
  EXPECT_NEAR(last, before + 7.5, 1e-12);
  fresh.friction_transition_s = 0.0;
  fresh.friction[1].offset = 0.0;
  rig.controller.set_limits(fresh);
  (void)rig.step();
  EXPECT_NEAR(rig.effort[1], before, 1e-12);
}

// --- Cycles that come late -------------------------------------------------------------------------------------------

struct LateRig : Rig {
  using Rig::Rig;
  CycleReport after(double elapsed_s) {
    if (!active) controller.activate({q, v});
    active = true;
    return controller.step({q, v, nullptr, elapsed_s}, {ref_q, ref_v, ref_a, fresh}, effort);
  }
};

TEST(Gap, JitterIsNone) {
  LateRig on_time, jittery;
  for (Rig* rig : {static_cast<Rig*>(&on_time), static_cast<Rig*>(&jittery)}) rig->ref_q[1] += 0.01;
  for (int k = 0; k < 100; ++k) {
    EXPECT_FALSE(on_time.after(0.0).late);
    EXPECT_FALSE(jittery.after(k % 2 == 0 ? 1.49e-3 : 0.51e-3).late);
    for (size_t i = 0; i < 3; ++i) ASSERT_EQ(on_time.effort[i], jittery.effort[i]);
  }
  EXPECT_TRUE(jittery.after(1.6e-3).late);
}

// All timeouts use the measured time.
TEST(Gap, TimeoutsGoByTheClock) {
  LateRig rig;
  EXPECT_EQ(rig.after(0.0).mode, Mode::tracking);
  rig.fresh = false;
  EXPECT_EQ(rig.after(0.05).mode, Mode::tracking);
  EXPECT_EQ(rig.after(0.06).mode, Mode::holding_reference);
}

// One gap: gains stay. Several: gains are those of a slow loop, for a while.
TEST(Gap, OnceIsChance) {
  LateRig rig;
  rig.v[0] = 0.1;
  (void)rig.after(0.0);
  const double before = rig.controller.terms().feedback[0];
  EXPECT_LT(before, -1e-3);
  (void)rig.after(0.1);
  (void)rig.after(0.0);
  EXPECT_NEAR(rig.controller.terms().feedback[0], before, 0.05 * std::abs(before));
  (void)rig.after(0.1);
  (void)rig.after(0.0);
  const double slow = rig.controller.terms().feedback[0];
  EXPECT_NEAR(slow, 0.5 / (40.0 * 0.1) * before, 0.05 * std::abs(before)) << "d T = 1/2";
  for (int k = 0; k < 8000; ++k) (void)rig.after(0.0);
  EXPECT_NEAR(rig.controller.terms().feedback[0], before, 0.05 * std::abs(before)) << "forgotten";
}

// Feedforward: a torque d v changes the velocity by (M^-1)_ii d v, M without the rows of the joint that is followed.
TEST(Gap, AJointOfAnotherControllerTakesNoPartInTheScales) {
  Parameters p = plain_parameters();
  p.law = Law::feedforward;
  LateRig rig(test::small_arm(), p);
  Actuation actuation = Rig::actuation(*rig.live.newest_model(), {}, References::any);
  actuation.followed[0] = true;
  rig.controller.set_limits(actuation);
  rig.v[1] = 0.1;
  (void)rig.after(0.0);
  const double before = rig.controller.terms().feedback[1];
  ASSERT_LT(before, -1e-3);
  for (const double elapsed_s : {0.1, 0.0, 0.1, 0.0}) (void)rig.after(elapsed_s);
  const Dynamics model = rig.model();
  const double moves = Eigen::Matrix2d(model.M().bottomRightCorner<2, 2>()).inverse()(0, 0);
  ASSERT_GT(moves, 1.2 / model.M()(1, 1));
  EXPECT_NEAR(rig.controller.terms().feedback[1], 0.5 / (moves * 40.0 * 0.1) * before, 0.01 * std::abs(before));
}

}  // namespace
}  // namespace dyn::control
