// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// References that no arm can follow, in a closed loop with the native plant: the arm stays within its limits of
// position, velocity and torque, and the controller goes on.
#include <gtest/gtest.h>

#include <functional>

#include "closed_loop.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_sim/precision.hpp"

namespace dyn::sim {
namespace {

using control::CycleReport;
using control::ReferenceLimit;
using test::ClosedLoop;
using Mode = CycleReport::Mode;

const Point home{0.2, 0.4, -0.1, 0.8, 0.3, 0.5, 0.0};

// arm7 as it is, with its limits, friction and end stops.
ArmConfig real_arm7() {
  ArmConfig arm = arm7_moves(1000.0, 0.5).arms.front();
  arm.description = load_robot("arm7");
  arm.plant.limits = true;
  arm.plant.friction = true;
  arm.plant.tolerance = 1e-7;
  return arm;
}

// Any function of time; the velocities and accelerations are what it says, sensible or not.
class Written final : public Trajectory {
 public:
  using Write = std::function<void(double, std::span<double>, std::span<double>, std::span<double>)>;
  explicit Written(Write write) : write_(std::move(write)) {}
  [[nodiscard]] double duration_s() const noexcept override { return 1e9; }
  void sample(double time_s, std::span<double> q, std::span<double> v, std::span<double> a) const noexcept override {
    write_(time_s, q, v, a);
  }

 private:
  Write write_;
};

std::shared_ptr<const Trajectory> jump(double at_s, const std::function<void(std::span<double>)>& to) {
  return std::make_shared<Written>([at_s, to](double t, std::span<double> q, std::span<double> v, std::span<double> a) {
    std::copy(home.begin(), home.end(), q.begin());
    std::fill(v.begin(), v.end(), 0.0);
    std::fill(a.begin(), a.end(), 0.0);
    if (t >= at_s) to(q);
  });
}

// A loop that looks at its plant.
struct Watched : ClosedLoop {
  explicit Watched(const ArmConfig& config) : ClosedLoop(config) {
    for (const Joint& joint : live.newest_model()->joints()) limits.push_back(*joint.description.limits);
  }
  CycleReport watch(bool as_source = false) {
    CycleReport report;
    if (as_source) {
      time_s = static_cast<double>(cycle++) * period_s;
      sample(time_s);
      ahead.time_s = time_s;
      ahead.trajectory = arm.trajectory.get();
      report = controller.step({plant->q(), plant->v()}, {ref_q, ref_v, ref_a, fresh, &ahead}, effort);
      plant->advance({effort.data(), plant->q().size()}, period_s);
    } else {
      report = step();
    }
    for (size_t i = 0; i < n; ++i) {
      beyond = std::max({beyond, plant->q()[i] - limits[i].upper, limits[i].lower - plant->q()[i]});
      fastest = std::max(fastest, std::abs(plant->v()[i]) / limits[i].velocity);
      strongest = std::max(strongest, std::abs(effort[i]) / limits[i].effort);
      EXPECT_TRUE(std::isfinite(plant->q()[i]) && std::isfinite(effort[i])) << time_s;
    }
    EXPECT_NE(report.mode, Mode::failed) << time_s;
    return report;
  }
  CycleReport watch_for(double seconds, bool as_source = false) {
    CycleReport report;
    for (int k = 0; k < static_cast<int>(std::lround(seconds / period_s)); ++k) report = watch(as_source);
    return report;
  }
  void expect_within() const {
    EXPECT_LE(beyond, 1e-6) << "the end stop";
    EXPECT_LE(fastest, 1.0);
    EXPECT_LE(strongest, 1.0);
  }

  struct Ahead final : control::ReferenceSource {
    void sample(double ahead_s, std::span<double> q, std::span<double> v, std::span<double> a) const noexcept override {
      trajectory->sample(time_s + ahead_s, q, v, a);
    }
    const Trajectory* trajectory = nullptr;
    double time_s = 0.0;
  } ahead;
  std::vector<JointLimits> limits;
  double beyond = -1e9, fastest = 0.0, strongest = 0.0;
  bool fresh = true;
};

TEST(ReferenceLimits, OneMessageOf50RadLeavesTheArmWithinItsLimits) {
  for (const bool as_source : {false, true}) {
    for (const size_t joint : {0U, 1U, 3U, 6U}) {
      for (const double far : {50.0, -50.0, joint == 1 ? 1e300 : -1e300}) {
        SCOPED_TRACE(std::to_string(joint) + (as_source ? " as source " : " ") + std::to_string(far > 0.0));
        ArmConfig arm = real_arm7();
        arm.trajectory = jump(0.1, [=](std::span<double> q) { q[joint] = far; });
        Watched loop(arm);
        const CycleReport report = loop.watch_for(2.5, as_source);
        loop.expect_within();
        EXPECT_EQ(report.mode, Mode::tracking);
        EXPECT_TRUE(report.reference_limited);
        EXPECT_EQ(report.reference_cut.count, 1U);
        EXPECT_EQ(report.reference_cut.coordinate, static_cast<int>(joint));
        EXPECT_EQ(report.reference_cut.limit, ReferenceLimit::position);
        const double limit = far > 0.0 ? loop.limits[joint].upper : loop.limits[joint].lower;
        EXPECT_EQ(report.reference_cut.limit_value, limit);
        EXPECT_NEAR(loop.plant->q()[joint], limit, 0.05) << "it went as far as it may";
        EXPECT_NEAR(loop.controller.reference().q[joint], limit, 1e-12);
      }
    }
  }
}

TEST(ReferenceLimits, AllJointsAtOnceThereAndBack) {
  ArmConfig arm = real_arm7();
  arm.trajectory = jump(0.1, [](std::span<double> q) { std::fill(q.begin(), q.end(), 50.0); });
  const auto there = arm.trajectory;
  arm.trajectory =
      std::make_shared<Written>([there](double t, std::span<double> q, std::span<double> v, std::span<double> a) {
        there->sample(t < 4.0 ? t : 0.0, q, v, a);
      });
  Watched loop(arm);
  EXPECT_TRUE(loop.watch_for(3.9).reference_limited);
  const CycleReport report = loop.watch_for(4.0);
  loop.expect_within();
  EXPECT_FALSE(report.reference_limited);
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(loop.controller.reference().q[i], home[i]) << "to the bit";
}

// As joint_trajectory_controller gives a goal of 8 rad: a smooth motion, of which the joint can go only a part.
TEST(ReferenceLimits, AGoalOf8RadStopsAtTheLimit) {
  for (const bool as_source : {false, true}) {
    ArmConfig arm = real_arm7();
    Point goal = home;
    goal[1] = 8.0;
    arm.trajectory = make_timed_quintic({home, goal}, 9.0);
    Watched loop(arm);
    const CycleReport report = loop.watch_for(10.0, as_source);
    loop.expect_within();
    EXPECT_EQ(report.reference_cut.count, 1U);
    EXPECT_EQ(report.reference_cut.coordinate, 1);
    EXPECT_EQ(report.reference_cut.limit, ReferenceLimit::position);
    EXPECT_NEAR(loop.plant->q()[1], loop.limits[1].upper, 0.05);
    for (const size_t other : {0U, 2U, 3U, 4U, 5U, 6U}) EXPECT_EQ(loop.controller.reference().q[other], home[other]);
  }
}

TEST(ReferenceLimits, AbsurdVelocitiesAndAccelerationsArePoliteToo) {
  for (const double absurd : {1e3, 1e18, 1e300, -1e300, 1.7e308}) {
    for (const int which : {0, 1, 2}) {
      SCOPED_TRACE(std::to_string(absurd) + " in " + std::to_string(which));
      ArmConfig arm = real_arm7();
      arm.trajectory =
          std::make_shared<Written>([=](double t, std::span<double> q, std::span<double> v, std::span<double> a) {
            std::copy(home.begin(), home.end(), q.begin());
            std::fill(v.begin(), v.end(), 0.0);
            std::fill(a.begin(), a.end(), 0.0);
            const std::span<double> replaced = which == 0 ? q : which == 1 ? v : a;
            if (t > 0.1 && t < 2.0) std::fill(replaced.begin(), replaced.end(), absurd);
          });
      Watched loop(arm);
      (void)loop.watch_for(1.5);
      loop.expect_within();
      EXPECT_FALSE(loop.watch_for(2.5).reference_limited);
      loop.expect_within();
      EXPECT_NEAR(loop.plant->q()[3], home[3], 0.05);
    }
  }
}

// A motion within the limits: with them the torques are those without any, to the bit.
TEST(ReferenceLimits, WhatIsWithinThemPassesToTheBit) {
  for (const bool as_source : {false, true}) {
    ArmConfig limited = arm7_moves(1000.0, 0.5).arms.front();
    limited.description = load_robot("arm7");
    ArmConfig free = limited;
    for (JointDescription& joint : free.description.joints) {
      if (joint.limits) joint.limits = JointLimits{-1e3, 1e3, true, 1e3, joint.limits->effort};
    }
    free.controller.acceleration_limit.assign(7, 1e6);
    Watched one(limited), other(free);
    for (int k = 0; k < 7000; ++k) {
      const CycleReport report = one.watch(as_source);
      (void)other.watch(as_source);
      ASSERT_FALSE(report.reference_limited) << one.time_s << describe(report.reference_cut, "x");
      for (size_t i = 0; i < 7; ++i) ASSERT_EQ(one.effort[i], other.effort[i]) << one.time_s;
    }
    EXPECT_EQ(one.watch(as_source).reference_cut.count, 0U);
  }
}

// Out of reach of the reference, at speed: the arm stops where it is.
TEST(ReferenceLimits, ALostReferenceStopsTheArmFromItsMeasuredState) {
  for (const bool by_fallback : {false, true}) {
    ArmConfig arm = real_arm7();
    arm.trajectory = jump(0.1, [](std::span<double> q) { q[0] = -50.0; });
    Watched loop(arm);
    (void)loop.watch_for(1.0, true);
    const double q = loop.plant->q()[0];
    const double v = loop.plant->v()[0];
    ASSERT_LT(v, -1.0);
    loop.fresh = false;
    if (by_fallback) loop.live.request_fallback({-1, -1, true});
    const CycleReport report = loop.watch_for(3.0, true);
    EXPECT_EQ(report.mode, Mode::holding_reference);
    EXPECT_EQ(report.fallback, by_fallback);
    const double rest = loop.plant->q()[0];
    EXPECT_LT(rest, q);
    EXPECT_GT(rest, q - (by_fallback ? 0.0 : 0.2) - 0.5) << "0.1 s of reference_timeout, then at once";
    EXPECT_NEAR(loop.plant->v()[0], 0.0, 1e-3);
    (void)loop.watch_for(1.0, true);
    EXPECT_NEAR(loop.plant->q()[0], rest, 1e-3) << "and stays there";
    loop.expect_within();
  }
}

// It starts where the arm is, also where that moves, and the reference is somewhere else.
TEST(ReferenceLimits, ActivationIsNoLeap) {
  ArmConfig arm = real_arm7();
  arm.trajectory = jump(0.0, [](std::span<double> q) { q[0] = -1.0; });
  Watched loop(arm);
  Point start = home, speed(7, 0.0);
  speed[0] = 1.0;
  loop.plant->reset(start, speed);
  loop.controller.activate({loop.plant->q(), loop.plant->v()});
  double v = 1.0;
  for (int k = 0; k < 4000; ++k) {
    (void)loop.watch();
    EXPECT_LE(std::abs(loop.plant->v()[0] - v), 0.15) << "with half of what joint1 has";
    v = loop.plant->v()[0];
  }
  loop.expect_within();
  EXPECT_NEAR(loop.plant->q()[0], -1.0, 0.02);
}

// Sensors with noise and drives with a delay: no limit cycle at a limit, nothing beyond but what the noise makes.
TEST(ReferenceLimits, NoiseAndDelayMakeNoChatter) {
  ArmConfig arm = real_arm7();
  arm.plant.delay_cycles = 1;
  arm.plant.noise = {1e-5, 1e-3, 0.0, 0.0, 0.0};
  arm.controller.prediction = 1.5;
  arm.trajectory = jump(0.1, [](std::span<double> q) { q[1] = 50.0; });
  Watched loop(arm);
  std::vector<double> q(7), v(7);
  const auto noisy = [&] {
    loop.plant->measure(q, v);
    const auto report = loop.controller.step({q, v}, {loop.ref_q, loop.ref_v, loop.ref_a}, loop.effort);
    loop.plant->advance({loop.effort.data(), 7}, loop.period_s);
    return report;
  };
  loop.sample(1.0);
  for (int k = 0; k < 4000; ++k) (void)noisy();
  double lowest = 1e9, highest = -1e9;
  for (int k = 0; k < 1000; ++k) {
    (void)noisy();
    EXPECT_EQ(loop.controller.reference().a[1], 0.0);
    lowest = std::min(lowest, loop.plant->q()[1]);
    highest = std::max(highest, loop.plant->q()[1]);
  }
  EXPECT_LT(highest - lowest, 1e-3);
  EXPECT_LT(highest, loop.limits[1].upper + 1e-3);
}

}  // namespace
}  // namespace dyn::sim
