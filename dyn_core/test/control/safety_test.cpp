// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Faults: numbers that are not finite, a reference that stops coming.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "control/rig.hpp"

namespace dyn::control {
namespace {

using Mode = CycleReport::Mode;
const double nan = std::nan("");
constexpr double infinite = std::numeric_limits<double>::infinity();

struct Fault {
  const char* name;
  void (*put)(Rig&);
  void (*mend)(Rig&);
};
const std::vector<Fault> faults{
    {"position NaN", [](Rig& r) { r.q[1] = nan; }, [](Rig& r) { r.q[1] = 0.7; }},
    {"velocity infinite", [](Rig& r) { r.v[0] = infinite; }, [](Rig& r) { r.v[0] = 0.1; }},
    {"velocity so large that the result overflows", [](Rig& r) { r.v[1] = 1e200; }, [](Rig& r) { r.v[1] = 0.0; }}};

// The last good torque for hold_time, then gravity and damping, then an error; never anything that is not finite.
TEST(ControllerSafety, NumbersThatAreNotFiniteNeverReachTheMotors) {
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.name);
    Rig rig;
    rig.v = {0.1, 0.0, -0.2, 0.0, 0.0};
    rig.ref_q = {0.32, 0.69, 1.11};
    ASSERT_EQ(rig.steps(5).mode, Mode::tracking);
    const std::vector<double> good = rig.effort;
    const auto gravity = rig.gravity();
    const Dynamics model = rig.model();
    fault.put(rig);
    for (int k = 1; k <= 600; ++k) {
      const CycleReport report = rig.step();
      const Mode expected = k <= 50 ? Mode::holding_torque : k <= 500 ? Mode::safe_torque : Mode::failed;
      if (k != 50 && k != 500) {  // these two depend on rounding
        ASSERT_EQ(report.mode, expected) << "cycle " << k;
      }
      EXPECT_FALSE(report.status.ok());
      for (size_t i = 0; i < 3; ++i) {
        ASSERT_TRUE(std::isfinite(rig.effort[i]));
        if (k < 50) {
          EXPECT_EQ(rig.effort[i], good[i]) << "the last good torque";
        }
      }
      if (k > 50) {  // also a joint whose velocity is unknown or absurd has a torque within its limits
        const double damping = 40.0 * model.M()(2, 2) * rig.v[2];
        EXPECT_NEAR(rig.effort[2], gravity[2] - damping, 1e-9);
        for (size_t i = 0; i < 3; ++i) EXPECT_LE(std::abs(rig.effort[i]), 100.0);
      }
    }
    fault.mend(rig);
    EXPECT_EQ(rig.step().mode, Mode::tracking);
  }
}

TEST(ControllerSafety, AShortFaultIsBridged) {
  Rig rig;
  (void)rig.steps(3);
  for (int k = 0; k < 10; ++k) {  // hold_time starts anew each time
    rig.q[0] = nan;
    EXPECT_EQ(rig.steps(40).mode, Mode::holding_torque);
    rig.q[0] = 0.3;
    EXPECT_EQ(rig.step().mode, Mode::tracking);
  }
}

// Failure at once, so that brakes close before the arm has fallen far.
TEST(ControllerSafety, BeforeThereWasAGoodTorqueThereIsNone) {
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.name);
    Rig rig;
    fault.put(rig);
    for (int k = 0; k < 100; ++k) {
      EXPECT_EQ(rig.step().mode, Mode::failed);
      for (size_t i = 0; i < 3; ++i) EXPECT_EQ(rig.effort[i], 0.0);
    }
    fault.mend(rig);
    EXPECT_EQ(rig.step().mode, Mode::tracking);
  }
}

TEST(ControllerSafety, TheSafeTorqueLeavesGravityToADriveThatAddsIt) {
  Parameters p = plain_parameters();
  p.gravity_compensation = GravityCompensation::hardware;
  Rig rig(test::small_arm(), p);
  (void)rig.step();
  rig.q[0] = nan;
  EXPECT_EQ(rig.steps(60).mode, Mode::safe_torque);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(rig.effort[i], 0.0);
}

TEST(ControllerSafety, TheSafeTorqueHasTheLimitsToo) {
  Parameters p = plain_parameters();
  p.effort_limit = {0.0, 1.0, 0.0};
  Rig rig(test::small_arm(), p);
  ASSERT_LT(rig.gravity()[1], -1.0);
  (void)rig.step();
  rig.q[0] = nan;
  EXPECT_EQ(rig.steps(60).mode, Mode::safe_torque);
  EXPECT_EQ(rig.effort[1], -1.0);
}

// d is in N m s/rad for two laws, in 1/s for the others.
TEST(ControllerSafety, TheSafeTorqueDampsInTheUnitOfTheLaw) {
  for (const Law law :
       {Law::computed_torque, Law::feedforward, Law::gravity_compensation, Law::passivity, Law::adaptive}) {
    SCOPED_TRACE(static_cast<int>(law));
    Parameters p = plain_parameters();
    p.law = law;
    for (JointGains& gain : p.gains) gain.d = 4.0;
    Rig rig(test::small_arm(), p);
    rig.v = rig.ref_v = {0.0, 0.5, -0.2, 0.0, 0.0};
    (void)rig.step();
    const Dynamics model = rig.model();
    rig.q[0] = nan;
    EXPECT_EQ(rig.steps(60).mode, Mode::safe_torque);
    const bool torque = law == Law::feedforward || law == Law::gravity_compensation;
    for (const int i : {1, 2}) {
      ASSERT_GT(std::abs(model.M()(i, i) - 1.0), 0.1);
      const double damping = torque ? 4.0 : 4.0 * model.M()(i, i);
      EXPECT_NEAR(rig.effort[i], model.g()[i] - damping * rig.v[i], 1e-9) << i;
    }
  }
}

// The rate limit counts from the torque that was commanded last, which is the safe one; the step to that one is free.
TEST(ControllerSafety, TheRateLimitCountsFromTheSafeTorque) {
  Parameters p = plain_parameters();
  p.effort_rate_limit = 1000.0;
  Rig rig(test::small_arm(), p);
  rig.ref_q[0] += 0.2;
  (void)rig.steps(100);
  ASSERT_GT(rig.effort[0], 80.0);
  rig.q[1] = nan;
  EXPECT_EQ(rig.steps(40).mode, Mode::holding_torque);
  EXPECT_GT(rig.effort[0], 80.0);
  EXPECT_EQ(rig.steps(60).mode, Mode::safe_torque);
  const std::vector<double> safe = rig.effort;
  EXPECT_NEAR(safe[0], 0.0, 1e-9) << "a vertical axis";
  rig.q[1] = 0.7;
  for (int k = 1; k <= 20; ++k) {
    ASSERT_EQ(rig.step().mode, Mode::tracking);
    for (size_t i = 0; i < 3; ++i) ASSERT_LE(std::abs(rig.effort[i] - safe[i]), 1.0 * k + 1e-9) << k << ", joint " << i;
  }
}

TEST(ControllerSafety, PassiveJointsStayWithoutTorque) {
  Rig rig(test::small_arm(), plain_parameters(), {"joint2"});
  (void)rig.live.attach(test::bucket("bucket"), 0.0);
  (void)rig.steps(3);
  rig.v[0] = nan;
  for (int k = 0; k < 600; ++k) {
    (void)rig.step();
    EXPECT_EQ(rig.effort[1], 0.0);
    EXPECT_EQ(rig.effort[3], 0.0);
  }
}

// The arm follows the controller's own reference here: it comes to rest, without a kick, and stays.
TEST(ControllerSafety, AReferenceThatStopsComingIsBroughtToRest) {
  Rig rig;
  Dynamics plant(rig.live.newest_model());
  std::vector<double> a(3);
  const auto drive = [&](bool fresh) {
    rig.fresh = fresh;
    const CycleReport report = rig.step();
    EXPECT_TRUE(plant.update(std::span(rig.q.data(), 3), std::span(rig.v.data(), 3)).ok());
    EXPECT_TRUE(plant.forward(std::span(rig.effort.data(), 3), a).ok());
    for (size_t i = 0; i < 3; ++i) {
      rig.v[i] += a[i] * period_s;
      rig.q[i] += rig.v[i] * period_s;
      if (fresh) rig.ref_q[i] += rig.ref_v[i] * period_s;
    }
    return report;
  };
  for (double& v : rig.ref_v) v = 0.5;
  for (int k = 0; k < 500; ++k) ASSERT_EQ(drive(true).mode, Mode::tracking);
  const double usual = *std::max_element(rig.effort.begin(), rig.effort.begin() + 3);
  for (int k = 0; k < 99; ++k) ASSERT_EQ(drive(false).mode, Mode::tracking) << "within reference_timeout";
  for (int k = 0; k < 2; ++k) (void)drive(false);
  for (int k = 0; k < 1500; ++k) {
    ASSERT_EQ(drive(false).mode, Mode::holding_reference);
    for (size_t i = 0; i < 3; ++i) EXPECT_LT(std::abs(rig.effort[i]), usual + 40.0);
  }
  for (size_t i = 0; i < 3; ++i) EXPECT_LT(std::abs(rig.v[i]), 1e-4);
  const std::vector<double> resting = rig.q;
  for (int k = 0; k < 500; ++k) (void)drive(false);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(rig.q[i], resting[i], 1e-4);
  rig.ref_q = rig.q;
  EXPECT_EQ(drive(true).mode, Mode::tracking);
}

TEST(ControllerSafety, ATimeoutOfZeroWaitsForEver) {
  Parameters p = plain_parameters();
  p.reference_timeout_s = 0.0;
  Rig rig(test::small_arm(), p);
  rig.fresh = false;
  EXPECT_EQ(rig.steps(2000).mode, Mode::tracking);
}

// 3 kg are attached to model and arm at once: no external torque, whatever dM v is. Then an external force acts.
TEST(ControllerSafety, AModelThatChangesIsNoForceFromOutside) {
  Parameters p = plain_parameters();
  p.collision_threshold = 1.0;
  Rig rig(test::small_arm(), p);
  std::vector<double> a(5);
  double push = 0.0, worst = 0.0;
  int cycle = 0;
  for (size_t i = 0; i < 3; ++i) rig.v[i] = rig.ref_v[i] = 1.0;
  const auto drive = [&] {
    const CycleReport report = rig.step();
    Dynamics plant = rig.model();
    std::vector<double> tau(rig.effort.begin(), rig.effort.begin() + plant.model().coordinates());
    tau[1] += push;
    EXPECT_TRUE(plant.forward(tau, std::span(a.data(), tau.size())).ok());
    for (size_t i = 0; i < tau.size(); ++i) {
      rig.v[i] += a[i] * period_s;
      rig.q[i] += rig.v[i] * period_s;
    }
    const double t = period_s * ++cycle;
    for (size_t i = 0; i < 3; ++i) {
      rig.ref_q[i] = 0.3 + 0.4 * static_cast<double>(i) + 0.5 * std::sin(2.0 * t);
      rig.ref_v[i] = std::cos(2.0 * t);
      rig.ref_a[i] = -2.0 * std::sin(2.0 * t);
    }
    for (size_t i = 0; i < 3; ++i) worst = std::max(worst, std::abs(rig.controller.terms().external[i]));
    return report.collision;
  };
  const auto run = [&](int cycles, const char* what) {
    bool collision = false;
    worst = 0.0;
    for (int k = 0; k < cycles; ++k) collision = drive() || collision;
    EXPECT_FALSE(collision) << what << ": " << worst << " N m";
  };
  run(300, "nothing");
  (void)rig.live.attach(test::box("box", 3.0), 0.0);
  run(300, "attach");
  (void)rig.live.detach("box", 0.0);
  run(300, "detach");
  (void)rig.live.attach(test::bucket("bucket"), 0.0);
  run(300, "a chain comes");
  (void)rig.live.detach("bucket", 0.0);
  run(300, "a chain goes");
  rig.live.set_coriolis("kronecker");
  run(100, "swap");
  push = 5.0;
  int seen = 0;
  while (seen < 100 && !drive()) ++seen;
  EXPECT_LT(seen, 20) << "5 N m are seen within 20 ms";
}

// The arm is 0.1 rad/s slower than its reference, at which feedforward evaluates the model, and a chain is detached.
TEST(ControllerSafety, AModelThatChangesBehindTheReferenceIsNoForceEither) {
  Parameters p = plain_parameters();
  p.law = Law::feedforward;
  Rig rig(test::small_arm(), p);
  (void)rig.live.attach(test::bucket("bucket"), 0.0);
  for (size_t i = 0; i < 3; ++i) {
    rig.v[i] = 1.0;
    rig.ref_v[i] = 1.1;
  }
  const auto move = [&] {
    (void)rig.step();
    for (size_t i = 0; i < 3; ++i) {
      rig.q[i] += rig.v[i] * period_s;
      rig.ref_q[i] += rig.ref_v[i] * period_s;
    }
  };
  for (int k = 0; k < 20; ++k) move();
  const std::vector<double> before = rig.controller.terms().external;
  (void)rig.live.detach("bucket", 0.0);
  for (int k = 0; k < 2; ++k) move();
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(rig.controller.terms().external[i], before[i], 1.0) << i;
}

}  // namespace
}  // namespace dyn::control
