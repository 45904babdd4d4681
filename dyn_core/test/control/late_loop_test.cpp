// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A loop in which every torque acts for 20 ms, where 1 ms was meant, under each law and without a state.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "control/rig.hpp"

namespace dyn::control {
namespace {

constexpr double hold_s = 0.02;
constexpr double slow_hold_s = 2.0 * hold_s;  // what the controller expects then

// The torque of the last cycle acts on the model for hold_s.
void let_pass(Rig& rig, Dynamics& plant) {
  constexpr int steps = 40;
  const size_t n = rig.robot_n;
  std::vector<double> a(n);
  for (int k = 0; k < steps; ++k) {
    ASSERT_TRUE(plant.update(std::span<const double>(rig.q.data(), n), std::span<const double>(rig.v.data(), n)).ok());
    ASSERT_TRUE(plant.forward({rig.effort.data(), n}, a).ok());
    for (size_t i = 0; i < n; ++i) {
      rig.v[i] += hold_s / steps * a[i];
      rig.q[i] += hold_s / steps * rig.v[i];
    }
  }
}

CycleReport late_step(Rig& rig) {
  if (!rig.active) rig.controller.activate({rig.q, rig.v});
  rig.active = true;
  return rig.controller.step({rig.q, rig.v, nullptr, hold_s}, {rig.ref_q, rig.ref_v, rig.ref_a, rig.fresh}, rig.effort);
}

Parameters parameters_of(Law law, JointGains gains) {
  Parameters p = plain_parameters();
  p.law = law;
  p.gains.assign(3, gains);
  return p;
}

// p/d = 133 1/s: scaled together with d so that d T <= 1/2, it would still be above the 2/T = 100 1/s from which on an
// error grows. In a loop that is on time these gains are nothing special: a damping ratio of 0.24.
TEST(LateLoop, StiffnessThatIsLargeForItsDampingDoesNotMakeItSwing) {
  for (const Law law : {Law::computed_torque, Law::feedforward, Law::passivity}) {
    SCOPED_TRACE(static_cast<int>(law));
    Rig rig(test::small_arm(), parameters_of(law, {4000.0, 30.0, 0.0, 0.0}));
    Dynamics plant(rig.live.newest_model());
    for (size_t i = 0; i < 3; ++i) rig.ref_q[i] += 1e-3;
    double farthest_rad = 0.0;
    for (int k = 0; k < 400; ++k) {
      ASSERT_TRUE(late_step(rig).status.ok());
      let_pass(rig, plant);
      for (size_t i = 0; i < 3 && k > 300; ++i) {
        farthest_rad = std::max(farthest_rad, std::abs(rig.ref_q[i] - rig.q[i]));
      }
    }
    EXPECT_LT(farthest_rad, 1e-3);
  }
}

// d = 100 N m s/rad changes the velocity of a light joint many times over in 20 ms.
TEST(LateLoop, HandGuidingComesToRest) {
  Rig rig(test::small_arm(0.1), parameters_of(Law::gravity_compensation, {0.0, 100.0, 0.0, 0.0}));
  Dynamics plant(rig.live.newest_model());
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(late_step(rig).status.ok());
    let_pass(rig, plant);
  }
  rig.v = {0.1, 0.1, 0.1, 0.0, 0.0};
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(late_step(rig).status.ok());
    let_pass(rig, plant);
  }
  for (size_t i = 0; i < 3; ++i) EXPECT_LT(std::abs(rig.v[i]), 0.01) << i;
}

// Its damping is scaled as that of the law: each joint's d (M^-1)_ii T is at most one half.
TEST(LateLoop, TheSafeTorqueDampsNoMoreThanTheLawWould) {
  Rig rig(test::small_arm(), parameters_of(Law::computed_torque, {400.0, 40.0, 0.0, 0.0}));
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(late_step(rig).status.ok());
  const Dynamics model = rig.model();
  const Eigen::MatrixXd M = model.M(), inverse = M.inverse();
  rig.v = {0.0, 0.05, -0.02, 0.0, 0.0};
  rig.q[0] = std::nan("");
  CycleReport report;
  for (int k = 0; k < 10; ++k) report = late_step(rig);
  ASSERT_EQ(report.mode, CycleReport::Mode::safe_torque);
  for (const int i : {1, 2}) {
    const double d = 40.0 * M(i, i), rate_per_s = inverse(i, i) * d;
    ASSERT_GT(rate_per_s * slow_hold_s, 0.5);
    const double scaled = 0.5 / (rate_per_s * slow_hold_s) * d;
    EXPECT_NEAR(rig.effort[i], model.g()[i] - scaled * rig.v[i], 0.05 * scaled * std::abs(rig.v[i])) << i;
  }
}

}  // namespace
}  // namespace dyn::control
