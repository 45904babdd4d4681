// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The simulated drives against the plant: servos reach what they are told, brakes hold, efforts pass through.
#include <gtest/gtest.h>

#include <cmath>

#include "dyn_controllers/simulated_drives.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_sim/plant.hpp"

namespace dyn_controllers::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double period = 0.001;

struct Bench {
  Bench() : drives((plant = make())->model(), {}) {
    plant->reset(std::vector<double>{0.0, 0.5, 0.0, 0.8, 0.0, -0.4, 0.0}, std::vector<double>(7, 0.0));
  }
  static std::unique_ptr<dyn::sim::Plant> make() {
    dyn::sim::PlantSettings settings;
    settings.friction = false;
    return dyn::sim::make_native_plant(dyn::load_robot("arm7"), settings, {0.0, 0.0, -9.81});
  }
  void run(int cycles) {
    for (int i = 0; i < cycles; ++i) plant->advance(drives.torques(plant->q(), plant->v(), period), period);
  }
  std::unique_ptr<dyn::sim::Plant> plant;
  SimulatedDrives drives;
};

TEST(Drives, BrakesHoldTheArmAgainstGravity) {
  Bench bench;
  bench.run(1000);
  EXPECT_NEAR(bench.plant->q()[1], 0.5, 1e-6);
  EXPECT_NEAR(bench.plant->q()[3], 0.8, 1e-6);
}

TEST(Drives, AMovingArmIsBrakedToRest) {
  Bench bench;
  bench.plant->reset(std::vector<double>(7, 0.2), std::vector<double>(7, 0.5));
  bench.run(300);
  for (const double v : bench.plant->v()) EXPECT_LT(std::abs(v), 1e-4);
}

TEST(Drives, PositionAndVelocityServosFollow) {
  Bench bench;
  bench.drives.set_mode(0, DriveMode::position, true);
  bench.drives.set_mode(2, DriveMode::velocity, true);
  double wanted = 0.0;
  for (int i = 0; i < 1000; ++i) {
    wanted = 0.2 * (1.0 - std::cos(0.001 * i));
    bench.drives.command(0, wanted, nan, nan);
    bench.drives.command(2, nan, 0.3, nan);
    bench.run(1);
  }
  EXPECT_NEAR(bench.plant->q()[0], wanted, 2e-4);
  EXPECT_NEAR(bench.plant->v()[2], 0.3, 1e-3);
  EXPECT_NEAR(bench.plant->q()[1], 0.5, 1e-4) << "and the others are braked";
}

TEST(Drives, EffortsPassThroughBesideServos) {
  Bench bench;
  dyn::Dynamics dynamics(bench.plant->model());
  ASSERT_TRUE(dynamics.update(bench.plant->q(), bench.plant->v()).ok());
  bench.drives.set_mode(1, DriveMode::effort, true);
  const double push = dynamics.g()[1] + 4.0;
  bench.drives.command(1, nan, nan, push);
  const auto torques = bench.drives.torques(bench.plant->q(), bench.plant->v(), period);
  EXPECT_EQ(torques[1], push);
  std::vector<double> qdd(7);
  ASSERT_TRUE(dynamics.forward(torques, qdd).ok());
  for (size_t i = 0; i < 7; ++i) {
    if (i == 1) continue;
    EXPECT_NEAR(qdd[i], 0.0, 1e-9) << "braked joints do not feel it";
  }
  EXPECT_GT(qdd[1], 0.1);
}

std::vector<double> effort_limits() {
  std::vector<double> all;
  const dyn::Model model = dyn::load_model("arm7");
  for (const dyn::Joint& joint : model.joints()) all.push_back(joint.description.limits->effort);
  return all;
}

// From full motion to rest within the efforts that the joints have, on a straight way, and without a jump of a speed.
TEST(Drives, ABrakeKnowsTheEffortLimits) {
  Bench bench;
  const std::vector<double> speed{1.9, -1.5, 2.0, -2.0, 2.8, -3.0, 3.5}, limit = effort_limits();
  bench.plant->reset(std::vector<double>{0.0, 0.5, 0.0, 0.8, 0.0, -0.4, 0.0}, speed);
  std::vector<double> last = speed;
  double largest = 0.0, jump = 0.0;
  for (int cycle = 0; cycle < 1000; ++cycle) {
    const auto torques = bench.drives.torques(bench.plant->q(), bench.plant->v(), period);
    for (size_t i = 0; i < 7; ++i) largest = std::max(largest, std::abs(torques[i]) / limit[i]);
    bench.plant->advance(torques, period);
    for (size_t i = 0; i < 7; ++i) {
      jump = std::max(jump, std::abs(bench.plant->v()[i] - last[i]));
      last[i] = bench.plant->v()[i];
    }
  }
  EXPECT_LE(largest, 1.0);
  EXPECT_GT(largest, 0.9) << "and it uses them";
  EXPECT_LT(jump, 0.5);
  for (const double v : bench.plant->v()) EXPECT_LT(std::abs(v), 1e-6);
}

// A position that is a radian away: no faster than the joint may be, no stronger, and not beyond it.
TEST(Drives, APositionServoKeepsToTheLimitsOfItsJoint) {
  Bench bench;
  const std::vector<double> limit = effort_limits();
  for (int i = 0; i < 7; ++i) bench.drives.set_mode(i, DriveMode::position, true);
  const std::vector<double> start(bench.plant->q().begin(), bench.plant->q().end());
  double fastest = 0.0, strongest = 0.0, farthest = 0.0;
  for (int cycle = 0; cycle < 3000; ++cycle) {
    for (int i = 0; i < 7; ++i) {
      bench.drives.command(i, start[i] + (i == 0 ? 1.0 : 0.0), nan, nan);
    }
    const auto torques = bench.drives.torques(bench.plant->q(), bench.plant->v(), period);
    for (size_t i = 0; i < 7; ++i) strongest = std::max(strongest, std::abs(torques[i]) / limit[i]);
    bench.plant->advance(torques, period);
    fastest = std::max(fastest, std::abs(bench.plant->v()[0]));
    farthest = std::max(farthest, bench.plant->q()[0]);
  }
  EXPECT_LE(strongest, 1.0);
  EXPECT_LE(fastest, 1.9 + 1e-6);
  EXPECT_NEAR(bench.plant->q()[0], 1.0, 1e-5);
  EXPECT_LT(farthest, 1.01);
}

TEST(Drives, WithoutACommandAnEffortDriveBrakes) {
  Bench bench;
  for (int i = 0; i < 7; ++i) bench.drives.set_mode(i, DriveMode::effort, true);
  bench.run(500);
  EXPECT_NEAR(bench.plant->q()[1], 0.5, 1e-6);
}

}  // namespace
}  // namespace dyn_controllers::test
