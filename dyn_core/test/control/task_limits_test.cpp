// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Limits of the frame's target, of joints under the law task_space, and of its feedback in a loop that is late; and
// what it leaves to the law after it.
#include <gtest/gtest.h>

#include "control/task_rig.hpp"
#include "live/arm.hpp"

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

constexpr double wrist_limit_rad = 3.05;  // of joint7, both ways
constexpr double margin_rad = 0.0212;     // 2 * 0.98 * 3.5 rad/s * 3 ms, and 4e-4 rad

// arm7, whose joint7 moves 5e-4 kg m^2: 30 N m accelerate it by 6e4 rad/s^2, in a period of 1 ms to many times its
// velocity limit.
TaskRig with_wrist_at(double q_rad) { return TaskRig({}, {0.0, 0.5, 0.0, -1.5, 0.0, 1.1, q_rad}); }

// A joint near its position limit stays where it is, and very near it, or beyond it, returns slowly.
TEST(TaskLimits, ALightJointNearItsPositionLimitIsNotThrownBack) {
  struct Case {
    double room_rad, fastest;  // rad/s: half of the velocity limit
  };
  for (const Case& near : {Case{0.1, 1e-9}, {0.03, 1e-9}, {0.005, 0.5 * 3.5}, {-0.01, 0.5 * 3.5}}) {
    for (const double side : {1.0, -1.0}) {
      TaskRig rig = with_wrist_at(side * (wrist_limit_rad - near.room_rad));
      rig.aim_at_hand();
      double fastest = 0.0;
      for (int k = 0; k < 500; ++k) {
        ASSERT_TRUE(rig.step().status.ok());
        fastest = std::max(fastest, std::abs(rig.v[6]));
      }
      EXPECT_LE(fastest, near.fastest) << near.room_rad;
      const double room_rad = wrist_limit_rad - side * rig.q[6];
      EXPECT_GE(room_rad, std::max(near.room_rad - 1e-9, 0.0));
      EXPECT_LE(room_rad, std::max(near.room_rad, margin_rad) + 1e-9);
    }
  }
}

// A target behind the position limit.
TEST(TaskLimits, ALightJointStopsBeforeItsPositionLimit) {
  for (const int late : {0, 1, 2, 3}) {
    TaskRig rig = with_wrist_at(2.4);
    rig.delay_cycles = late;
    rig.aim_at_hand();
    (void)rig.step();
    const Vec3d axis = rig.hand_R().col(2);
    rig.target.point.R = Eigen::AngleAxisd(1.0, axis).toRotationMatrix() * rig.target.point.R;
    double fastest = 0.0, farthest = 0.0;
    for (int k = 0; k < 3000; ++k) {
      ASSERT_TRUE(rig.step().status.ok());
      fastest = std::max(fastest, std::abs(rig.v[6]));
      farthest = std::max(farthest, rig.q[6]);
    }
    EXPECT_LE(fastest, 3.5) << late << " periods late";
    EXPECT_LE(farthest, wrist_limit_rad) << late << " periods late";
    EXPECT_GE(farthest, wrist_limit_rad - margin_rad) << late << " periods late: as far as it may";
  }
}

// Every tenth torque acts for 20 ms. A damping of 3 N m s/rad changes the velocities of the hand, whose inertia is
// about 0.005 kg m^2, by 600 1/s: far more than a velocity error of 20 ms ago may be fed back.
TEST(TaskLimits, AStronglyDampedImpedanceIsStableInALoopThatIsLate) {
  TaskParameters own, shaped;
  own.mode = shaped.mode = TaskMode::impedance;
  own.damping = {0.0, 0.0, 0.0, 3.0, 3.0, 3.0};
  shaped.damping = {400.0, 400.0, 400.0, 3.0, 3.0, 3.0};
  shaped.inertia = {1.0, 1.0, 1.0, 0.005, 0.005, 0.005};
  for (const TaskParameters* const impedance : {&own, &shaped}) {
    for (const TaskAxes axes : {TaskAxes::base, TaskAxes::frame}) {
      TaskParameters p = *impedance;
      p.axes = axes;
      TaskRig rig(p);
      rig.substeps = 20;
      rig.aim_at_hand();
      const auto cycles = [&](int count, auto after) {
        for (int k = 1; k <= count; ++k) {
          rig.acts_s = k % 10 == 0 ? 0.02 : TaskRig::T;
          ASSERT_TRUE(rig.step().status.ok());
          after();
        }
      };
      const auto turning = [&] { return Vec3d(rig.frames.twist_base_axes(0).tail<3>()).norm(); };
      cycles(40, [] {});  // at rest: the loop becomes a slow one
      for (size_t i = 4; i < 7; ++i) rig.v[i] = 0.05;
      rig.locate();
      const double before = turning();
      double fastest = 0.0;
      cycles(1000, [&] { fastest = std::max(fastest, turning()); });
      EXPECT_LE(fastest, before);
      EXPECT_LT(turning(), 0.2 * before);
    }
  }
}

// A stiffness of 200 N m/rad on the hand's 0.005 kg m^2, damped by the default ratio: K/D is 143 1/s and more, where
// the gaps of 20 ms allow less than 100 1/s.
TEST(TaskLimits, AStiffImpedanceIsStableInALoopThatIsLate) {
  for (const TaskMode mode : {TaskMode::impedance, TaskMode::computed_torque}) {
    TaskParameters p;
    p.mode = mode;
    p.stiffness = {1000.0, 1000.0, 1000.0, 200.0, 200.0, 200.0};
    p.p_angular = 4000.0;
    p.d_angular = 30.0;
    TaskRig rig(p);
    rig.substeps = 20;
    rig.acts_s = 0.02;
    rig.aim_at_hand();
    for (int k = 0; k < 40; ++k) ASSERT_TRUE(rig.step().status.ok());  // at rest: the loop becomes a slow one
    for (size_t i = 4; i < 7; ++i) rig.v[i] = 0.05;
    double farthest_rad = 0.0;
    for (int k = 0; k < 500; ++k) {
      ASSERT_TRUE(rig.step().status.ok());
      if (k >= 300) farthest_rad = std::max(farthest_rad, rig.turn_to(rig.target.point.R));
    }
    EXPECT_LT(farthest_rad, 2e-3) << static_cast<int>(mode);
  }
}

// What is scaled in a loop that is late is fed back; the wrench that the frame is to exert is not.
TEST(TaskLimits, InALoopThatIsLateTheWrenchIsTheOneThatWasTold) {
  TaskParameters impedance;
  impedance.mode = TaskMode::impedance;
  impedance.damping = {0.0, 0.0, 0.0, 3.0, 3.0, 3.0};
  TaskRig rig(impedance);
  rig.aim_at_hand();
  for (int k = 1; k <= 40; ++k) {
    rig.acts_s = k % 10 == 0 ? 0.02 : TaskRig::T;
    ASSERT_TRUE(rig.step().status.ok());
  }
  rig.target.wrench << 0.0, 0.0, 10.0, 0.0, 0.1, 0.0;
  ASSERT_TRUE(rig.step().status.ok());
  EXPECT_LT((rig.controller.task().force - rig.target.wrench).norm(), 1e-6);
}

// An offset that damps a swing belongs to the law before task_space. It does not grow in the meantime.
TEST(TaskLimits, AnAntiSwingOffsetEndsWithItsLaw) {
  TaskRig rig;
  (void)rig.live.attach(test::bucket("bucket", "tool0"), 0.0);
  std::vector<double> q = rig.q, v(8, 0.0);
  const std::vector<double> zero(8, 0.0);
  q.push_back(0.4);
  const auto steps = [&](Law law, double swing_rps, int count) {
    rig.parameters.law = law;
    rig.parameters.passive_damping = 4.0;
    rig.parameters.state_timeout_s = 0.0;  // the state stays where it is
    rig.parameters.gains.assign(7, {400.0, 40.0, 0.0, 0.0});
    rig.controller.set_parameters(rig.parameters);
    v[7] = swing_rps;
    for (int k = 0; k < count; ++k) ASSERT_TRUE(rig.controller.step({q, v}, {q, zero, zero}, rig.effort).status.ok());
  };
  const auto largest_error = [&] {
    double largest = 0.0;
    for (size_t i = 0; i < 7; ++i) largest = std::max(largest, std::abs(rig.controller.terms().position_error[i]));
    return largest;
  };
  steps(Law::computed_torque, 1.0, 100);
  ASSERT_GT(largest_error(), 1e-4) << "it gives way to the swing";
  steps(Law::task_space, 0.0, 5000);
  steps(Law::computed_torque, 0.0, 1);
  EXPECT_LT(largest_error(), 1e-4);
}

// A frame without a target stays where it is when task_space begins, not where another law found it.
TEST(TaskLimits, WithoutATargetItBeginsWhereAnotherLawHasBroughtTheFrame) {
  TaskRig rig;
  rig.aim_at_hand();
  (void)rig.step();
  rig.target.given = false;
  Vec3d there;
  for (const Law law : {Law::gravity_compensation, Law::task_space}) {
    rig.parameters.law = law;
    rig.controller.set_parameters(rig.parameters);
    rig.q[0] = 0.4;
    rig.locate();
    there = rig.hand();
    ASSERT_TRUE(rig.step().status.ok());
  }
  EXPECT_LT((rig.controller.task().target.p_m - there).norm(), 1e-12);
}

TEST(TaskLimits, AnActivationHasNoTargetOfTheOneBefore) {
  TaskRig rig;
  rig.aim_at_hand();
  (void)rig.step();
  EXPECT_TRUE(rig.controller.task().known);
  rig.controller.activate({rig.q, rig.v});
  EXPECT_FALSE(rig.controller.task().known);
  EXPECT_EQ(rig.controller.task().target.p_m, Vec3d::Zero());
  (void)rig.step();
  EXPECT_TRUE(rig.controller.task().known);
}

}  // namespace
}  // namespace dyn::control
