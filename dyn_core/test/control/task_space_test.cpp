// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The hand in its own space, closed loop at 1 kHz on a plant equal to the model.
#include "dyn_core/control/task_space.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "control/task_rig.hpp"
#include "live/arm.hpp"
#include "support/allocation_counter.hpp"
#include "support/lock_counter.hpp"

namespace dyn::control {
namespace {

using test::TaskRig;
using Mode = CycleReport::Mode;

TaskParameters impedance(double stiffness) {
  TaskParameters p;
  p.mode = TaskMode::impedance;
  p.stiffness = {stiffness, stiffness, stiffness, 50.0, 50.0, 50.0};
  return p;
}

// A circle of 0.1 m radius about the start, that begins and ends at rest, with the hand turning along.
TaskPoint circle(double t, const Vec3d& p0, const Mat3d& R0) {
  const double duration = 6.0, x = std::clamp(t / duration, 0.0, 1.0), turns = 4.0 * std::numbers::pi;
  const double s = turns * x * x * x * (10.0 - 15.0 * x + 6.0 * x * x);
  const double ds = turns / duration * 30.0 * x * x * (1.0 - x) * (1.0 - x);
  const double dds = turns / (duration * duration) * 60.0 * x * (1.0 - 3.0 * x + 2.0 * x * x);
  const double r = 0.1, tilt = 0.05;
  TaskPoint point;
  point.p_m = p0 + r * Vec3d(0.0, std::sin(s), 1.0 - std::cos(s));
  point.R = Eigen::AngleAxisd(tilt * s, Vec3d::UnitZ()).toRotationMatrix() * R0;
  const Vec3d along(0.0, std::cos(s), std::sin(s)), inwards(0.0, -std::sin(s), std::cos(s));
  point.twist << r * ds * along, tilt * ds * Vec3d::UnitZ();
  point.acceleration << r * (dds * along + ds * ds * inwards), tilt * dds * Vec3d::UnitZ();
  return point;
}

struct Worst {
  double way_m = 0.0, turn_rad = 0.0;
};
Worst track_circle(TaskRig& rig, double until_s) {
  const Vec3d p0 = rig.hand();
  const Mat3d R0 = rig.hand_R();
  const double begin = rig.time_s;
  Worst worst;
  rig.target.given = true;
  while (rig.time_s < begin + until_s) {
    rig.target.point = circle(rig.time_s - begin + rig.lead * TaskRig::T, p0, R0);
    EXPECT_EQ(rig.step().mode, Mode::tracking);
    const TaskPoint wanted = circle(rig.time_s - begin, p0, R0);
    worst.way_m = std::max(worst.way_m, (wanted.p_m - rig.hand()).norm());
    worst.turn_rad = std::max(worst.turn_rad, rig.turn_to(wanted.R));
  }
  return worst;
}

TEST(TaskSpace, TracksInFreeSpace) {
  TaskRig rig;
  const Worst worst = track_circle(rig, 6.2);
  std::printf("free space at 1 kHz: at most %.3g m and %.3g rad\n", worst.way_m, worst.turn_rad);
  EXPECT_LT(worst.way_m, 1e-7);
  EXPECT_LT(worst.turn_rad, 1e-6);
}

// As from a controller above, which writes the sample for the next cycle.
TEST(TaskSpace, TracksATargetThatIsGivenAPeriodAhead) {
  TaskRig rig;
  rig.lead = 1.0;
  const Worst worst = track_circle(rig, 6.2);
  std::printf("given a period ahead: at most %.3g m and %.3g rad\n", worst.way_m, worst.turn_rad);
  EXPECT_LT(worst.way_m, 1e-6);
  EXPECT_LT(worst.turn_rad, 1e-6);
}

// Torques that act late: errors are predicted to that time. With these gains the loop is unstable without prediction.
TEST(TaskSpace, ErrorsArePredictedOverAKnownDelay) {
  TaskParameters p;
  p.p_linear = p.p_angular = 40000.0;
  p.d_linear = p.d_angular = 400.0;
  TaskRig rig(p);
  rig.delay_cycles = 3;
  rig.parameters.prediction = 3.5;
  rig.controller.set_parameters(rig.parameters);
  rig.aim_at_hand();
  rig.target.point.p_m.y() += 0.0001;
  for (int k = 0; k < 500; ++k) (void)rig.step();
  EXPECT_LT(rig.reach_error(), 1e-6);
  EXPECT_LT(Vec3d(rig.frames.twist_base_axes(0).head<3>()).norm(), 1e-5);
}

TEST(TaskSpace, CarriesAPayload) {
  TaskRig rig;
  (void)rig.live.attach(test::box("box", 2.0, "tool0"), 0.0);
  rig.plant = Dynamics(rig.live.newest_model());
  EXPECT_LT(track_circle(rig, 2.0).way_m, 1e-5);
}

TEST(TaskSpace, AnImpedanceTracksTheSameWithoutContact) {
  TaskRig rig(impedance(1000.0));
  EXPECT_LT(track_circle(rig, 2.0).way_m, 1e-4);
  TaskParameters shaped = impedance(1000.0);
  shaped.inertia = {3.0, 3.0, 3.0, 0.2, 0.2, 0.2};
  TaskRig other(shaped);
  EXPECT_LT(track_circle(other, 2.0).way_m, 1e-4);
}

// A force on the elbow moves the elbow, not the hand.
TEST(TaskSpace, APushAtTheElbowMovesTheNullSpace) {
  for (const bool rejects : {false, true}) {
    TaskParameters p;
    p.p_linear = p.p_angular = 2500.0;
    p.d_linear = p.d_angular = 100.0;
    p.reject_external = rejects;
    TaskRig rig(p);
    rig.aim_at_hand();
    const Vec3d elbow = rig.frames.position(1);
    rig.on_elbow = [](const Vec3d&, const Vec3d&) { return Vec3d(0.0, 10.0, 0.0); };
    double hand = 0.0;
    for (int k = 0; k < 1500; ++k) {
      (void)rig.step();
      hand = std::max(hand, rig.reach_error());
    }
    const double moved = (rig.frames.position(1) - elbow).norm();
    std::printf("elbow moves %.3g m, hand at most %.3g m\n", moved, hand);
    EXPECT_GT(moved, 0.05);
    EXPECT_LT(hand, 1e-3);
  }
}

// A wall of 50 kN/m in front of the hand, which is sent 1 cm into it: soft to stiff.
TEST(TaskSpace, PressesOnAWallWithTheForceThatIsCommanded) {
  for (const double stiffness : {100.0, 500.0, 2000.0, 5000.0}) {
    for (const bool shaped : {false, true}) {
      TaskParameters p = impedance(stiffness);
      if (shaped) p.inertia = {4.0, 4.0, 4.0, 0.3, 0.3, 0.3};
      TaskRig rig(p);
      rig.substeps = 8;
      rig.aim_at_hand();
      const double wall = rig.hand().x() + 0.005;
      rig.on_hand = [wall](const Vec3d& at, const Vec3d& velocity) {
        const double deep = at.x() - wall;
        return deep > 0.0 ? Vec3d(-std::max(0.0, 5e4 * deep + 100.0 * velocity.x()), 0.0, 0.0) : Vec3d::Zero().eval();
      };
      rig.target.point.p_m.x() += 0.015;
      rig.target.wrench[0] = 5.0;
      for (int k = 0; k < 4000; ++k) (void)rig.step();
      const double force = -rig.on_hand(rig.hand(), Vec3d::Zero()).x();
      const double commanded = stiffness * (rig.target.point.p_m.x() - rig.hand().x()) + 5.0;
      EXPECT_NEAR(force, commanded, 0.02 * commanded) << stiffness << (shaped ? ", shaped" : "");
      double fastest = 0.0;
      for (int k = 0; k < 200; ++k) {
        (void)rig.step();
        fastest = std::max(fastest, Vec3d(rig.frames.twist_base_axes(0).head<3>()).norm());
      }
      EXPECT_LT(fastest, 1e-4) << "it stands, at " << stiffness << (shaped ? ", shaped" : "");
    }
  }
}

// From cycle to cycle, after that in which a target jumps: 5 % of the effort limits of the joints that bear the arm.
constexpr double largest_step_nm = 5.0;

struct Seen {
  double fastest = 0.0, fastest_turn = 0.0, hardest = 0.0;  // hardest: change of a torque between two cycles, N m
  bool within = true;
  std::vector<double> effort;
};
void watch(TaskRig& rig, Seen& seen, const Model& model) {
  const auto twist = rig.frames.twist_base_axes(0);
  seen.fastest = std::max(seen.fastest, Vec3d(twist.head<3>()).norm());
  seen.fastest_turn = std::max(seen.fastest_turn, Vec3d(twist.tail<3>()).norm());
  for (size_t i = 0; i < rig.q.size(); ++i) {
    const JointLimits& limits = *model.joints()[i].description.limits;
    seen.within = seen.within && std::abs(rig.v[i]) <= limits.velocity && std::abs(rig.effort[i]) <= limits.effort;
    seen.within = seen.within && rig.q[i] <= limits.upper + 1e-9 && rig.q[i] >= limits.lower - 1e-9;
    if (!seen.effort.empty()) seen.hardest = std::max(seen.hardest, std::abs(rig.effort[i] - seen.effort[i]));
  }
  seen.effort = rig.effort;
}

TEST(TaskSpace, AHandThatIsWhereItShallBeIsNotLimited) {
  TaskRig rig;
  rig.aim_at_hand();
  for (int k = 0; k < 10; ++k) EXPECT_FALSE(rig.step().reference_limited) << k;
}

TEST(TaskSpace, AFarTargetIsApproachedWithinTheLimits) {
  TaskRig rig;
  rig.aim_at_hand();
  (void)rig.step();
  rig.target.point.p_m += Vec3d(-0.1, 0.35, 0.1);
  rig.target.point.R = Eigen::AngleAxisd(0.9, Vec3d::UnitX()).toRotationMatrix() * rig.target.point.R;
  Seen seen;
  bool limited = false;
  for (int k = 0; k < 4000; ++k) {
    limited = rig.step().reference_limited || limited;
    watch(rig, seen, *rig.live.newest_model());
  }
  EXPECT_TRUE(limited);
  EXPECT_LE(seen.fastest, 0.5 * 1.02);
  EXPECT_LE(seen.fastest_turn, 1.5 * 1.02);
  EXPECT_TRUE(seen.within);
  EXPECT_LT(seen.hardest, largest_step_nm);
  EXPECT_LT(rig.reach_error(), 1e-6);
  EXPECT_LT(rig.turn_to(rig.target.point.R), 1e-6);
}

// Errors of a little more and a little less than half a turn in alternate cycles: one way round, within the limits.
TEST(TaskSpace, HalfATurnIsTakenOneWayRound) {
  TaskRig rig({}, {0.0, 0.5, 0.0, -1.5, 0.0, 1.1, 1.6});
  rig.aim_at_hand();
  (void)rig.step();
  const Mat3d R0 = rig.target.point.R;
  const Vec3d axis = R0.col(2);
  Seen seen;
  double before = 0.0, back = 0.0;
  for (int k = 0; k < 6000; ++k) {
    const double about = k < 300 ? std::numbers::pi + (k % 2 == 0 ? 0.02 : -0.02) : std::numbers::pi;
    rig.target.point.R = Eigen::AngleAxisd(about, axis).toRotationMatrix() * R0;
    (void)rig.step();
    watch(rig, seen, *rig.live.newest_model());
    const double turned = rig.turn_to(R0);
    back = std::max(back, before - turned);
    before = turned;
    if (k == 299) {
      EXPECT_GT(turned, 0.1) << "it turns one way from the beginning";
    }
  }
  EXPECT_LE(seen.fastest_turn, 1.5 * 1.02);
  EXPECT_LT(back, 1e-3) << "it does not move back";
  EXPECT_TRUE(seen.within);
  EXPECT_LT(rig.turn_to(rig.target.point.R), 1e-5);
}

// Out of reach: the arm stretches, reports `damped`, and stays there without jumping or shaking.
TEST(TaskSpace, OutOfReachTheArmStretchesAndStands) {
  TaskRig rig;
  rig.aim_at_hand();
  (void)rig.step();
  rig.target.point.p_m += Vec3d(2.0, 0.0, 0.0);
  Seen seen;
  bool damped = false;
  for (int k = 0; k < 8000; ++k) {
    ASSERT_TRUE(rig.step().status.ok());
    watch(rig, seen, *rig.live.newest_model());
    damped = damped || rig.controller.task().damped;
  }
  EXPECT_TRUE(damped);
  EXPECT_TRUE(seen.within);
  EXPECT_LT(seen.hardest, largest_step_nm);
  EXPECT_LE(seen.fastest, 0.6);
  double fastest = 0.0, fastest_joint = 0.0;
  for (int k = 0; k < 500; ++k) {
    (void)rig.step();
    fastest = std::max(fastest, Vec3d(rig.frames.twist_base_axes(0).head<3>()).norm());
    for (const double v : rig.v) fastest_joint = std::max(fastest_joint, std::abs(v));
  }
  EXPECT_LT(fastest, 1e-3) << "the hand is at rest";
  EXPECT_LT(fastest_joint, 0.05) << "collinear axes may turn slowly against each other";
}

// A target behind the position limits of the joints, also where torques act later than told.
TEST(TaskSpace, JointsStopBeforeTheirPositionLimitsWithoutAStepOfTheirTorques) {
  double hardest = 0.0;
  for (const int late : {0, 1, 2, 3}) {
    for (const Vec3d& way : {Vec3d(-0.8, 0.0, 0.0), Vec3d(-0.4, 0.0, -1.0), Vec3d(0.0, -0.9, -0.3)}) {
      TaskRig rig;
      rig.delay_cycles = late;
      rig.aim_at_hand();
      (void)rig.step();
      rig.target.point.p_m += way;
      Seen seen;
      for (int k = 0; k < 5000; ++k) {
        ASSERT_TRUE(rig.step().status.ok());
        watch(rig, seen, *rig.live.newest_model());
        ASSERT_TRUE(seen.within) << late << " periods late, cycle " << k;
      }
      EXPECT_LT(seen.hardest, largest_step_nm) << late << " periods late";
      hardest = std::max(hardest, seen.hardest);
    }
  }
  std::printf("joints stop before their position limits: torque steps of at most %.3g N m\n", hardest);
}

TEST(TaskSpace, WithoutAReferenceTheHandComesToRestWhereItIs) {
  TaskRig rig;
  const Vec3d p0 = rig.hand();
  const Mat3d R0 = rig.hand_R();
  rig.target.given = true;
  for (int k = 0; k < 1500; ++k) {
    rig.target.point = circle(rig.time_s, p0, R0);
    (void)rig.step();
  }
  rig.fresh = false;
  CycleReport report;
  for (int k = 0; k < 102; ++k) report = rig.step();
  EXPECT_EQ(report.mode, Mode::holding_reference);
  const Vec3d there = rig.hand();
  for (int k = 0; k < 2000; ++k) (void)rig.step();
  EXPECT_LT((rig.hand() - there).norm(), 0.05);
  EXPECT_EQ(rig.controller.task().target.twist.norm(), 0.0);
  EXPECT_LT((rig.controller.task().target.p_m - there).norm(), 2e-3) << "where the hand was when it was noticed";
  EXPECT_LT((rig.controller.task().target.p_m - rig.hand()).norm(), 1e-6);
  EXPECT_LT(Vec3d(rig.frames.twist_base_axes(0).head<3>()).norm(), 1e-6);
  rig.fresh = true;
  rig.target.point.p_m.x() = std::nan("");
  for (int k = 0; k < 200; ++k) {
    report = rig.step();
    EXPECT_TRUE(report.status.ok());
  }
  EXPECT_TRUE(report.reference_not_finite);
  EXPECT_LT(Vec3d(rig.frames.twist_base_axes(0).head<3>()).norm(), 1e-6);
}

// With too little effort for the motion the hand is slower, on the same path.
TEST(TaskSpace, EffortLimitsSlowTheHandAndDoNotTurnItAside) {
  TaskParameters p;
  p.velocity_limit = 2.0;
  TaskRig rig(p);
  rig.parameters.effort_limit = {10.0, 180.0, 110.0, 110.0, 70.0, 40.0, 30.0};
  rig.controller.set_parameters(rig.parameters);
  rig.aim_at_hand();
  (void)rig.step();
  const Vec3d from = rig.hand();
  rig.target.point.p_m += Vec3d(0.0, 0.3, 0.0);
  double aside = 0.0;
  double share = 1.0;
  for (int k = 0; k < 3000; ++k) {
    const bool saturated = rig.step().saturated;
    share = std::min(share, rig.controller.task().effort_share);
    EXPECT_EQ(saturated, rig.controller.task().effort_share < 1.0);
    const Vec3d way = rig.hand() - from;
    aside = std::max(aside, Vec3d(way.x(), 0.0, way.z()).norm());
  }
  EXPECT_LT(share, 0.6);
  EXPECT_LT(aside, 0.01);
  EXPECT_LT(rig.reach_error(), 1e-5);
}

// A joint whose limit is below its gravity torque has no say in how fast the hand may be.
TEST(TaskSpace, AJointThatCannotEvenBearTheArmDoesNotStopTheOthers) {
  TaskRig rig;
  rig.aim_at_hand();
  (void)rig.step();
  const double half = 0.5 * std::abs(rig.controller.terms().gravity[1]);
  rig.parameters.effort_limit = {180.0, half, 110.0, 110.0, 70.0, 40.0, 30.0};
  rig.controller.set_parameters(rig.parameters);
  rig.target.point.p_m += Vec3d(0.0, 0.0, 0.1);  // up, with more of that torque
  (void)rig.step();
  EXPECT_GT(rig.controller.task().effort_share, 0.0);
  EXPECT_NEAR(std::abs(rig.effort[1]), half, 1e-9);
}

TEST(TaskSpace, RunsInRealTime) {
  TaskRig rig;
  rig.aim_at_hand();
  rig.target.point.p_m.x() += 0.2;
  (void)rig.step();
  std::int64_t locks = 0;
  const std::vector<double> zero(7, 0.0);
  control::ReferenceInput reference{rig.q, rig.v, zero};
  reference.task = &rig.target;
  const auto count = test::count_allocations([&] {
    locks = test::count_lock_calls([&] {
      for (int k = 0; k < 200; ++k) {
        (void)rig.controller.step({rig.q, rig.v, nullptr, k % 10 == 9 ? 0.02 : 0.0}, reference, rig.effort);
        rig.controller.warm_up();
      }
    });
  });
  EXPECT_TRUE(count.none()) << count.allocations;
  EXPECT_EQ(locks, 0);
}

}  // namespace
}  // namespace dyn::control
