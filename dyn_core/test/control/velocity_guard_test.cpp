// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// No torque drives a joint beyond its velocity bounds; other torques are not changed. Checked by the forward dynamics.
#include "dyn_core/control/velocity_guard.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "control/rig.hpp"

namespace dyn::control {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Guarded {
  explicit Guarded(std::mt19937& random_numbers) : random(random_numbers) {
    const auto any = [this](double size) { return std::uniform_real_distribution<double>(-size, size)(random); };
    for (size_t i = 0; i < 3; ++i) {
      rig.q[i] = any(3.0);
      rig.v[i] = any(3.0);
    }
    const Dynamics dynamics = rig.model();
    M = dynamics.M();
    for (size_t i = 0; i < 3; ++i)
      guard.joint(static_cast<int>(i)) = {dynamics.h()[static_cast<int>(i)], -100.0, 100.0, -infinite, infinite};
  }
  bool hold() { return guard.hold({M.data(), 3, 3, Eigen::OuterStride<>(3)}, {tau.data(), 3}); }
  [[nodiscard]] std::vector<double> accelerations() const {
    Dynamics dynamics = rig.model();
    std::vector<double> a(3);
    EXPECT_TRUE(dynamics.forward(tau, a).ok());
    return a;
  }
  std::mt19937& random;
  Rig rig;
  Eigen::MatrixXd M;
  VelocityGuard guard{5};
  std::vector<double> tau{60.0, -40.0, 20.0};
};

TEST(VelocityGuard, LeavesTorqueThatStaysWithinTheBoundsToTheBit) {
  std::mt19937 random(1);
  for (int k = 0; k < 200; ++k) {
    Guarded arm(random);
    const std::vector<double> a = arm.accelerations(), before = arm.tau;
    for (size_t i = 0; i < 3; ++i) {
      arm.guard.joint(static_cast<int>(i)).a_lower = a[i] - 0.01;
      arm.guard.joint(static_cast<int>(i)).a_upper = a[i] + 0.01;
    }
    EXPECT_FALSE(arm.hold());
    EXPECT_EQ(arm.tau, before);
  }
}

// One joint that may not accelerate further: its own torque changes and no other, and it gets there exactly.
TEST(VelocityGuard, TheJointBrakesItself) {
  std::mt19937 random(2);
  for (int k = 0; k < 200; ++k) {
    Guarded arm(random);
    const size_t i = k % 3;
    const std::vector<double> before = arm.tau;
    const double bound = arm.accelerations()[i] - 1.0;
    arm.guard.joint(static_cast<int>(i)).a_upper = bound;
    EXPECT_TRUE(arm.hold());
    EXPECT_NEAR(arm.accelerations()[i], bound, 1e-4 * (1.0 + std::abs(bound)));
    for (size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(arm.tau[j] == before[j], j != i);
    }
  }
}

// All joints at once, as hard as their effort lets them: bounds that some torque within the effort limits keeps.
TEST(VelocityGuard, AllAtOnceStayWithinBoundsThatSomeTorqueKeeps) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> effort(-100.0, 100.0);
  for (int k = 0; k < 500; ++k) {
    Guarded arm(random);
    arm.guard.joint(2).effort_lower = -5.0;
    arm.guard.joint(2).effort_upper = 5.0;
    const auto any = [&] { return std::vector<double>{effort(random), effort(random), 0.05 * effort(random)}; };
    arm.tau = any();
    const std::vector<double> possible = arm.accelerations();
    arm.tau = any();
    const std::vector<double> asked = arm.accelerations();
    for (size_t i = 0; i < 3; ++i) {  // the possible ones keep these, with some room
      (asked[i] > possible[i] ? arm.guard.joint(static_cast<int>(i)).a_upper
                              : arm.guard.joint(static_cast<int>(i)).a_lower) =
          possible[i] + 0.2 * (asked[i] - possible[i]);
    }
    (void)arm.hold();
    const std::vector<double> a = arm.accelerations();
    for (size_t i = 0; i < 3; ++i) {
      const VelocityGuardJoint& joint = arm.guard.joint(static_cast<int>(i));
      const double over = std::max({0.0, a[i] - joint.a_upper, joint.a_lower - a[i]});
      EXPECT_LE(over, 0.02 * (1.0 + std::abs(asked[i] - possible[i]))) << "joint " << i << " in trial " << k;
      EXPECT_LE(std::abs(arm.tau[i]), (i == 2 ? 5.0 : 100.0) * (1.0 + 1e-12));
    }
  }
}

TEST(VelocityGuard, TheOthersHelpWhereAJointCannotBrakeItself) {
  std::mt19937 random(5);
  for (int k = 0; k < 100; ++k) {
    Guarded arm(random);
    VelocityGuardJoint& weak = arm.guard.joint(2);
    weak.effort_lower = weak.effort_upper = arm.tau[2];
    weak.a_upper = arm.accelerations()[2] - 1.0;
    const std::vector<double> before = arm.tau;
    EXPECT_TRUE(arm.hold());
    EXPECT_LE(arm.accelerations()[2], weak.a_upper + 1e-3 * (1.0 + std::abs(weak.a_upper)));
    EXPECT_EQ(arm.tau[2], before[2]);
    EXPECT_NE(arm.tau[1], before[1]);
  }
}

TEST(VelocityGuard, AJointThatSomebodyElseMovesHasNoAccelerationForTheOthers) {
  std::mt19937 random(4);
  Guarded arm(random);
  arm.guard.joint(1).prescribed = true;
  arm.guard.joint(2).bias = 0.0;
  arm.tau = {0.0, 0.0, 1.0};
  arm.guard.joint(0).bias = arm.M(0, 2) / arm.M(2, 2);  // joint 1's torque that leaves it at rest
  arm.guard.joint(2).a_upper = 0.5 / arm.M(2, 2);
  EXPECT_TRUE(arm.hold());
  EXPECT_EQ(arm.tau[1], 0.0);
  Eigen::Matrix2d rest;
  rest << arm.M(0, 0), arm.M(0, 2), arm.M(2, 0), arm.M(2, 2);
  const Eigen::Vector2d a = rest.inverse() * Eigen::Vector2d(arm.tau[0] - arm.guard.joint(0).bias, arm.tau[2]);
  EXPECT_NEAR(a[1], arm.guard.joint(2).a_upper, 1e-4);
}

// The whole controller: a joint at its velocity limit whose feedback demands more.
TEST(VelocityGuard, OfTheControllerTakesBackWhatWouldLeaveAVelocityLimit) {
  for (const Law law : {Law::computed_torque, Law::feedforward, Law::passivity}) {
    Parameters p = plain_parameters();
    p.law = law;
    for (JointGains& gains : p.gains) gains = {law == Law::computed_torque ? 4000.0 : 900.0, 40.0, 0.0, 0.0};
    Rig rig(test::small_arm(), p, {}, References::limited);
    rig.v = {2.95, 0.0, -2.95, 0.0, 0.0};
    (void)rig.step();
    rig.q = {0.0, 0.5, 0.5, 0.0, 0.0};  // far behind: the feedback is at the effort limits
    const CycleReport report = rig.step();
    EXPECT_TRUE(report.velocity_held);
    Dynamics dynamics = rig.model();
    std::vector<double> a(3);
    ASSERT_TRUE(dynamics.forward(std::span<const double>(rig.effort.data(), 3), a).ok());
    for (size_t i = 0; i < 3; ++i) EXPECT_LE(std::abs(rig.v[i] + 1e-3 * a[i]), 3.0) << i;
    Rig slower(test::small_arm(), p, {}, References::limited);
    slower.v = {1.0, 0.0, -1.0, 0.0, 0.0};
    EXPECT_FALSE(slower.step().velocity_held);
  }
}

}  // namespace
}  // namespace dyn::control
