// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What the law task_space makes of the arm: the inertia that a force at the hand meets, and the posture in its null
// space.
#include <gtest/gtest.h>

#include <cmath>

#include "control/task_rig.hpp"

namespace dyn::control {
namespace {

using test::TaskRig;

// m/s^2 of the hand along `axis` under a force of 10 N, once the observer knows it; the hand is held in its orientation
// only.
double acceleration_under_10_n(std::array<double, 6> inertia, int axis) {
  TaskParameters p;
  p.mode = TaskMode::impedance;
  p.stiffness = {0.0, 0.0, 0.0, 100.0, 100.0, 100.0};
  p.inertia = inertia;
  TaskRig rig(p);
  rig.parameters.observer_gain = 500.0;
  rig.controller.set_parameters(rig.parameters);
  rig.aim_at_hand();
  rig.on_hand = [axis](const Vec3d&, const Vec3d&) { return Vec3d(10.0 * Vec3d::Unit(axis)); };
  const auto speed_after = [&](int cycles) {
    for (int k = 0; k < cycles; ++k) EXPECT_TRUE(rig.step().status.ok());
    return rig.frames.twist_base_axes(0)[axis];
  };
  const double before = speed_after(50);
  return (speed_after(50) - before) / 0.05;
}

TEST(TaskInertia, AForceAtTheHandMeetsTheInertiaThatIsSet) {
  for (int axis = 0; axis < 3; ++axis) {
    const double light = acceleration_under_10_n({5.0, 5.0, 5.0, 0.2, 0.2, 0.2}, axis);
    const double heavy = acceleration_under_10_n({20.0, 20.0, 20.0, 0.2, 0.2, 0.2}, axis);
    std::printf("10 N along axis %d: %.4f m/s^2 with 5 kg, %.4f m/s^2 with 20 kg\n", axis, light, heavy);
    EXPECT_NEAR(light, 2.0, 0.01);
    EXPECT_NEAR(heavy, 0.5, 0.01);
  }
}

TEST(TaskInertia, APostureTurnsTheJointsAndTheHandStays) {
  TaskParameters p;
  p.posture_p = 25.0;
  p.posture = {0.6, 0.5, 0.0, -1.5, 0.0, 1.1, 0.0};
  TaskRig rig(p);
  rig.aim_at_hand();
  double hand_m = 0.0, turned_rad = 0.0;
  for (int k = 0; k < 4000; ++k) {
    ASSERT_TRUE(rig.step().status.ok());
    hand_m = std::max(hand_m, rig.reach_error());
    turned_rad = std::max(turned_rad, rig.turn_to(rig.target.point.R));
  }
  std::printf("joint1 turns by %.3f rad; the hand moves by %.2g m and %.2g rad\n", rig.q[0], hand_m, turned_rad);
  EXPECT_GT(rig.q[0], 0.1);
  for (const double v : rig.v) EXPECT_LT(std::abs(v), 1e-3) << "it stands";
  EXPECT_LT(hand_m, 1e-6);
  EXPECT_LT(turned_rad, 1e-6);
}

}  // namespace
}  // namespace dyn::control
