// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The law task_space at an activation, without a state, and with parameters that cannot be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "control/task_rig.hpp"
#include "dyn_core/control/task_space.hpp"

namespace dyn::control {
namespace {

using test::TaskRig;

// A hand that is pushed by 60 N is activated again without the push: as an arm that was never pushed. A cycle without a
// state ends the observer too.
TEST(TaskSpaceFaults, ANewBeginningForgetsTheContact) {
  TaskParameters p;
  p.mode = TaskMode::impedance;
  p.inertia = {4.0, 4.0, 4.0, 0.0, 0.0, 0.0};
  TaskRig pushed(p);
  pushed.aim_at_hand();
  pushed.on_hand = [](const Vec3d&, const Vec3d&) { return Vec3d(60.0, 0.0, 0.0); };
  const auto feel = [&] {
    for (int k = 0; k < 100; ++k) (void)pushed.step();
    const std::vector<double>& external = pushed.controller.terms().external;
    ASSERT_GT(*std::max_element(external.begin(), external.end()), 10.0);
  };
  feel();
  pushed.on_hand = {};
  TaskRig fresh(p, pushed.q);
  fresh.v = pushed.v;
  fresh.target = pushed.target;
  for (TaskRig* rig : {&pushed, &fresh}) {
    rig->controller.activate({rig->q, rig->v});
    (void)rig->step();
  }
  for (size_t i = 0; i < pushed.q.size(); ++i) EXPECT_EQ(pushed.effort[i], fresh.effort[i]) << i;

  pushed.on_hand = [](const Vec3d&, const Vec3d&) { return Vec3d(60.0, 0.0, 0.0); };
  feel();
  std::vector<double> seen_q = pushed.q;
  seen_q[0] = std::nan("");
  EXPECT_FALSE(pushed.step_seen({pushed.q, pushed.v, pushed.v, true}, seen_q, pushed.v).status.ok());
  for (const double external : pushed.controller.terms().external) EXPECT_EQ(external, 0.0);
}

// Without gains: the safe torque damps with posture_d.
TEST(TaskSpaceFaults, TheSafeTorqueDampsAsTheNullSpace) {
  TaskParameters p;
  p.posture_d = 8.0;
  TaskRig rig(p);
  rig.aim_at_hand();
  (void)rig.step();
  ASSERT_TRUE(rig.plant.update(std::span<const double>(rig.q), std::span<const double>(rig.v)).ok());
  const auto M = rig.plant.M();
  const auto g = rig.plant.g();
  std::vector<double> seen_q = rig.q, seen_v(rig.q.size(), 0.1);
  seen_q[0] = std::nan("");
  ReferenceInput reference{rig.q, rig.v, seen_v, true};
  reference.task = &rig.target;
  for (int k = 0; k < 100; ++k) {
    for (double& v : seen_v) v += 1e-9;
    (void)rig.controller.step({seen_q, seen_v}, reference, rig.effort);
  }
  for (int i = 0; i < std::ssize(rig.q); ++i) {
    EXPECT_NEAR(rig.effort[i], g[i] - 8.0 * M(i, i) * 0.1, 1e-3) << i;
  }
}

TEST(TaskSpaceFaults, SaysWhatIsWrongWithItsParameters) {
  TaskParameters p;
  EXPECT_EQ(find_fault(p, 7), "");
  p.stiffness[2] = -1.0;
  EXPECT_EQ(find_fault(p, 7), "task.stiffness: -1 is not from 0 to 1e+09");
  p = {};
  p.velocity_limit = 0.0;
  EXPECT_EQ(find_fault(p, 7), "task.velocity_limit: 0 is not above 0 and at most 1e+09");
  p = {};
  p.posture.assign(6, 0.0);
  EXPECT_EQ(find_fault(p, 7), "task.posture: given for 6 joints of 7");
  TaskRig rig;
  rig.parameters.task.p_linear = 1e200;
  EXPECT_THROW(rig.controller.set_parameters(rig.parameters), ModelError);
}

}  // namespace
}  // namespace dyn::control
