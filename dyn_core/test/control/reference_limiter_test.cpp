// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One joint's reference: within the limits it passes to the bit, any other is followed within the limits.
#include "dyn_core/control/reference_limiter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

namespace dyn::control {
namespace {

constexpr double T = 1e-3;

MotionLimits limits_of(double reach, double velocity, double acceleration) {
  MotionLimits limits;
  limits.lower = -reach;
  limits.upper = reach;
  limits.velocity = velocity;
  limits.acceleration = limits.braking = limits.passing = limits.stop_at_lower = limits.stop_at_upper = acceleration;
  return limits;
}

struct Followed {
  JointLimiter limiter;
  MotionLimits limits;
  bool wraps = false;
  double period_s = T;
  double fastest = 0.0, hardest = 0.0, highest = -1e300, lowest = 1e300;

  ReferenceLimit step(const Point& given) {
    const Point before = limiter.now();
    const ReferenceLimit limit = limiter.follow(given, wraps, limits, period_s);
    note(before);
    return limit;
  }
  void note(const Point& before) {
    const Point& now = limiter.now();
    ASSERT_TRUE(std::isfinite(now.q) && std::isfinite(now.v) && std::isfinite(now.a));
    fastest = std::max({fastest, std::abs(now.v), std::abs(now.q - before.q) / period_s});
    hardest = std::max({hardest, std::abs(now.a), std::abs(now.v - before.v) / period_s});
    highest = std::max(highest, now.q);
    lowest = std::min(lowest, now.q);
  }
};

Followed at_rest(double q, const MotionLimits& limits) {
  Followed f{{}, limits};
  f.limiter.reset(q, 0.0);
  return f;
}

// Quintic from 0 to `way` within `time_s`.
Point quintic(double t, double way, double time_s) {
  const double x = std::clamp(t / time_s, 0.0, 1.0);
  return {way * x * x * x * (10.0 - 15.0 * x + 6.0 * x * x), way / time_s * 30.0 * x * x * (1.0 - x) * (1.0 - x),
          way / (time_s * time_s) * 60.0 * x * (1.0 - 3.0 * x + 2.0 * x * x)};
}

TEST(JointLimiter, AMotionWithinTheLimitsPassesToTheBit) {
  // Peaks: 1.875 way / time, 5.7735 way / time^2. Ends at the position limit.
  Followed f = at_rest(0.0, limits_of(2.0, 1.875 * 2.0 / 1.5, 5.7736 * 2.0 / 2.25));
  for (int k = 0; k < 2000; ++k) {
    const Point given = quintic(k * T, 2.0, 1.5);
    ASSERT_EQ(f.step(given), ReferenceLimit::none) << k;
    ASSERT_EQ(f.limiter.now().q, given.q);
    ASSERT_EQ(f.limiter.now().v, given.v);
    ASSERT_EQ(f.limiter.now().a, given.a);
  }
}

// As fast as can be: full acceleration, full velocity, full deceleration up to the position limit.
TEST(JointLimiter, ATrapezoidAtTheLimitsPasses) {
  Followed f = at_rest(-1.0, limits_of(1.0, 2.0, 8.0));
  for (int k = 0; k < 1500; ++k) {
    const double t = k * T;
    const Point given = t < 0.25   ? Point{-1.0 + 4.0 * t * t, 8.0 * t, 8.0}
                        : t < 1.0  ? Point{-0.75 + 2.0 * (t - 0.25), 2.0, 0.0}
                        : t < 1.25 ? Point{1.0 - 4.0 * (1.25 - t) * (1.25 - t), 8.0 * (1.25 - t), -8.0}
                                   : Point{1.0, 0.0, 0.0};
    ASSERT_EQ(f.step(given), ReferenceLimit::none) << k;
  }
}

// A controller above with another clock: samples up to a period late, none lost.
TEST(JointLimiter, AnUnsteadyClockPasses) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> late(-0.2, 0.2);
  Followed f = at_rest(0.0, limits_of(2.0, 1.875 * 1.5 / 1.5, 5.8 * 1.5 / 2.25));
  for (int k = 0; k < 2000; ++k) {
    const double missed = k == 700 ? 1.0 : 0.0;
    const Point given = quintic((k + late(random) - missed) * T, 1.5, 1.5);
    ASSERT_EQ(f.step(given), ReferenceLimit::none) << k;
  }
}

// Its velocities are within the limit and its positions move 10 % faster: two periods' way ahead is not allowed.
TEST(JointLimiter, PositionsThatMoveFasterThanTheLimitAreLimited) {
  Followed f = at_rest(-1.0, limits_of(10.0, 2.0, 8.0));
  for (int k = 0; k < 250; ++k) {
    const double t = k * T;
    ASSERT_EQ(f.step({-1.0 + 4.0 * t * t, 8.0 * t, 8.0}), ReferenceLimit::none) << k;
  }
  double q = f.limiter.now().q;
  int cycles = 0;
  ReferenceLimit limit = ReferenceLimit::none;
  for (; limit == ReferenceLimit::none && cycles < 100; ++cycles) {
    q += 1.1 * 2.0 * T;
    limit = f.step({q, 2.0, 0.0});
  }
  EXPECT_EQ(limit, ReferenceLimit::velocity);
  EXPECT_NEAR(cycles, 20, 3);
}

TEST(JointLimiter, AJumpIsFollowedAtTheLimitsWithoutOvershoot) {
  for (const double period_s : {1e-4, 1e-3, 4e-3, 1e-2}) {
    for (const double way : {3.0, 0.7, 0.03, 0.01}) {
      Followed f = at_rest(0.0, limits_of(10.0, 2.0, 20.0));
      f.period_s = period_s;
      int cycles = 0;
      while (f.step({way, 0.0, 0.0}) != ReferenceLimit::none && cycles < 1000000) ++cycles;
      EXPECT_EQ(f.limiter.now().q, way);
      EXPECT_LE(f.highest, way);
      EXPECT_LE(f.fastest, 2.0 * (1.0 + 1e-9));
      // At the end a bit of the way, up to A T^2 / 4, comes with the last step.
      EXPECT_LE(f.hardest, 20.0 * (1.0 + 1e-9));
      const double cruise = 0.95 * 2.0;
      const double best = way > cruise * cruise / 20.0 ? way / cruise + cruise / 20.0 : 2.0 * std::sqrt(way / 20.0);
      EXPECT_LE(cycles * period_s, 1.02 * best + 5.0 * period_s) << way << " at " << period_s;
    }
  }
}

TEST(JointLimiter, ThenItPassesAgain) {
  Followed f = at_rest(0.0, limits_of(10.0, 3.0, 30.0));
  const auto given = [](double t) {
    return Point{1.0 + std::sin(2.0 * t), 2.0 * std::cos(2.0 * t), -4.0 * std::sin(2.0 * t)};
  };
  int limited = 0;
  for (int k = 0; k < 5000; ++k) {
    if (f.step(given(k * T)) == ReferenceLimit::none) continue;
    ++limited;
    ASSERT_LT(k, 1500);
  }
  EXPECT_GT(limited, 300);
  EXPECT_EQ(f.limiter.now().q, given(4999 * T).q);
  EXPECT_LE(f.fastest, 3.0);
  EXPECT_LE(f.hardest, 30.0 * (1.0 + 1e-9));
}

TEST(JointLimiter, PositionLimitsAreReachedAndNotPassed) {
  for (const double far : {1.5, 50.0, 1e300, -1e300}) {
    Followed f = at_rest(0.2, limits_of(1.0, 2.0, 20.0));
    ReferenceLimit limit = ReferenceLimit::none;
    for (int k = 0; k < 3000; ++k) limit = f.step({far, far, far});
    EXPECT_EQ(limit, ReferenceLimit::position);
    EXPECT_NEAR(f.limiter.now().q, far > 0.0 ? 1.0 : -1.0, 1e-12);
    EXPECT_LE(f.highest, 1.0);
    EXPECT_GE(f.lowest, -1.0);
    EXPECT_EQ(f.limiter.now().v, 0.0);
    EXPECT_EQ(f.limiter.now().a, 0.0);
    EXPECT_LE(f.hardest, 20.0 * (1.0 + 1e-9));
    // It does not stick there.
    int cycles = 0;
    while (f.step({0.0, 0.0, 0.0}) != ReferenceLimit::none && cycles < 3000) ++cycles;
    EXPECT_LT(cycles, 1000);
  }
}

// A velocity from which the joint cannot stop in time is limited before the position limit is reached.
TEST(JointLimiter, AStoppingDistanceIsLeft) {
  Followed f = at_rest(0.0, limits_of(1.0, 2.0, 4.0));
  double q = 0.0;
  Followed& g = f;
  bool cut = false;
  for (int k = 0; k < 4000; ++k) {
    const double v = std::min(1.5, 3.0 * k * T);
    q += v * T;
    cut = g.step({q, v, v < 1.5 ? 3.0 : 0.0}) == ReferenceLimit::position || cut;
  }
  EXPECT_TRUE(cut);
  EXPECT_LE(f.highest, 1.0);
  EXPECT_NEAR(f.limiter.now().q, 1.0, 1e-12);
  EXPECT_LE(f.hardest, 4.0 * 1.01);
}

TEST(JointLimiter, ATurntableTakesTheShortWayAndIsNotLostFarOut) {
  Followed f = at_rest(3.0, limits_of(MotionLimits::none, 2.0, 20.0));
  f.wraps = true;
  int cycles = 0;
  while (f.step({-3.0, 0.0, 0.0}) != ReferenceLimit::none && cycles < 3000) ++cycles;
  EXPECT_LT(cycles * T, 0.4);
  EXPECT_GE(f.lowest, -3.0);
  EXPECT_LE(f.highest, 2.0 * std::numbers::pi - 3.0);
  for (int k = 0; k < 6000; ++k) EXPECT_EQ(f.step({1e300, 0.0, 0.0}), ReferenceLimit::position);
  EXPECT_EQ(f.limiter.now().v, 0.0);
  EXPECT_LE(std::abs(f.limiter.now().q), 10.0);
}

// The arm is not at its reference: it brakes to rest from the measured state, without a jump of the position.
TEST(JointLimiter, StopsFromTheMeasuredStateWithoutALeap) {
  for (const double off : {-0.3, -3e-3, 1e-4, 0.5}) {
    const double v = 0.8;
    Followed f = at_rest(1.0, limits_of(10.0, 2.0, 20.0));
    f.limiter.restart(1.0 + off, v, false);
    double before = 1.0, largest = std::abs(f.limiter.now().q - before) - v * T;
    for (int k = 0; k < 400; ++k) {
      before = f.limiter.now().q;
      f.limiter.stop(f.limits, T);
      largest = std::max(largest, std::abs(f.limiter.now().q - before) - std::abs(f.limiter.now().v) * T);
    }
    EXPECT_LE(largest, 4.1e-3);
    EXPECT_NEAR(f.limiter.now().q, 1.0 + off + v * v / 40.0, 1e-3) << "from the measured position";
    EXPECT_EQ(f.limiter.now().v, 0.0);
  }
  Followed turntable = at_rest(0.1, limits_of(1e9, 2.0, 20.0));
  turntable.limiter.restart(0.1 + 2.0 * std::numbers::pi, 0.0, true);
  turntable.limiter.stop(turntable.limits, T);
  EXPECT_NEAR(turntable.limiter.now().q, 0.1 + 2.0 * std::numbers::pi, 1e-12) << "the same place";
}

TEST(JointLimiter, ComesToRestAndStays) {
  Followed f = at_rest(0.0, limits_of(1.0, 2.0, 10.0));
  f.limiter.reset(0.5, 2.0);
  for (int k = 0; k < 1000; ++k) {
    const Point before = f.limiter.now();
    f.limiter.stop(f.limits, T);
    f.note(before);
  }
  EXPECT_NEAR(f.limiter.now().q, 0.7, 1e-9);
  EXPECT_EQ(f.limiter.now().v, 0.0);
  f.limiter.reset(0.9, 2.0);  // too fast for the remaining distance: brakes harder, and not beyond the limit
  for (int k = 0; k < 1000; ++k) f.limiter.stop(f.limits, T);
  EXPECT_LE(f.limiter.now().q, 1.0);
  EXPECT_EQ(f.limiter.now().v, 0.0);
  f.limiter.reset(1.2, 1.0);  // outside already: it stops, and is brought back by a reference only
  for (int k = 0; k < 1000; ++k) f.limiter.stop(f.limits, T);
  EXPECT_NEAR(f.limiter.now().q, 1.25, 1e-9);
  for (int k = 0; k < 2000; ++k) (void)f.step({1.2, 0.0, 0.0});
  EXPECT_NEAR(f.limiter.now().q, 1.0, 1e-12);
}

// Random references, and limits that change from cycle to cycle.
TEST(JointLimiter, NothingGetsItBeyondTheLimits) {
  std::mt19937 random(11);
  const auto uniform = [&random](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int trial = 0; trial < 300; ++trial) {
    const double period_s = std::pow(10.0, uniform(-4.0, -2.0));
    const double reach = uniform(0.05, 3.0), velocity = uniform(0.2, 5.0), acceleration = uniform(1.0, 200.0);
    Followed f = at_rest(uniform(-reach, reach), limits_of(reach, velocity, acceleration));
    f.period_s = period_s;
    Point given;
    double drift = 0.0;
    for (int k = 0; k < 2000; ++k) {
      if (k % 50 == 0) {
        const int kind = static_cast<int>(uniform(0.0, 6.0));
        given = {uniform(-2.0, 2.0) * reach, kind > 2 ? uniform(-3.0, 3.0) * velocity : 0.0,
                 kind == 5 ? uniform(-3.0, 3.0) * acceleration : 0.0};
        drift = kind == 4 ? given.v : 0.0;
        if (kind == 3) given.q = std::copysign(std::pow(10.0, uniform(0.0, 308.0)), given.q);
      }
      given.q += drift * period_s;
      (void)f.step(given);
      if (::testing::Test::HasFatalFailure()) return;
    }
    EXPECT_LE(f.highest, reach + 1e-9);
    EXPECT_GE(f.lowest, -reach - 1e-9);
    EXPECT_LE(f.fastest, 2.0 * velocity + acceleration * period_s) << "one tolerated jump";
    EXPECT_LE(f.hardest, 3.0 * acceleration) << period_s;
  }
}

TEST(JointLimiter, SaysWhatItCut) {
  const MotionLimits limits = limits_of(1.0, 2.0, 3.0);
  EXPECT_EQ(
      describe(limits.cut(ReferenceLimit::position, {-5.0, 0.0, 0.0}, 1, 0), "elbow"),
      "the reference of joint 'elbow' (-5.000000) does not stop before the position limit -1.000000: it is held there");
  EXPECT_NE(describe(limits.cut(ReferenceLimit::position, {1e300, 0.0, 0.0}, 1, 0), "elbow").find("more than 1e9"),
            std::string::npos);
  EXPECT_NE(describe(limits.cut(ReferenceLimit::velocity, {0.0, 9.0, 0.0}, 1, 0), "elbow").find("9.0"),
            std::string::npos);
  EXPECT_NE(describe(limits.cut(ReferenceLimit::acceleration, {0.5, 0.0, 0.0}, 1, 0), "elbow").find("at most 3.0"),
            std::string::npos);
}

}  // namespace
}  // namespace dyn::control
