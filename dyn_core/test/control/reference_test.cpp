// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The followed reference: within limits, while no reference comes, where it is not finite. The laws' own tests have
// references without limits.
#include <gtest/gtest.h>

#include <cmath>

#include "control/rig.hpp"

namespace dyn::control {
namespace {

using Mode = CycleReport::Mode;
const double nan = std::nan("");
constexpr double infinite = std::numeric_limits<double>::infinity();

Parameters limited_parameters() {
  Parameters p = plain_parameters();
  p.acceleration_limit.clear();
  return p;
}

Rig limited_rig(const Parameters& p = limited_parameters()) {
  return Rig(test::small_arm(), p, {}, References::limited);
}

// The arm is where the controller wants it in every cycle.
CycleReport follow(Rig& rig) {
  const CycleReport report = rig.step();
  const FollowedReference reference = rig.controller.reference();
  for (size_t i = 0; i < rig.robot_n; ++i) {
    rig.q[i] = reference.q[i];
    rig.v[i] = reference.v[i];
  }
  return report;
}

TEST(Reference, ThatIsNotFiniteIsNone) {
  const std::vector<std::vector<double> Rig::*> parts{&Rig::ref_q, &Rig::ref_v, &Rig::ref_a};
  for (const auto part : parts) {
    for (const double bad : {nan, infinite, -infinite}) {
      Rig rig = limited_rig();
      EXPECT_FALSE(rig.steps(10).reference_not_finite);
      const std::vector<double> before = rig.effort;
      const double good = (rig.*part)[1];
      (rig.*part)[1] = bad;
      for (int k = 1; k <= 200; ++k) {
        const CycleReport report = rig.step();
        EXPECT_TRUE(report.status.ok());
        EXPECT_TRUE(report.reference_not_finite);
        ASSERT_TRUE(k == 100 || report.mode == (k <= 100 ? Mode::tracking : Mode::holding_reference)) << k;
        for (size_t i = 0; i < 3; ++i) ASSERT_EQ(rig.effort[i], before[i]) << "the arm holds its position";
      }
      (rig.*part)[1] = good;
      EXPECT_EQ(rig.step().mode, Mode::tracking);
      EXPECT_EQ(rig.controller.reference().q[1], rig.ref_q[1]);
    }
  }
  Rig passive(test::small_arm(), limited_parameters(), {"joint2"}, References::limited);
  passive.ref_q[1] = nan;
  const CycleReport report = passive.steps(200);
  EXPECT_EQ(report.mode, Mode::tracking) << "the reference of passive joint2 is ignored";
  EXPECT_FALSE(report.reference_not_finite);
}

// A source of references that fails for a while.
TEST(Reference, OfASourceThatIsNotFiniteIsNone) {
  struct Source final : ReferenceSource {
    void sample(double, std::span<double> q, std::span<double> v, std::span<double> a) const noexcept override {
      std::copy_n(start.begin(), q.size(), q.begin());
      std::fill(v.begin(), v.end(), 0.0);
      std::fill(a.begin(), a.end(), bad ? nan : 0.0);
    }
    std::vector<double> start;
    bool bad = false;
  } source;
  Rig rig = limited_rig();
  source.start = rig.ref_q;
  const auto step = [&] {
    return rig.controller.step({rig.q, rig.v}, {rig.ref_q, rig.ref_v, rig.ref_a, true, &source}, rig.effort);
  };
  rig.controller.activate({rig.q, rig.v});
  EXPECT_EQ(step().mode, Mode::tracking);
  const std::vector<double> before = rig.effort;
  source.bad = true;
  for (int k = 1; k <= 200; ++k) {
    const CycleReport report = step();
    EXPECT_TRUE(report.reference_not_finite);
    ASSERT_TRUE(k == 100 || report.mode == (k <= 100 ? Mode::tracking : Mode::holding_reference)) << k;
    for (size_t i = 0; i < 3; ++i) ASSERT_EQ(rig.effort[i], before[i]);
  }
  source.bad = false;
  EXPECT_EQ(step().mode, Mode::tracking);
}

// The limiter's acceleration: half of (effort limit - |bias|) / M_ii; the parameter acceleration_limit where it is set.
TEST(Reference, AccelerationOfAJumpIsWhatTorqueAllows) {
  for (const double set : {0.0, 5.0}) {
    Parameters p = limited_parameters();
    p.effort_limit_scale = 0.5;
    if (set > 0.0) p.acceleration_limit = {0.0, set, 0.0};
    Rig rig = limited_rig(p);
    rig.v = {0.3, 0.4, -0.2, 0.0, 0.0};
    rig.ref_q[1] = -2.0;
    const Dynamics model = rig.model();
    const CycleReport report = rig.step();
    EXPECT_TRUE(report.reference_limited);
    EXPECT_EQ(report.reference_cut.coordinate, 0) << "its velocity is not the reference's";
    const double left = 50.0 - std::abs(model.h()[1]);
    EXPECT_NEAR(rig.controller.reference().a[1], set > 0.0 ? -set : -0.5 * left / model.M()(1, 1), 1e-9);
    rig.v = {0.0, 0.0, 0.0, 0.0, 0.0};
    rig.controller.activate({rig.q, rig.v});
    const Dynamics at_rest = rig.model();
    EXPECT_EQ(rig.step().reference_cut.coordinate, 1);
    const double half = 0.5 * (50.0 - std::abs(at_rest.g()[1])) / at_rest.M()(1, 1);
    EXPECT_NEAR(rig.controller.reference().a[1], set > 0.0 ? -set : -half, 1e-9);
  }
  // An arm that can barely hold its own weight still moves, slowly.
  Parameters weak = limited_parameters();
  Rig rig = limited_rig(weak);
  weak.effort_limit = {0.0, std::abs(rig.gravity()[1]), 0.0};
  rig.controller.set_parameters(weak);
  rig.ref_q[1] = 0.0;
  int cycles = 0;
  while (follow(rig).reference_limited && cycles < 20000) ++cycles;
  EXPECT_GT(cycles, 100);
  EXPECT_LT(cycles, 5000);
}

// Each beginning of a limited motion is reported once, with the first joint.
TEST(Reference, WhatWasCutIsToldOnce) {
  Rig rig = limited_rig();
  rig.ref_v = {0.0, 0.0, 0.0};
  EXPECT_EQ(follow(rig).reference_cut.count, 0U);
  rig.ref_q[2] = 50.0;
  for (int k = 0; k < 3000; ++k) EXPECT_EQ(follow(rig).reference_cut.count, 1U);
  const CycleReport report = follow(rig);
  EXPECT_EQ(report.reference_cut.coordinate, 2);
  EXPECT_EQ(report.reference_cut.limit, ReferenceLimit::position);
  EXPECT_EQ(report.reference_cut.given, 50.0);
  EXPECT_EQ(report.reference_cut.limit_value, 3.0);
  EXPECT_NEAR(rig.controller.reference().q[2], 3.0, 1e-12);
  rig.ref_q[2] = 1.0;
  for (int k = 0; k < 3000; ++k) EXPECT_EQ(follow(rig).reference_cut.count, 1U);
  EXPECT_EQ(rig.controller.reference().q[2], 1.0);
  rig.ref_q[0] = 1.0;
  EXPECT_EQ(follow(rig).reference_cut.count, 2U);
  EXPECT_EQ(follow(rig).reference_cut.limit, ReferenceLimit::acceleration);
  rig.controller.activate({rig.q, rig.v});
  rig.ref_q.assign(rig.q.begin(), rig.q.end());
  EXPECT_EQ(follow(rig).reference_cut.count, 0U);
}

// References at 50 Hz in a loop at 1 kHz: in between, the last one is extrapolated.
TEST(Reference, IsExtrapolatedUntilTheNextOneComes) {
  Rig rig = limited_rig();
  const auto wanted = [](double t, size_t i) {
    const double phase = 2.0 * t + static_cast<double>(i);
    return Point{0.5 * std::sin(phase), std::cos(phase), -2.0 * std::sin(phase)};
  };
  for (size_t i = 0; i < 3; ++i) {
    rig.q[i] = wanted(0.0, i).q;
    rig.v[i] = wanted(0.0, i).v;
  }
  double worst = 0.0;
  int limited = 0;
  for (int k = 0; k < 2000; ++k) {
    rig.fresh = k % 20 == 0;
    for (size_t i = 0; i < 3 && rig.fresh; ++i) {
      const Point now = wanted(k * period_s, i);
      rig.ref_q[i] = now.q, rig.ref_v[i] = now.v, rig.ref_a[i] = now.a;
    }
    limited += follow(rig).reference_limited ? 1 : 0;
    for (size_t i = 0; i < 3; ++i) {
      if (k > 100) worst = std::max(worst, std::abs(rig.controller.reference().q[i] - wanted(k * period_s, i).q));
    }
  }
  EXPECT_LT(worst, 1e-5);  // a jerk of 4 rad/s^3 over 20 ms
  EXPECT_LT(limited, 100);
  // The next one does not come: the reference stops within 0.05 s, and the arm comes to rest there.
  rig.fresh = false;
  rig.controller.set_parameters([] {
    Parameters p = limited_parameters();
    p.reference_timeout_s = 0.0;
    return p;
  }());
  for (int k = 0; k < 300; ++k) (void)follow(rig);
  const double stands = rig.controller.reference().q[0];
  (void)follow(rig);
  EXPECT_EQ(rig.controller.reference().q[0], stands);
  EXPECT_LT(std::abs(stands - rig.ref_q[0]), 0.05);
}

// A controller above that runs at a tenth of the rate: its interfaces have the same numbers for ten cycles.
TEST(Reference, ThatComesAgainUnchangedIsExtrapolatedToo) {
  Rig rig = limited_rig();
  double worst = 0.0;
  for (size_t i = 0; i < 3; ++i) rig.v[i] = 0.5;
  for (int k = 0; k < 2000; ++k) {
    for (size_t i = 0; i < 3 && k % 10 == 0; ++i) {
      const double phase = k * period_s + static_cast<double>(i);
      if (k == 0) rig.q[i] = 0.5 * std::sin(phase), rig.v[i] = 0.5 * std::cos(phase);
      rig.ref_q[i] = 0.5 * std::sin(phase);
      rig.ref_v[i] = 0.5 * std::cos(phase);
      rig.ref_a[i] = -0.5 * std::sin(phase);
    }
    const CycleReport report = follow(rig);
    ASSERT_TRUE(k < 200 || !report.reference_limited) << k;
    for (size_t i = 0; i < 3 && k > 200; ++i) {
      const double wanted = 0.5 * std::sin(k * period_s + static_cast<double>(i));
      worst = std::max(worst, std::abs(rig.controller.reference().q[i] - wanted));
    }
  }
  EXPECT_LT(worst, 1e-6);
}

// A reference with a velocity whose position does not move.
TEST(Reference, OneMessageWithAVelocityIsAPlaceToStop) {
  Rig rig = limited_rig();
  rig.ref_q[0] = 1.5;
  rig.ref_v[0] = 1.0;
  for (int k = 0; k < 3000; ++k) (void)follow(rig);
  double moved = 0.0;
  for (int k = 0; k < 1000; ++k) {
    (void)follow(rig);
    moved = std::max(moved, std::abs(rig.controller.reference().q[0] - 1.5));
  }
  EXPECT_LT(moved, 2.1e-3) << "extrapolated for two periods only";
}

TEST(Reference, IsBroughtToRestFromTheMeasuredState) {
  Rig rig = limited_rig();
  rig.ref_q[0] = -2.9;  // far away
  for (int k = 0; k < 50; ++k) (void)follow(rig);
  const double before = rig.controller.reference().q[0];
  rig.q[0] = 0.7;  // moved away by a force, with a high velocity
  rig.v[0] = 1.0;
  rig.fresh = false;
  rig.live.request_fallback({-1, -1, true});
  EXPECT_EQ(rig.step().mode, Mode::holding_reference);
  const FollowedReference reference = rig.controller.reference();
  EXPECT_LE(std::abs(reference.q[0] - before), 5e-3) << "no leap, but every cycle nearer";
  EXPECT_EQ(reference.v[0], 1.0);
  EXPECT_LT(reference.a[0], -1.0);
  double last = 1.0;
  for (int k = 0; k < 3000; ++k) {
    (void)follow(rig);
    EXPECT_LE(rig.controller.reference().v[0], last);
    last = rig.controller.reference().v[0];
  }
  EXPECT_EQ(last, 0.0);
  EXPECT_GT(rig.q[0], 0.7);
  EXPECT_LT(rig.q[0], 0.9);
}

// After cycles without a state the arm is somewhere else: the reference begins there.
TEST(Reference, StartsAnewAfterALostState) {
  Rig rig = limited_rig();
  for (int k = 0; k < 10; ++k) (void)follow(rig);
  const std::vector<double> was = rig.q;
  rig.q[1] = nan;
  (void)rig.steps(30);
  rig.q = was;
  rig.q[1] += 0.2;
  EXPECT_EQ(rig.step().mode, Mode::tracking);
  int cycles = 0;
  EXPECT_NEAR(rig.controller.reference().q[1], was[1] + 0.2, 1e-3) << "where the arm is";
  double leap = 0.0;
  for (double last = rig.controller.reference().q[1]; follow(rig).reference_limited && cycles < 2000; ++cycles) {
    const double now = rig.controller.reference().q[1];
    leap = std::max(leap, std::abs(now - last));
    last = now;
  }
  EXPECT_LE(leap, 5e-3);
  EXPECT_LT(cycles, 1000);
  EXPECT_EQ(rig.controller.reference().q[1], rig.ref_q[1]);
}

// Hand guiding; then a law with a reference starts where the arm is.
TEST(Reference, OfHandGuidingIsNotLimited) {
  Parameters p = limited_parameters();
  p.law = Law::gravity_compensation;
  Rig rig = limited_rig(p);
  rig.ref_q[0] = 50.0;
  EXPECT_FALSE(rig.steps(10).reference_limited);
  rig.q[0] = -1.0;
  EXPECT_FALSE(rig.steps(10).reference_limited);
  p.law = Law::computed_torque;
  rig.controller.set_parameters(p);
  EXPECT_TRUE(rig.step().reference_limited);
  EXPECT_NEAR(rig.controller.reference().q[0], -1.0, 1e-3);
}

TEST(Reference, IsHeldToTheSoftLimits) {
  RobotDescription robot = test::small_arm();
  robot.joints[2].limits->soft_upper = 2.5;
  Rig rig(robot, limited_parameters(), {}, References::limited);
  rig.ref_q[2] = 2.9;
  for (int k = 0; k < 3000; ++k) (void)follow(rig);
  EXPECT_NEAR(rig.controller.reference().q[2], 2.5, 1e-12);
  EXPECT_EQ(follow(rig).reference_cut.limit_value, 2.5);
}

// A new description's limits count from the next cycle on; one that leaves a joint without an effort limit is refused.
TEST(Reference, LimitsMayBeReplacedWhileActive) {
  Rig rig = limited_rig();
  (void)rig.steps(10);
  rig.ref_q[2] = 2.9;
  Actuation actuation = Actuation::from_model(*rig.live.newest_model(), {});
  actuation.upper[2] = 1.5;
  actuation.effort_limit[1] = 1.0;
  rig.controller.set_limits(actuation);
  for (int k = 0; k < 3000; ++k) {
    (void)follow(rig);
    ASSERT_LE(std::abs(rig.effort[1]), 1.0);
  }
  EXPECT_NEAR(rig.controller.reference().q[2], 1.5, 1e-12);
  EXPECT_EQ(rig.controller.effort_bound(1), 1.0);
  actuation.effort_limit[1] = infinite;
  EXPECT_THROW(rig.controller.set_limits(actuation), ModelError);
  (void)rig.step();
  EXPECT_EQ(rig.controller.effort_bound(1), 1.0);
}

// Anti-swing adds an offset to the reference; for a load that never stops swinging it still keeps the position limits.
TEST(Reference, OfAntiSwingStaysWithinThePositionLimits) {
  Parameters p = limited_parameters();
  p.passive_damping = 3.0;
  double farthest = 0.0, nearest = 10.0;
  for (const double swing : {-3.0, 3.0}) {
    Rig rig(test::small_arm(), p, {}, References::limited);
    (void)rig.live.attach(test::bucket("bucket"), 0.0);
    for (size_t i = 0; i < 3; ++i) rig.q[i] = rig.ref_q[i] = 2.99;
    (void)follow(rig);
    rig.v[3] = swing;
    for (int k = 0; k < 4000; ++k) {
      (void)rig.step();
      for (size_t i = 1; i < 3; ++i) {
        const double moved = rig.q[i] + rig.controller.terms().position_error[i];
        farthest = std::max(farthest, std::abs(moved));
        nearest = std::min(nearest, std::abs(moved));
      }
    }
  }
  EXPECT_LE(farthest, 3.0 + 1e-9);
  EXPECT_GT(farthest, 2.999) << "up to the limit";
  EXPECT_LT(nearest, 2.98) << "and away from it";
}

// Joints that another controller moves: their reference is their state, whatever that is.
TEST(Reference, OfAJointThatIsFollowedIsTakenAsItIs) {
  live::LiveModel live(test::small_arm(), Rig::options());
  Actuation actuation = Rig::actuation(*live.newest_model(), {}, References::limited);
  actuation.followed[2] = true;
  Controller controller(live, actuation, limited_parameters(), period_s);
  std::vector<double> q{0.3, 0.7, 9.0}, v{0.0, 0.0, 70.0}, a(3, 0.0), effort(5);
  controller.activate({q, v});
  const CycleReport report = controller.step({q, v}, {q, v, a}, effort);
  EXPECT_FALSE(report.reference_limited);
  EXPECT_EQ(controller.reference().q[2], 9.0);
  EXPECT_EQ(controller.terms().feedback[2], 0.0);
}

// Joint 2 bears the arm: its torque brakes a motion upwards together with gravity, and one downwards against it.
TEST(References, MayComeAsFastTowardsAPositionLimitAsTheTorqueStopsThem) {
  RobotDescription robot = test::small_arm();
  robot.joints[1].limits = JointLimits{-0.5, 0.5, true, 3.0, 50.0};
  Parameters p = limited_parameters();
  p.acceleration_limit.clear();
  for (const double side : {-1.0, 1.0}) {  // up, down
    for (const double share : {1.1, 0.9}) {
      Rig rig(robot, p, {}, References::limited);
      rig.v[1] = rig.ref_v[1] = side;
      rig.q[1] = 0.5 * side;
      const Dynamics dynamics = rig.model();
      const double stop = (50.0 + side * dynamics.h()[1]) / dynamics.M()(1, 1);  // rad/s^2
      rig.q[1] = rig.ref_q[1] = side * (0.5 - share * 0.5 / stop);
      EXPECT_EQ(rig.step().reference_limited, share < 1.0) << side << ' ' << share;
    }
  }
}

}  // namespace
}  // namespace dyn::control
