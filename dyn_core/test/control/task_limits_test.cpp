// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Limits of the frame's target, and of joints under the law task_space.
#include <gtest/gtest.h>

#include "control/task_rig.hpp"

namespace dyn::control {
namespace {

using test::TaskRig;

// Linear and angular parts of a target have limits of their own, also where both are beyond theirs.
TEST(TaskLimits, OfATargetHoldForItsTurningToo) {
  TaskRig rig;
  rig.aim_at_hand();
  rig.target.point.twist << 0.0, 1.0, 0.0, 0.0, 0.0, 6.0;
  rig.target.point.acceleration << 0.0, 20.0, 0.0, 0.0, 0.0, 90.0;
  EXPECT_TRUE(rig.step().reference_limited);
  const TaskPoint& target = rig.controller.task().target;
  EXPECT_NEAR(target.twist.head<3>().norm(), rig.parameters.task.velocity_limit, 1e-12);
  EXPECT_NEAR(target.twist.tail<3>().norm(), rig.parameters.task.angular_velocity_limit, 1e-12);
  EXPECT_NEAR(target.acceleration.head<3>().norm(), rig.parameters.task.acceleration_limit, 1e-12);
  EXPECT_NEAR(target.acceleration.tail<3>().norm(), rig.parameters.task.angular_acceleration_limit, 1e-12);
}

}  // namespace
}  // namespace dyn::control
