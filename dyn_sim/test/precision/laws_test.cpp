// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The laws and the momentum observer in a closed loop with the native plant.
#include <gtest/gtest.h>

#include "closed_loop.hpp"
#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_sim/precision.hpp"

namespace dyn::sim {
namespace {

using control::CycleReport;
using control::Law;
using test::ClosedLoop;

ArmConfig moving_arm7() { return arm7_moves(1000.0, 0.5).arms.front(); }

Payload box(double mass_kg = 3.0) {
  Inertial inertial;
  inertial.mass_kg = mass_kg;
  inertial.com_m = Vec3d(0.0, 0.0, 0.06);
  inertial.inertia_com_kgm2 = mass_kg / 3.0 * inertia_tensor(0.0072, 0.0, 0.0, 0.0072, 0.0, 0.006);
  return Payload::rigid("box", "tool0", inertial);
}

// --- references that come from outside
// --------------------------------------------------------------------------------

TEST(References, ExtrapolatedOnesTrackNearlyAsWell) {
  ClosedLoop loop(moving_arm7());
  EXPECT_LT(loop.run(7.0), 5e-7);
}

TEST(References, OnesThatLeadAreTakenBack) {
  ArmConfig arm = moving_arm7();
  arm.controller.reference_lead = 1.0;
  ClosedLoop known(arm);
  known.lead = 1.0;
  EXPECT_LT(known.run(7.0), 2e-6);
  ClosedLoop unknown(moving_arm7());
  unknown.lead = 1.0;
  EXPECT_GT(unknown.run(7.0), 1e-4);
}

TEST(References, AKnownDelayIsMadeUpFor) {
  ArmConfig arm = moving_arm7();
  arm.plant.delay_cycles = 2;
  ClosedLoop ignorant(arm);
  arm.controller.prediction = 2.5;
  ClosedLoop aware(arm);
  EXPECT_LT(aware.run(7.0) * 20.0, ignorant.run(7.0));
}

// --- passivity, adaptive
// ----------------------------------------------------------------------------------------------

TEST(PassivityLaw, TracksLikeComputedTorqueOnARightModel) {
  ArmConfig arm = moving_arm7();
  arm.controller.law = Law::passivity;
  ClosedLoop loop(arm);
  EXPECT_LT(loop.run(7.0), 1e-6);
}

ArmConfig exciting_arm7(Law law) {
  ArmConfig arm = moving_arm7();
  arm.trajectory = make_fourier(Point(7, 0.2), Point(7, 1.0), 0.25, 5, 4);
  for (JointDescription& joint : arm.description.joints) {  // which is faster than arm7
    if (joint.limits) joint.limits->velocity = 1e3;
  }
  arm.controller.gains.assign(7, {100.0, 20.0, 0.0, 0.0});
  arm.controller.law = law;
  arm.payload_link = "tool0";
  return arm;
}

TEST(AdaptiveLaw, LearnsAPayloadItWasNotTold) {
  ClosedLoop rigid(exciting_arm7(Law::passivity));
  ClosedLoop learning(exciting_arm7(Law::adaptive));
  rigid.plant->attach(box());
  learning.plant->attach(box());
  rigid.run(20.0);
  learning.run(20.0);
  EXPECT_LT(learning.run(4.0) * 20.0, rigid.run(4.0));
  const BodyInertia learnt = learning.controller.estimated_payload();
  EXPECT_NEAR(learnt.mass_kg, 3.0, 0.15);
  EXPECT_NEAR(learnt.com_m.z(), 0.06, 0.02);
  EXPECT_LT(learnt.com_m.head<2>().norm(), 0.02);
}

// Attached to the model after all, the payload is not counted twice for long: the estimate gives its mass back.
TEST(AdaptiveLaw, ForgetsWhatTheModelIsToldLater) {
  ClosedLoop loop(exciting_arm7(Law::adaptive));
  loop.plant->attach(box());
  loop.run(20.0);
  (void)loop.live.attach(box(), 0.0);
  loop.run(20.0);
  EXPECT_LT(loop.controller.estimated_payload().mass_kg, 0.6);
}

TEST(AdaptiveLaw, NeedsALinkToLearnOn) {
  ArmConfig arm = exciting_arm7(Law::adaptive);
  arm.payload_link.clear();
  EXPECT_THROW(ClosedLoop{arm}, ModelError);
  arm.payload_link = "no_such_link";
  EXPECT_THROW(ClosedLoop{arm}, ModelError);
}

// --- momentum observer
// ------------------------------------------------------------------------------------------------

ArmConfig watched_arm7() {
  ArmConfig arm = moving_arm7();
  arm.controller.observer_gain = 100.0;
  arm.controller.collision_threshold = 0.5;
  return arm;
}

TEST(MomentumObserver, SeesAPushOfFiveNewtonAtTheFlangeWithin20ms) {
  for (const Vec3d& direction : {Vec3d(1.0, 0.0, 0.0), Vec3d(0.0, 1.0, 0.0), Vec3d(0.0, 0.0, 1.0)}) {
    ClosedLoop loop(watched_arm7());
    for (int k = 0; k < 2500; ++k) ASSERT_FALSE(loop.step().collision) << loop.time_s;
    loop.plant->push("tool0", 5.0 * direction, Vec3d::Zero());
    int cycles = 0;
    while (cycles < 100 && !loop.step().collision) ++cycles;
    EXPECT_LT(cycles, 20) << direction.transpose();
  }
}

// What it says is the torque that the push makes, J^T f: joint 1 turns about z, so that it is x f_y - y f_x.
TEST(MomentumObserver, MeasuresTheTorqueOfAPush) {
  ArmConfig arm = watched_arm7();
  arm.trajectory = make_timed_quintic({Point{0.3, 0.5, -0.2, 0.9, 0.1, 0.4, 0.0}}, 1.0);
  ClosedLoop loop(arm);
  loop.plant->push("tool0", Vec3d(0.0, 5.0, 0.0), Vec3d::Zero());
  loop.run(1.0);
  const Model& model = loop.plant->model();
  Workspace<double> ws(model.bodies());
  spread_positions(model.tree(), loop.plant->q().data(), ws);
  update_kinematics(model.tree(), ws, needs_positions);
  const Link& tool = *model.find_link("tool0");
  const size_t b = tool.body;
  const Vec3d point = ws.origin[b] + ws.R[b] * tool.body_T_link.p_m;
  EXPECT_NEAR(loop.controller.terms().external[0], point.x() * 5.0, 0.01 * std::abs(point.x() * 5.0));
}

TEST(MomentumObserver, NoCollisionWherePayloadsAndAlgorithmsChange) {
  ClosedLoop loop(watched_arm7());
  double worst = 0.0;
  const auto watch = [&](double until_s) {
    while (loop.time_s < until_s - 1e-9) {
      const CycleReport report = loop.step();
      ASSERT_FALSE(report.collision) << "at " << loop.time_s << " s";
      for (const double torque : loop.controller.terms().external) {
        if (!report.ramping) worst = std::max(worst, std::abs(torque));
      }
    }
  };
  watch(1.0);
  loop.live.set_jsim("gdahj");
  loop.live.set_coriolis("kronecker");
  watch(2.0);
  loop.plant->attach(box());
  (void)loop.live.attach(box(), 0.0);
  watch(2.5);
  loop.live.set_jsim("explicit");
  watch(3.2);
  EXPECT_LT(worst, 0.15);  // of 20 N m that the payload weighs
  (void)loop.live.detach("box", 0.1);
  loop.plant->detach("box");
  watch(4.5);
  loop.plant->attach(box());
  (void)loop.live.attach(box(), 0.1);
  watch(6.0);
}

TEST(MomentumObserver, APayloadThatNobodyToldOfIsFelt) {
  ClosedLoop loop(watched_arm7());
  loop.run(3.0);
  loop.plant->attach(box());
  int cycles = 0;
  while (cycles < 100 && !loop.step().collision) ++cycles;
  EXPECT_LT(cycles, 20);
}

TEST(MomentumObserver, FeedforwardAloneIsWatchedToo) {
  ArmConfig arm = watched_arm7();
  arm.controller.law = Law::feedforward;
  arm.controller.gains.assign(7, {200.0, 10.0, 0.0, 0.0});
  ClosedLoop loop(arm);
  for (int k = 0; k < 2500; ++k) ASSERT_FALSE(loop.step().collision) << loop.time_s;
  loop.plant->push("tool0", Vec3d(0.0, 20.0, 0.0), Vec3d::Zero());
  int cycles = 0;
  while (cycles < 100 && !loop.step().collision) ++cycles;
  EXPECT_LT(cycles, 20);
}

// --- passive joints
// ---------------------------------------------------------------------------------------------------

// A crucible on a joint without a motor: with passive_damping the arm gives way a little and the swing dies sooner.
TEST(PassiveJoint, SwingIsDampedByTheArm) {
  const auto swing_after = [](double damping) {
    ArmConfig arm = moving_arm7();
    arm.description = load_robot("pelican");
    arm.controller.gains.assign(2, {100.0, 20.0, 0.0, 0.0});
    arm.controller.passive_damping = damping;
    arm.trajectory = make_timed_quintic({Point{-0.8, -0.77}, Point{-0.1, -1.2}, Point{-0.8, -0.77}}, 0.8);
    ClosedLoop loop(arm);
    const Payload crucible = Payload::articulated("crucible", "tool0", load_robot("crucible"));
    loop.plant->attach(crucible);
    (void)loop.live.attach(crucible, 0.0);
    loop.run(4.0);
    double fastest = 0.0;
    for (int k = 0; k < 1000; ++k) {
      (void)loop.step();
      EXPECT_EQ(loop.effort[2], 0.0);
      fastest = std::max(fastest, std::abs(loop.plant->v()[2]));
    }
    return fastest;
  };
  const double free = swing_after(0.0);
  EXPECT_GT(free, 0.5);
  EXPECT_LT(swing_after(1.0), 0.3 * free);  // a swing falls by exp(-t / 2 s)
  EXPECT_LT(swing_after(4.0), 0.03 * free);
}

}  // namespace
}  // namespace dyn::sim
