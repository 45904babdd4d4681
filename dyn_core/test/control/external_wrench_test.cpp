// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Forces on a hand that is held, as the momentum observer and the model estimate them.
#include "dyn_core/control/external_wrench.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "control/task_rig.hpp"
#include "live/arm.hpp"
#include "support/allocation_counter.hpp"
#include "support/lock_counter.hpp"

namespace dyn::control {
namespace {

using test::TaskRig;

// The hand held where it is, stiffly.
struct Held : TaskRig {
  explicit Held(std::vector<double> start = {0.0, 0.5, 0.0, -1.5, 0.0, 1.1, 0.0})
      : TaskRig(stiff(), std::move(start)), observed(live.max_coordinates()) {
    aim_at_hand();
  }
  static TaskParameters stiff() {
    TaskParameters task;
    task.mode = TaskMode::impedance;
    task.stiffness = {3000.0, 3000.0, 3000.0, 100.0, 100.0, 100.0};
    task.posture_p = 400.0;
    task.posture_d = 40.0;
    return task;
  }
  const WrenchEstimate& cycle() {
    const CycleReport report = step();
    EXPECT_TRUE(report.status.ok());
    live::Generation* const generation = controller.last_generation();
    EXPECT_NE(generation, nullptr);
    return observed.update(limits, generation->dynamics, generation->frames, 0, controller.terms().external,
                           !report.ramping);
  }
  WrenchEstimate after(int cycles) {
    for (int k = 1; k < cycles; ++k) (void)cycle();
    return cycle();
  }
  // What the joints feel of a wrench at the hand, at the state of this cycle.
  std::vector<double> felt(const Vec6d& push) {
    (void)cycle();
    live::Generation& generation = *controller.last_generation();
    generation.frames.update(generation.dynamics, 0, frame_pose | frame_J);
    const auto J = generation.frames.J_base_axes(0);
    std::vector<double> external(9, 0.0);
    for (Eigen::Index i = 0; i < 7; ++i) external[i] = J.col(i).dot(push);
    return external;
  }
  const WrenchEstimate& estimate(const WrenchParameters& how, const std::vector<double>& external) {
    live::Generation& generation = *controller.last_generation();
    return observed.update(how, generation.dynamics, generation.frames, 0, external, true);
  }
  WrenchParameters limits;
  ExternalWrench observed;
};

TEST(ExternalWrench, IsWhatPushesAtTheHand) {
  for (const Vec3d& push : {Vec3d(5.0, 0.0, 0.0), Vec3d(0.0, -7.0, 2.0), Vec3d(3.0, 4.0, 12.0)}) {
    Held arm;
    EXPECT_LT(arm.after(50).wrench.norm(), 1e-3) << "no external force";
    arm.on_hand = [push](const Vec3d&, const Vec3d&) { return push; };
    const WrenchEstimate seen = arm.after(1500);
    EXPECT_TRUE(seen.known);
    EXPECT_FALSE(seen.damped);
    EXPECT_LT((seen.wrench.head<3>() - push).norm(), 0.005 * push.norm());
    EXPECT_LT(seen.wrench.tail<3>().norm(), 0.002 * push.norm()) << "a force at the origin has no moment";
    EXPECT_LT(seen.unexplained, 0.01);
    EXPECT_LT((seen.R - arm.hand_R()).norm(), 1e-3);
  }
}

TEST(ExternalWrench, FiveNewtonsAreAContactWithin20Milliseconds) {
  Held arm;
  arm.limits.force_threshold_N = 3.0;
  EXPECT_FALSE(arm.after(50).contact);
  const Vec3d push = 5.0 * Vec3d(1.0, 2.0, -2.0).normalized();
  arm.on_hand = [push](const Vec3d&, const Vec3d&) { return push; };
  int cycles = 1;
  while (!arm.cycle().contact && cycles < 100) ++cycles;
  EXPECT_LE(cycles, 20);
  EXPECT_GT(arm.observed.newest().direction.dot(push.normalized()), 0.99);
  EXPECT_TRUE(arm.after(100).contact);

  arm.on_hand = [push](const Vec3d&, const Vec3d&) { return Vec3d(0.5 * push); };
  EXPECT_TRUE(arm.after(200).contact) << "2.5 N are above 0.7 times the threshold";
  arm.on_hand = nullptr;
  const WrenchEstimate over = arm.after(200);
  EXPECT_FALSE(over.contact);
  EXPECT_EQ(over.direction.norm(), 0.0);
}

// A moment about the last joint's axis is seen by that joint alone.
TEST(ExternalWrench, AMomentIsAContactToo) {
  Held arm;
  arm.limits.moment_threshold_Nm = 0.05;
  const Mat3d R = arm.hand_R();
  EXPECT_FALSE(arm.after(20).contact);
  arm.effort.assign(arm.effort.size(), 0.0);
  std::vector<double> external(9, 0.0);
  live::Generation& generation = *arm.controller.last_generation();
  generation.frames.update(generation.dynamics, 0, frame_pose | frame_J);
  const auto J = generation.frames.J_base_axes(0);
  const Vec3d moment = R * Vec3d(0.0, 0.0, 0.4);
  for (Eigen::Index i = 0; i < 7; ++i) external[i] = J.col(i).tail<3>().dot(moment);
  const auto& seen = arm.observed.update(arm.limits, generation.dynamics, generation.frames, 0, external, true);
  EXPECT_TRUE(seen.contact);
  EXPECT_LT((seen.wrench.tail<3>() - moment).norm(), 1e-9);
  EXPECT_LT(seen.wrench.head<3>().norm(), 1e-9);
  EXPECT_FALSE(arm.observed.update(arm.limits, generation.dynamics, generation.frames, 0, external, false).contact)
      << "not while a payload is ramped";
}

TEST(ExternalWrench, APushElsewhereIsNotExplained) {
  Held arm;
  arm.on_elbow = [](const Vec3d&, const Vec3d&) { return Vec3d(0.0, 10.0, 0.0); };
  EXPECT_GT(arm.after(100).unexplained, 0.2);
}

Vec6d some_wrench() { return (Vec6d() << 4.0, -3.0, 1.0, 0.2, 0.1, -0.1).finished(); }

// Stretched upwards no joint has a torque from a force along the arm: that direction is not known, the others are
// exact.
TEST(ExternalWrench, NearASingularPostureItSaysSoAndDoesNotBlowUp) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0.0, 0.01);
  const Vec6d push = some_wrench();
  for (const double bend : {0.0, 1e-9, 1e-6, 1e-3, 0.01}) {
    Held arm({0.1, 0.4, 0.2, bend, 0.3, 0.5, 0.1});
    std::vector<double> external = arm.felt(push);
    for (size_t i = 0; i < 7; ++i) external[i] += noise(random);
    const auto& seen = arm.estimate({}, external);
    EXPECT_TRUE(seen.known);
    EXPECT_TRUE(seen.damped) << bend;
    EXPECT_LT(seen.smallest_singular_value, 0.05);
    EXPECT_LT(seen.wrench.norm(), 1.2 * push.norm()) << bend;
    // The estimate explains the torque of every joint.
    EXPECT_LT(seen.unexplained, 0.06) << bend;
  }
}

TEST(ExternalWrench, WithoutDampingItIsExactWhereverItIsKnown) {
  Held arm({0.1, 0.4, 0.2, 0.01, 0.3, 0.5, 0.1});
  const Vec6d push = some_wrench();
  WrenchParameters exact;
  exact.damp_below = 0.0;
  const auto& seen = arm.estimate(exact, arm.felt(push));
  EXPECT_FALSE(seen.damped);
  EXPECT_LT((seen.wrench - push).norm(), 1e-9);
}

// Three joints in a plane: two forces and a moment, all of them observable.
TEST(ExternalWrench, AnArmOfThreeJointsKnowsItsPlane) {
  const auto model = std::make_shared<const Model>(load_model("planar3"));
  Dynamics dynamics(model);
  Frames frames(model, {model->links().back().name});
  ASSERT_TRUE(dynamics.update(std::vector<double>{0.3, 0.7, 0.9}, std::vector<double>(3, 0.0)).ok());
  frames.update(dynamics, 0, frame_pose | frame_J);
  const auto J = frames.J_base_axes(0);
  std::vector<double> external(3, 0.0);
  const Vec3d about = J.col(0).tail<3>();  // the axis of all joints
  Vec6d push;
  push << Vec3d(about.unitOrthogonal()) * 6.0, about * 0.5;
  for (Eigen::Index i = 0; i < 3; ++i) external[i] = J.col(i).dot(push);
  ExternalWrench observed(3);
  const auto& seen = observed.update({}, dynamics, frames, 0, external, true);
  EXPECT_TRUE(seen.damped);
  EXPECT_EQ(seen.smallest_singular_value, 0.0);
  EXPECT_LT((seen.wrench - push).norm(), 1e-9);
}

// Drives that add gravity themselves: that torque is not external. A plant without gravity is an arm with such drives.
TEST(ExternalWrench, GravityOfTheDriveIsNoPush) {
  Held arm;
  arm.parameters.gravity_compensation = GravityCompensation::hardware;
  arm.controller.set_parameters(arm.parameters);
  arm.plant.set_gravity(Vec3d::Zero());
  const WrenchEstimate seen = arm.after(300);
  EXPECT_LT(seen.wrench.norm(), 1e-3);
  for (size_t i = 0; i < 7; ++i) EXPECT_LT(std::abs(arm.controller.terms().external[i]), 1e-3);
}

TEST(ExternalWrench, NothingIsKnownOfAnAbsentFrameOrFromNoNumber) {
  Held arm;
  (void)arm.cycle();
  live::Generation& generation = *arm.controller.last_generation();
  std::vector<double> external(9, 0.0);
  external[3] = std::nan("");
  EXPECT_FALSE(arm.observed.update({}, generation.dynamics, generation.frames, 0, external, true).known);
  EXPECT_EQ(arm.observed.newest().wrench.norm(), 0.0);
  Frames absent(arm.live.newest_model(), {"nowhere"}, Frames::Absent::accepted);
  external[3] = 0.0;
  EXPECT_FALSE(arm.observed.update({}, generation.dynamics, absent, 0, external, true).known);
}

TEST(ExternalWrench, RunsInRealTime) {
  for (const double bend : {-1.5, 0.0}) {
    Held arm({0.0, 0.5, 0.0, bend, 0.0, 1.1, 0.0});
    (void)arm.cycle();
    live::Generation& generation = *arm.controller.last_generation();
    std::int64_t locks = 0;
    const auto count = test::count_allocations([&] {
      locks = test::count_lock_calls([&] {
        for (int k = 0; k < 100; ++k) {
          (void)arm.observed.update({}, generation.dynamics, generation.frames, 0, arm.controller.terms().external,
                                    true);
        }
      });
    });
    EXPECT_TRUE(count.none()) << count.allocations;
    EXPECT_EQ(locks, 0);
  }
}

}  // namespace
}  // namespace dyn::control
