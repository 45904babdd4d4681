// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Passive joints: several at once, behind mimic joints, with anti-swing and while the model changes.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include "control/rig.hpp"
#include "dyn_core/control/anti_swing.hpp"

namespace dyn::control {
namespace {

using Mode = CycleReport::Mode;
using Mat = Eigen::MatrixXd;
using Vec = Eigen::VectorXd;

ConstMatrixRef<double> view(const Mat& M) { return {M.data(), M.rows(), M.cols(), Eigen::OuterStride<>(M.rows())}; }
ConstVectorRef<double> view(const Vec& x) { return {x.data(), x.size()}; }
VectorRef<double> view(Vec& x) { return {x.data(), x.size()}; }

// A plant driven by the torques of a rig's controller, with the controller's model.
struct Loop {
  explicit Loop(Rig& rig_) : rig(rig_) {}

  CycleReport drive() {
    const CycleReport report = rig.step();
    Dynamics plant = rig.model();
    std::vector<double> a(plant.model().coordinates());
    EXPECT_TRUE(plant.forward(std::span<const double>(rig.effort.data(), a.size()), a).ok());
    for (size_t i = 0; i < a.size(); ++i) {
      rig.v[i] += a[i] * period_s;
      rig.q[i] += rig.v[i] * period_s;
    }
    return report;
  }
  // The largest torque that the observer sees at coordinate i over some cycles.
  double external(size_t i, int cycles) {
    double largest = 0.0;
    for (int k = 0; k < cycles; ++k) {
      (void)drive();
      largest = std::max(largest, std::abs(rig.controller.terms().external[i]));
    }
    return largest;
  }

  Rig& rig;
};

// A payload attached while it swings: its momentum, and the change of the arm's, are not external torques.
TEST(Passive, TheObserverBeginsAnewAtTheJointsOfAPayload) {
  Rig rig;
  Loop loop(rig);
  (void)loop.external(0, 50);
  for (const double rate : {2.0, -2.5}) {
    (void)rig.live.attach(test::bucket("bucket"), 0.0);
    rig.q[3] = 0.4;
    rig.v[3] = rate;
    EXPECT_LT(loop.external(3, 200), 0.3) << rate;
    EXPECT_GT(std::abs(rig.v[3]), 0.0);
    (void)rig.live.detach("bucket", 0.0);
    EXPECT_LT(loop.external(0, 50), 1.0);
  }
}

// A new description of the arm, 1 kg heavier a link, while it moves and the observer watches.
TEST(Passive, TheObserverTakesANewRobotForNoPush) {
  Rig rig;
  Loop loop(rig);
  for (size_t i = 0; i < 3; ++i) rig.v[i] = rig.ref_v[i] = 1.0;
  EXPECT_LT(loop.external(1, 20), 1.0);
  (void)rig.live.replace_robot(test::small_arm(3.0), 0.0);
  EXPECT_LT(loop.external(1, 100), 1.0);
}

TEST(Passive, TwoJointsAreLeftAloneAndTheThirdMovesAsWanted) {
  Rig rig(test::small_arm(), plain_parameters(), {"joint2", "joint3"});
  rig.v = {0.2, 0.7, -0.4, 0.0, 0.0};
  rig.ref_a = {1.5, 50.0, 50.0};
  (void)rig.step();
  EXPECT_EQ(rig.effort[1], 0.0);
  EXPECT_EQ(rig.effort[2], 0.0);
  Dynamics model = rig.model();
  std::vector<double> a(3);
  ASSERT_TRUE(model.forward(std::span<const double>(rig.effort.data(), 3), a).ok());
  EXPECT_NEAR(a[0], 1.5 + 40.0 * (rig.ref_v[0] - 0.2), 1e-9);
}

// Against Eigen's solvers, for any number of passive joints at any places.
TEST(Passive, AccelerationsAndDampingAreWhatDenseAlgebraGives) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int draw = 0; draw < 200; ++draw) {
    constexpr int n = 6;
    Mat B(n, n);
    Vec h(n), v(n), a(n);
    for (double& x : B.reshaped()) x = normal(random);
    for (auto* x : {&h, &v, &a}) {
      for (double& entry : *x) entry = normal(random);
    }
    const Mat M = B * B.transpose() + 0.1 * Mat::Identity(n, n);
    std::vector<bool> actuated(n);
    for (int i = 0; i < n; ++i) actuated[i] = normal(random) > 0.0;
    actuated[draw % n] = true;
    std::vector<int> p, u;
    for (int i = 0; i < n; ++i) (actuated[i] ? u : p).push_back(i);
    PassiveJoints passive(n);
    passive.choose(actuated, n, n);
    ASSERT_EQ(passive.count(), static_cast<int>(p.size()));
    if (p.empty()) continue;

    Vec solved = a;
    ASSERT_TRUE(passive.solve_accelerations(view(M), view(std::as_const(h)), view(solved)).ok());
    const Mat Mpp = M(p, p), Mpa = M(p, u);
    const Vec expected = Mpp.ldlt().solve(-h(p) - Mpa * a(u));
    EXPECT_LT((solved(p) - expected).norm(), 1e-9 * (1.0 + expected.norm()));
    EXPECT_EQ(solved(u), a(u));

    Vec damped = a;
    passive.damp_swing(view(M), view(std::as_const(v)), 3.0, view(damped));
    const double share = 1e-2 * Mpp.diagonal().squaredNorm() / static_cast<double>(p.size());
    const Eigen::Index size = p.size();
    const Mat A = Mpa * Mpa.transpose() + share * Mat::Identity(size, size);
    const Vec da = Mpa.transpose() * A.ldlt().solve(3.0 * Mpp * v(p));
    EXPECT_LT((damped(u) - a(u) - da).norm(), 1e-9 * (1.0 + da.norm()));
    EXPECT_EQ(damped(p), a(p));
  }
}

// All axes but the first are parallel: a bucket's rate in the world is its joint's, joint2's and joint3's together.
//   da = c x,  c = Map - (1 + ratio) Mpp at joint2,  x = damping Mpp w / (c c + Mpp^2 / 100),  w = vp + (1 + ratio) v2
TEST(Passive, SwingsBehindAMimicJointAreDampedInTheWorld) {
  constexpr double ratio = -0.4;
  RobotDescription robot = test::small_arm();
  robot.joints[2].mimic = Mimic{"joint2", ratio, 0.1};
  robot = attach(robot, test::bucket("bucket"));
  Dynamics dynamics(Model::build(robot));
  ASSERT_EQ(dynamics.model().coordinates(), 3);
  const std::vector<double> q{0.3, 0.5, 0.7}, v{0.2, -0.6, 1.1};
  ASSERT_TRUE(dynamics.update(q, v).ok());
  const Mat M = dynamics.M();
  PassiveJoints passive(3);
  passive.choose({true, true}, 2, 3);
  AntiSwing anti_swing(dynamics.model().bodies(), 3);
  Vec a = Vec::Zero(3);
  anti_swing.damp(dynamics.tree(), {q.data(), 3}, {v.data(), 3}, view(M), 4.0, passive, view(a));
  const double Mpp = M(2, 2);
  const Eigen::Vector2d c(M(2, 0), M(2, 1) - (1.0 + ratio) * Mpp);
  const double w = v[2] + (1.0 + ratio) * v[1];
  const double x = 4.0 * Mpp * w / (c.squaredNorm() + 1e-2 * Mpp * Mpp);
  EXPECT_NEAR(a[0], c[0] * x, 1e-9);
  EXPECT_NEAR(a[1], c[1] * x, 1e-9);
  EXPECT_EQ(a[2], 0.0);
}

// Two buckets side by side on the last link; the arm stands while they swing.
TEST(Passive, TwoSwingsAreDampedAtOnce) {
  const auto swing_left = [](double damping) {
    Parameters p = plain_parameters();
    p.passive_damping = damping;
    Rig rig(test::small_arm(), p);
    Loop loop(rig);
    rig.q = rig.ref_q = {0.0, 0.4, 0.6, 0.0, 0.0};
    (void)rig.live.attach(test::bucket("one"), 0.0);
    (void)rig.live.attach(test::bucket("two", "link2"), 0.0);
    rig.q[3] = -0.6;
    rig.q[4] = 0.2;
    for (int k = 0; k < 8000; ++k) (void)loop.drive();
    double rate = 0.0;
    for (int k = 0; k < 1500; ++k) {
      (void)loop.drive();
      rate = std::max({rate, std::abs(rig.v[3]), std::abs(rig.v[4])});
    }
    return rate;
  };
  const double calm = swing_left(4.0), swinging = swing_left(0.0);
  EXPECT_GT(swinging, 1.0);
  EXPECT_LT(calm, 0.2 * swinging);
}

// The reference that is held is where the arm is but for the offset that damps: it is followed without a jump.
TEST(Passive, HoldingDuringAntiSwingHasNoJump) {
  Parameters p = plain_parameters();
  p.passive_damping = 4.0;
  p.acceleration_limit.assign(3, 5.0);
  Rig rig(test::small_arm(), p);
  Loop loop(rig);
  (void)rig.live.attach(test::bucket("bucket"), 0.0);
  rig.q[3] = 0.9;
  for (int k = 0; k < 600; ++k) {
    ASSERT_EQ(loop.drive().mode, Mode::tracking);
  }
  const double offset = std::abs(rig.q[1] - rig.ref_q[1]);
  EXPECT_GT(offset, 0.01) << "it does not give way at all";
  rig.fresh = false;
  for (int k = 0; k < 100; ++k) (void)loop.drive();
  CycleReport report;
  double before = rig.effort[1];
  for (int k = 0; k < 5; ++k) {
    report = loop.drive();
    EXPECT_LT(std::abs(rig.controller.terms().position_error[1]), 0.02 * offset);
    EXPECT_LT(std::abs(rig.effort[1] - before), 10.0) << "more torque than is needed to stop";
    before = rig.effort[1];
  }
  EXPECT_EQ(report.mode, Mode::holding_reference);
}

// A joint that another controller moves has no limit; with effort_limit_scale 0 that is not NaN (0 times infinity).
TEST(Passive, AFollowedJointWithoutLimitsBearsAScaleOfZero) {
  live::LiveModel live(test::small_arm(), Rig::options());
  Actuation actuation = Actuation::from_model(*live.newest_model(), {});
  actuation.followed[1] = true;
  actuation.effort_limit[1] = MotionLimits::none;
  Parameters p = plain_parameters();
  p.effort_limit_scale = 0.0;
  Controller controller(live, actuation, p, period_s);
  std::vector<double> q{0.1, 0.2, 0.3, 0.0, 0.0}, v(5, 0.0), effort(5, std::nan(""));
  controller.activate({q, v});
  for (int k = 0; k < 5; ++k) {
    const CycleReport report = controller.step({q, v}, {q, v, v, true}, effort);
    EXPECT_TRUE(report.status.ok());
    EXPECT_EQ(effort[0], 0.0);
    EXPECT_TRUE(std::isfinite(effort[1])) << effort[1];
    EXPECT_NE(effort[1], 0.0) << "infinite times 0 must not become NaN";
    EXPECT_EQ(effort[2], 0.0);
  }
}

}  // namespace
}  // namespace dyn::control
