// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One control cycle: which torque, in which mode, within which bounds; and parameters that change while it runs.
#include "dyn_core/control/controller.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "control/rig.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/registry.hpp"

namespace dyn::control {
namespace {

using Mode = CycleReport::Mode;
constexpr double infinite = std::numeric_limits<double>::infinity();

void expect_torque(const Rig& rig, const std::vector<double>& expected, double tolerance = 1e-11) {
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(rig.effort[i], expected[i], tolerance) << "joint " << i;
}

TEST(Controller, ComputedTorqueIsTheInverseDynamicsOfTheWantedAcceleration) {
  Rig rig;
  rig.v = {0.5, -0.3, 0.2, 0.0, 0.0};
  rig.ref_q = {0.31, 0.68, 1.12};
  rig.ref_v = {0.6, -0.35, 0.1};
  rig.ref_a = {1.0, 2.0, -3.0};
  const CycleReport report = rig.step();
  EXPECT_EQ(report.mode, Mode::tracking);
  EXPECT_TRUE(report.status.ok());
  EXPECT_FALSE(report.saturated);
  std::vector<double> a(3);
  for (size_t i = 0; i < 3; ++i) {
    a[i] = rig.ref_a[i] + 400.0 * (rig.ref_q[i] - rig.q[i]) + 40.0 * (rig.ref_v[i] - rig.v[i]);
  }
  expect_torque(rig, rig.torque_for(a));
  const Terms& terms = rig.controller.terms();
  for (size_t i = 0; i < 3; ++i) {
    const double sum = terms.inertia[i] + terms.coriolis[i] + terms.gravity[i] + terms.friction[i] + terms.feedback[i];
    EXPECT_NEAR(terms.demanded[i], sum, 1e-12);
    EXPECT_EQ(terms.applied[i], rig.effort[i]);
  }
}

TEST(Controller, ASwapToAnyAlgorithmLeavesTheTorque) {
  const RobotDescription robot = load_robot("arm7");
  Rig rig(robot, plain_parameters(7));
  (void)rig.live.attach(test::box("box", 3.0, robot.links.back().name), 0.0);
  for (size_t i = 0; i < 7; ++i) {
    rig.v[i] = 0.4 - 0.2 * static_cast<double>(i);
    rig.ref_v[i] = rig.v[i] + 0.01;
    rig.ref_a[i] = 1.0 - 0.3 * static_cast<double>(i);
  }
  (void)rig.step();
  const std::vector<double> before = rig.effort;
  double largest = 0.0;
  for (const double tau : before) largest = std::max(largest, std::abs(tau));
  for (const std::string_view jsim : AlgorithmList<JsimAlgorithms<double>>::names) {
    rig.live.set_jsim(jsim);
    for (const std::string_view coriolis : AlgorithmList<CoriolisAlgorithms<double>>::names) {
      rig.live.set_coriolis(coriolis);
      rig.active = false;  // the same reference again would stand
      const CycleReport report = rig.step();
      EXPECT_EQ(report.algorithms.jsim, AlgorithmIndex::find_jsim(jsim));
      EXPECT_EQ(report.algorithms.coriolis, AlgorithmIndex::find_coriolis(coriolis));
      for (size_t i = 0; i < 7; ++i) EXPECT_NEAR(rig.effort[i], before[i], 1e-9 * largest) << jsim << ' ' << coriolis;
    }
  }
}

TEST(Controller, GravityMayBeLeftToTheDrive) {
  Rig rig;
  (void)rig.step();
  expect_torque(rig, rig.gravity());
  for (const auto other : {GravityCompensation::none, GravityCompensation::hardware}) {
    Parameters p = plain_parameters();
    p.gravity_compensation = other;
    rig.controller.set_parameters(p);
    (void)rig.step();
    expect_torque(rig, {0.0, 0.0, 0.0});
  }
}

// With a moving base the direction of gravity is given each cycle.
TEST(Controller, GravityMayComeWithTheState) {
  Rig rig;
  const Vec3d sideways{9.81, 0.0, 0.0};
  rig.controller.activate({rig.q, rig.v});
  const auto step = [&](const Vec3d& gravity) {
    return rig.controller.step({rig.q, rig.v, &gravity}, {rig.ref_q, rig.ref_v, rig.ref_a}, rig.effort);
  };
  EXPECT_TRUE(step(sideways).status.ok());
  Dynamics dynamics(rig.live.newest_model());
  dynamics.set_gravity(sideways);
  ASSERT_TRUE(dynamics.update(std::span(rig.q.data(), 3), std::span(rig.v.data(), 3)).ok());
  const std::vector<double> expected(dynamics.g().data(), dynamics.g().data() + 3);
  expect_torque(rig, expected);
  EXPECT_FALSE(step({infinite, 0.0, 0.0}).status.ok());
  expect_torque(rig, expected);  // held
  (void)rig.step();
  expect_torque(rig, rig.gravity());
  (void)step(sideways);
  rig.live.set_gravity({0.0, 0.0, -1.62});
  (void)step(sideways);
  expect_torque(rig, expected);
  (void)rig.step();
  EXPECT_NEAR(rig.effort[1], rig.gravity()[1] * 1.62 / 9.81, 1e-9) << "the newest one of the live model";
}

TEST(Controller, FrictionOfTheReferenceIsMadeUpFor) {
  RobotDescription robot = test::small_arm();
  robot.joints[1].damping = 2.0;
  robot.joints[1].friction = 3.0;
  Parameters p = plain_parameters();
  p.friction_compensation = true;
  Rig rig(robot, p);
  rig.v[1] = rig.ref_v[1] = 0.5;
  (void)rig.step();
  EXPECT_NEAR(rig.controller.terms().friction[1], 2.0 * 0.5 + 3.0, 1e-9);
  EXPECT_EQ(rig.controller.terms().friction[0], 0.0);
  auto expected = rig.torque_for({0.0, 0.0, 0.0});
  expected[1] += 4.0;
  expect_torque(rig, expected, 1e-9);
}

TEST(Controller, AContinuousJointTakesTheShortWayRound) {
  RobotDescription robot = test::small_arm();
  robot.joints[0].type = JointType::continuous;
  for (const double turns : {0.0, 10.0, -7.0}) {
    Rig rig(robot);
    rig.q[0] = 3.1 + turns * 2.0 * std::numbers::pi;
    rig.ref_q[0] = -3.1;
    (void)rig.step();
    EXPECT_NEAR(rig.controller.terms().position_error[0], 2.0 * std::numbers::pi - 6.2, 1e-12) << turns;
  }
  Rig rig;  // the first joint is one with limits here: it may not go through pi
  rig.q[0] = 3.1;
  rig.ref_q[0] = -3.1;
  (void)rig.step();
  EXPECT_NEAR(rig.controller.terms().position_error[0], -6.2, 1e-12);
}

TEST(Controller, RampInBringsTheFeedbackSmoothly) {
  Parameters p = plain_parameters();
  p.ramp_in_s = 0.1;
  Rig rig(test::small_arm(), p);
  rig.ref_q[0] = rig.q[0] + 0.01;
  std::vector<double> feedback;
  for (int k = 0; k < 120; ++k) {
    (void)rig.step();
    feedback.push_back(rig.controller.terms().feedback[0]);
  }
  const double all = feedback.back();
  EXPECT_NEAR(all, rig.model().M()(0, 0) * 400.0 * 0.01, 1e-9);
  for (size_t k = 0; k < 120; ++k) {
    const double x = std::min(1.0, static_cast<double>(k) / 100.0);
    EXPECT_NEAR(feedback[k], all * x * x * (3.0 - 2.0 * x), 1e-9 * all) << k;
  }
}

TEST(Controller, TorqueStaysWithinItsLimits) {
  Parameters p = plain_parameters();
  p.effort_limit_scale = 0.5;
  Rig rig(test::small_arm(), p);
  rig.ref_q = {2.0, -2.0, 2.0};
  const CycleReport report = rig.step();
  EXPECT_TRUE(report.saturated);
  EXPECT_EQ(rig.effort[0], 50.0);
  EXPECT_EQ(rig.effort[1], -50.0);
  EXPECT_GT(rig.controller.terms().demanded[0], 50.0) << "`demanded` is before limits";
  p.effort_limit_scale = 0.0;
  rig.controller.set_parameters(p);
  (void)rig.step();
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(rig.effort[i], 0.0);
}

// Where the URDF has no limit, the parameter says one; where both do, the smaller counts, and a URDF's 0 stays 0.
TEST(Controller, EveryJointThatIsDrivenHasAnEffortLimit) {
  RobotDescription robot = test::small_arm();
  robot.joints[1].type = JointType::continuous;
  robot.joints[1].limits.reset();
  try {
    const Rig rig(robot);
    ADD_FAILURE() << "torque without bound";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("joint 'joint2' has no effort limit"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(Rig(robot, plain_parameters(), {"joint2"})) << "a passive joint needs no effort limit";

  robot.joints[2].limits->effort = 0.0;
  Parameters p = plain_parameters();
  p.effort_limit = {30.0, 20.0, 10.0};
  Rig rig(robot, p);
  rig.ref_q = {2.0, -2.0, 2.0};
  const auto expect_limits = [&rig](double first, double second) {
    (void)rig.steps(300);
    EXPECT_EQ(std::abs(rig.effort[0]), first);
    EXPECT_EQ(std::abs(rig.effort[1]), second);
    EXPECT_EQ(rig.effort[2], 0.0);
  };
  expect_limits(30.0, 20.0);
  p.effort_limit = {1000.0, 20.0, 0.0};
  p.effort_limit_scale = 0.5;
  rig.controller.set_parameters(p);
  expect_limits(50.0, 10.0);
  p.effort_limit.clear();
  EXPECT_THROW(rig.controller.set_parameters(p), ModelError);
  expect_limits(50.0, 10.0);
}

// Large noise and absurd gains: the commanded effort stays within the limits.
TEST(Controller, GainsBeyondReasonStayWithinTheLimits) {
  Parameters p = plain_parameters(3);
  p.gains.assign(3, {1e6, 1e4, 0.0, 0.0});
  Rig rig(load_robot("planar3"), p);
  for (int k = 0; k < 200; ++k) {
    for (size_t i = 0; i < 3; ++i) rig.v[i] = (k % 2 == 0 ? 1e-4 : -1e-4) / period_s;
    (void)rig.step();
    const std::vector<double> limits{150.0, 60.0, 20.0};
    for (size_t i = 0; i < 3; ++i) ASSERT_LE(std::abs(rig.effort[i]), limits[i]);
  }
}

TEST(Controller, TorqueChangesOnlySoFast) {
  Parameters p = plain_parameters();
  p.effort_rate_limit = 1000.0;  // 1 N m a cycle
  Rig rig(test::small_arm(), p);
  (void)rig.step();
  std::vector<double> last = rig.effort;
  rig.ref_q = {0.5, 0.5, 1.3};
  for (int k = 0; k < 40; ++k) {
    const CycleReport report = rig.step();
    for (size_t i = 0; i < 3; ++i) EXPECT_LE(std::abs(rig.effort[i] - last[i]), 1.0 + 1e-12);
    EXPECT_TRUE(report.saturated || k > 5);
    last = rig.effort;
  }
  p.effort_limit_scale = 0.01;  // 1 N m: the limit itself comes before the rate
  rig.controller.set_parameters(p);
  (void)rig.step();
  for (size_t i = 0; i < 3; ++i) EXPECT_LE(std::abs(rig.effort[i]), 1.0);
}

TEST(Controller, IntegralsDoNotWindUpAtALimit) {
  Parameters p = plain_parameters();
  for (auto& gains : p.gains) gains = {400.0, 40.0, 1000.0, 1e6};
  Rig saturated(test::small_arm(), p), rested(test::small_arm(), p);
  saturated.ref_q[0] = saturated.q[0] + 2.0;  // far beyond what the motor has
  EXPECT_TRUE(saturated.steps(1000).saturated);
  (void)rested.step();
  for (Rig* rig : {&saturated, &rested}) {
    rig->ref_q[0] = rig->q[0] - 0.001;
    (void)rig->step();
  }
  EXPECT_NEAR(saturated.effort[0], rested.effort[0], 1e-9);
  rested.steps(999);  // within its limits it does integrate: 1000 * 0.001 * 1 s more
  EXPECT_NEAR(rested.effort[0] - saturated.effort[0], -0.999 * rested.model().M()(0, 0), 1e-6);
}

TEST(Controller, IntegralsHaveABound) {
  Parameters p = plain_parameters();
  for (auto& gains : p.gains) gains = {0.0, 0.0, 1000.0, 0.5};
  Rig rig(test::small_arm(), p);
  rig.ref_q[0] = rig.q[0] + 0.01;
  (void)rig.steps(1000);
  EXPECT_NEAR(rig.controller.terms().feedback[0], 0.5 * rig.model().M()(0, 0), 1e-9);
}

TEST(Controller, PassiveJointsAreLeftAlone) {
  Rig rig(test::small_arm(), plain_parameters(), {"joint2"});
  rig.v = {0.2, 0.7, -0.4, 0.0, 0.0};
  rig.ref_q = {0.35, 9.0, 1.0};  // the reference of a passive joint is ignored
  rig.ref_a = {1.0, 100.0, -2.0};
  (void)rig.step();
  EXPECT_EQ(rig.effort[1], 0.0);
  Dynamics model = rig.model();
  std::vector<double> a(3);
  ASSERT_TRUE(model.forward(std::span(rig.effort.data(), 3), a).ok());
  for (const size_t i : {0U, 2U}) {
    EXPECT_NEAR(a[i], rig.ref_a[i] + 400.0 * (rig.ref_q[i] - rig.q[i]) + 40.0 * (rig.ref_v[i] - rig.v[i]), 1e-9);
  }
  EXPECT_THROW(Rig(test::small_arm(), plain_parameters(), {"elbow"}), ModelError);
}

TEST(Controller, AChainThatIsPickedUpIsPassive) {
  Rig rig;
  (void)rig.step();
  (void)rig.live.attach(test::bucket("bucket"), 0.0);
  rig.q[3] = 0.4;
  rig.v[3] = 1.0;
  rig.ref_a = {1.0, -1.0, 2.0};
  const CycleReport report = rig.step();
  EXPECT_EQ(report.generation, 1U);
  EXPECT_EQ(rig.effort[3], 0.0);
  Dynamics model = rig.model();
  std::vector<double> a(4);
  ASSERT_TRUE(model.forward(std::span(rig.effort.data(), 4), a).ok());
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i], rig.ref_a[i], 1e-9);
  (void)rig.live.detach("bucket", 0.0);
  rig.active = false;  // the same reference again would stand
  (void)rig.step();
  expect_torque(rig, rig.torque_for({1.0, -1.0, 2.0}));
}

TEST(Controller, ParametersChangeAllAtOnceOrNotAtAll) {
  Rig rig;
  rig.ref_q[0] = rig.q[0] + 0.001;
  (void)rig.step();
  const double before = rig.controller.terms().feedback[0];
  Parameters p = plain_parameters();
  p.gains[0].p = 800.0;
  rig.controller.set_parameters(p);
  (void)rig.step();
  EXPECT_NEAR(rig.controller.terms().feedback[0], 2.0 * before, 1e-12);
  p.gains[0].p = 1600.0;
  auto ready = rig.controller.ready(p);
  (void)rig.step();
  EXPECT_NEAR(rig.controller.terms().feedback[0], 2.0 * before, 1e-12);
  rig.controller.apply(std::move(ready));
  (void)rig.step();
  EXPECT_NEAR(rig.controller.terms().feedback[0], 4.0 * before, 1e-12);
  rig.controller.collect();
  p.gains[0].p = 400.0;
  auto older = rig.controller.ready(p);
  p.gains[0].p = 1600.0;
  rig.controller.set_parameters(p);
  rig.controller.apply(std::move(older));  // what came later stays
  (void)rig.step();
  EXPECT_NEAR(rig.controller.terms().feedback[0], 4.0 * before, 1e-12);
  rig.controller.collect();

  const std::vector<std::pair<void (*)(Parameters&), const char*>> wrong{
      {[](Parameters& x) { x.gains.pop_back(); }, "gains"},
      {[](Parameters& x) { x.gains[1].d = -1.0; }, "d"},
      {[](Parameters& x) { x.gains[2].i_clamp = infinite; }, "i_clamp"},
      {[](Parameters& x) { x.prediction = 9.0; }, "prediction"},
      {[](Parameters& x) { x.effort_limit_scale = std::nan(""); }, "effort_limit_scale"},
      {[](Parameters& x) { x.effort_limit_scale = 1.01; }, "effort_limit_scale"},
      {[](Parameters& x) {
         x.effort_limit = {1.0, -1.0, 1.0};
       },
       "effort_limit of coordinate 1"},
      {[](Parameters& x) { x.effort_limit = {1.0}; }, "effort_limit: given for 1 joints of 3"},
      {[](Parameters& x) { x.hold_time_s = -0.1; }, "hold_time"}};
  for (const auto& [spoil, word] : wrong) {
    Parameters bad = p;
    spoil(bad);
    try {
      rig.controller.set_parameters(bad);
      ADD_FAILURE() << word << " was taken";
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
  (void)rig.step();
  EXPECT_NEAR(rig.controller.terms().feedback[0], 4.0 * before, 1e-12);
}

}  // namespace
}  // namespace dyn::control
