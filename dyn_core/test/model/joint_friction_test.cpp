// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/model/joint_friction.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dyn {
namespace {

JointDescription joint() {
  JointDescription d;
  d.damping = 0.5;
  d.friction = 2.0;
  return d;
}

double torque(const JointDescription& d, double v) {
  return friction_torque(joint_friction(d), v, friction_creep_rate);
}

TEST(JointFriction, ViscousAndCoulombAlikeInBothDirections) {
  EXPECT_NEAR(torque(joint(), 1.5), 0.75 + 2.0, 1e-12);
  EXPECT_NEAR(torque(joint(), -1.5), -0.75 - 2.0, 1e-12);
  EXPECT_EQ(torque(joint(), 0.0), 0.0);
}

TEST(JointFriction, EachDirectionHasItsOwn) {
  JointDescription d = joint();
  d.damping_negative = 0.25;
  d.friction_negative = 3.0;
  EXPECT_NEAR(torque(d, 2.0), 1.0 + 2.0, 1e-12);
  EXPECT_NEAR(torque(d, -2.0), -0.5 - 3.0, 1e-12);
}

TEST(JointFriction, StaticFrictionFadesAndTheOffsetStays) {
  JointDescription d = joint();
  d.stribeck = 1.0;
  d.stribeck_velocity = 0.05;
  d.friction_offset = 0.125;
  EXPECT_NEAR(torque(d, 0.05), 0.125 + 0.025 + 2.0 + std::exp(-1.0), 1e-12);
  EXPECT_NEAR(torque(d, 1.0), 0.125 + 0.5 + 2.0, 1e-12);
  EXPECT_NEAR(torque(d, 0.0), 0.125, 1e-15);
}

// No step and no kink where the velocity changes its sign, asymmetric or not.
TEST(JointFriction, IsSmoothAtZeroVelocity) {
  JointDescription d = joint();
  d.damping_negative = 0.1;
  d.friction_negative = 5.0;
  d.stribeck = 1.0;
  const double h = 1e-7;
  const double before = (torque(d, 0.0) - torque(d, -h)) / h, after = (torque(d, h) - torque(d, 0.0)) / h;
  EXPECT_NEAR(before, after, 1e-3 * std::abs(after));
}

}  // namespace
}  // namespace dyn
