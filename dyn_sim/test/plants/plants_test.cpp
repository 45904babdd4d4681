// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What every engine must do, on a wheel whose motion is known in closed form.
#include "plants.hpp"

#include <atomic>
#include <cmath>

#include "dyn_sim/dormand_prince.hpp"

namespace dyn::sim::test {
namespace {

TEST_P(Plants, ConstantTorqueMakesConstantAcceleration) {
  const auto plant = make(settings_);
  hold(*plant, {0.2}, 1000);
  EXPECT_NEAR(plant->v()[0], 0.2 / wheel_inertia_kgm2, 1e-9);
  EXPECT_NEAR(plant->q()[0], 0.5 * 0.2 / wheel_inertia_kgm2, 1e-9);
}

TEST_P(Plants, ArmatureIsInertiaOfTheRotor) {
  settings_.armature = true;
  const auto plant = make(settings_);
  hold(*plant, {0.3}, 1000);
  EXPECT_NEAR(plant->v()[0], 0.3 / (wheel_inertia_kgm2 + 0.25), 1e-9);
}

TEST_P(Plants, DampingLetsTheWheelRunOut) {
  settings_.friction = true;
  auto arm = wheel();
  arm.joints[0].friction = 0.0;
  const auto plant = make(settings_, arm);
  plant->reset(std::vector{0.0}, std::vector{1.0});
  hold(*plant, {0.0}, 1000);
  EXPECT_NEAR(plant->v()[0], std::exp(-0.3 / wheel_inertia_kgm2), 1e-7);
}

TEST_P(Plants, FrictionHoldsUntilTheTorqueIsLarger) {
  settings_.friction = true;
  const auto plant = make(settings_);
  hold(*plant, {1.2}, 1000);  // 1.5 N m would break it loose
  EXPECT_LT(std::abs(plant->q()[0]), 5e-3);
  EXPECT_LT(std::abs(plant->v()[0]), 5e-3);
  hold(*plant, {1.8}, 100);
  EXPECT_NEAR(plant->v()[0], (1.8 - 1.5) / wheel_inertia_kgm2 * 0.1, 0.02);
  hold(*plant, {0.0}, 2000);
  EXPECT_LT(std::abs(plant->v()[0]), 1e-3) << "Coulomb friction brings it to rest and does not turn it back";
}

TEST_P(Plants, StepsShorterThanANanosecondAreRefused) {
  for (const double step_s : {1e-300, 9e-10, -1.0, std::nan("")}) {
    settings_.step_s = step_s;
    EXPECT_THROW((void)make(settings_), ModelError) << step_s;
  }
}

TEST_P(Plants, GivesUpInTheMiddleOfAPeriod) {
  std::atomic<bool> give_up{false};
  settings_.step_s = 1e-3;
  settings_.give_up = &give_up;
  const auto plant = make(settings_);
  hold(*plant, {0.2}, 1);
  const double v = plant->v()[0];
  EXPECT_GT(v, 0.0);
  give_up = true;
  plant->advance(std::vector{0.2}, 1e6);
  EXPECT_EQ(plant->v()[0], v);
}

TEST(NativePlant, TakesEveryStepItIsAskedForAndLosesNoTime) {
  PlantSettings settings = plain("native");
  settings.step_s = 1e-6;
  const auto plant = make_plant(wheel(), settings, down);
  plant->reset(std::vector{0.0}, std::vector{0.0});
  plant->advance(std::vector{0.2}, 0.25);  // 250000 steps
  EXPECT_NEAR(plant->v()[0], 0.25 * 0.2 / wheel_inertia_kgm2, 1e-9);
}

TEST(NativePlant, WhatTakesTooManyStepsIsNotANumber) {
  DormandPrince integrator;
  integrator.resize(1);
  std::vector<double> x{0.0};
  const auto shaken = [](double t_s, const std::vector<double>&, std::vector<double>& xdot) {
    xdot[0] = 1e6 * std::cos(1e6 * t_s);
  };
  integrator.adaptive(shaken, 0.0, 1e-3, 1e-10, 0.0, x);
  EXPECT_NEAR(x[0], std::sin(1e3), 1e-6);
  integrator.adaptive(shaken, 0.0, 10.0, 1e-10, 0.0, x);
  EXPECT_TRUE(std::isnan(x[0])) << x[0];
}

TEST_P(Plants, EffortIsLimited) {
  settings_.limits = true;
  const auto plant = make(settings_);
  hold(*plant, {1000.0}, 100);
  EXPECT_NEAR(plant->v()[0], 4.0 / wheel_inertia_kgm2 * 0.1, 1e-6);
}

TEST_P(Plants, EndStopsHold) {
  settings_.limits = true;
  const auto plant = make(settings_);
  double furthest = 0.0;
  for (int k = 0; k < 2000; ++k) {
    plant->advance(std::vector{4.0}, 1e-3);
    furthest = std::max(furthest, plant->q()[0]);
  }
  EXPECT_LT(furthest, 1.05);
  EXPECT_NEAR(plant->q()[0], 1.0, 0.01);
  EXPECT_LT(std::abs(plant->v()[0]), 0.01);
}

// Both stops are springs with the same damper: what happens at one is the mirror of what happens at the other.
TEST_P(Plants, BothEndStopsAreTheSame) {
  settings_.limits = true;
  const auto upper = make(settings_), lower = make(settings_);
  upper->reset(std::vector{0.95}, std::vector{3.0});
  lower->reset(std::vector{-0.95}, std::vector{-3.0});
  double fastest_back = 0.0;
  for (int k = 0; k < 300; ++k) {
    hold(*upper, {2.0}, 1);
    hold(*lower, {-2.0}, 1);
    ASSERT_NEAR(upper->q()[0], -lower->q()[0], 1e-9) << k;
    ASSERT_NEAR(upper->v()[0], -lower->v()[0], 1e-6) << k;
    fastest_back = std::min(fastest_back, upper->v()[0]);
  }
  EXPECT_GT(fastest_back, -2.9) << "a stop takes energy";
}

TEST_P(Plants, TorqueComesLate) {
  settings_.delay_cycles = 3;
  const auto plant = make(settings_);
  for (int k = 0; k < 3; ++k) {
    plant->advance(std::vector{1.0}, 1e-3);
    EXPECT_EQ(plant->v()[0], 0.0) << k;
  }
  hold(*plant, {0.0}, 5);
  EXPECT_NEAR(plant->v()[0], 3.0 * 1e-3 / wheel_inertia_kgm2, 1e-12);
}

TEST_P(Plants, SensorsAreNoisyAndCoarse) {
  settings_.noise.velocity = 0.02;
  settings_.noise.position = 1e-3;
  settings_.noise.position_resolution = 1e-4;
  settings_.noise.torque = 0.5;
  const auto plant = make(settings_);
  const auto again = make(settings_);
  constexpr int samples = 20000;
  double sum_q = 0.0, sum_v = 0.0, sum_tau = 0.0;
  for (int k = 0; k < samples; ++k) {
    std::vector<double> q(1), v(1), tau(1), q2(1), v2(1);
    plant->measure(q, v);
    plant->measure_torque(tau);
    again->measure(q2, v2);  // without reading its torque sensors
    EXPECT_EQ(q[0], q2[0]) << "the same seed, the same noise";
    EXPECT_NEAR(q[0] / 1e-4, std::round(q[0] / 1e-4), 1e-9);
    sum_q += q[0] * q[0];
    sum_v += v[0] * v[0];
    sum_tau += tau[0] * tau[0];
  }
  EXPECT_NEAR(std::sqrt(sum_q / samples), 1e-3, 3e-5);
  EXPECT_NEAR(std::sqrt(sum_v / samples), 0.02, 6e-4);
  EXPECT_NEAR(std::sqrt(sum_tau / samples), 0.5, 0.015);
  EXPECT_EQ(plant->q()[0], 0.0) << "the true state has no noise";
}

// An encoder says the mark that is nearest, a torque sensor too.
TEST_P(Plants, ResolutionIsThatOfTheNearestMark) {
  settings_.noise.position_resolution = 0.02;
  settings_.noise.torque_resolution = 0.5;
  const auto plant = make(settings_);
  std::vector<double> q(1), v(1), tau(1);
  for (int k = -20; k <= 20; ++k) {
    const double position = 0.0137 * k;
    plant->reset(std::vector{position}, std::vector{0.3});
    plant->measure(q, v);
    EXPECT_LE(std::abs(q[0] - position), 0.01 + 1e-12) << position;
    EXPECT_NEAR(q[0] / 0.02, std::round(q[0] / 0.02), 1e-9);
    EXPECT_EQ(v[0], 0.3);
    hold(*plant, {0.23 * k}, 1);
    plant->measure_torque(tau);
    EXPECT_LE(std::abs(tau[0] - 0.23 * k), 0.25 + 1e-9) << k;
    EXPECT_NEAR(tau[0] / 0.5, std::round(tau[0] / 0.5), 1e-9);
  }
}

TEST_P(Plants, TorqueSensorMissesFrictionAndRotor) {
  settings_.armature = settings_.friction = true;
  settings_.noise.torque_resolution = 1e-3;
  const auto plant = make(settings_);
  hold(*plant, {3.0}, 50);
  std::vector<double> tau(1);
  plant->measure_torque(tau);
  // What turns the link alone: I qdd with (I + rotor) qdd = 3 - 1.5 - damping v.
  const double qdd = (3.0 - 1.5 - 0.3 * plant->v()[0]) / (wheel_inertia_kgm2 + 0.25);
  EXPECT_NEAR(tau[0], wheel_inertia_kgm2 * qdd, 0.02);
  EXPECT_NEAR(tau[0] / 1e-3, std::round(tau[0] / 1e-3), 1e-6);
}

// A wheel on a turntable, driven over a gear by a rotor on the turntable. By Lagrange, I the moment of the wheel:
//   (I + A) qdd = tau - (I + J N) Omegadot,  sensed: I (qdd + Omegadot)
TEST_P(Plants, RotorsActOnTheLinkThatCarriesThem) {
  constexpr double armature = 0.25, N = 50.0;
  RobotDescription robot = wheel();
  robot.links.push_back({"floor", {}});
  robot.links[0].inertial = Inertial{2.0, Vec3d::Zero(), Vec3d(1.0, 1.0, 1.0).asDiagonal()};
  JointDescription turntable = robot.joints[0];
  turntable.name = "turntable";
  turntable.parent_link = "floor";
  turntable.child_link = "base";
  turntable.armature = 0.0;
  robot.joints.push_back(turntable);
  robot.joints[0].rotor = Rotor{N, Vec3d::UnitZ()};
  settings_.armature = true;
  if (GetParam() == "mujoco") {
    EXPECT_THROW(make(settings_, robot), ModelError);
    return;
  }
  const auto plant = make(settings_, robot);
  ASSERT_EQ(plant->model().joints()[1].description.name, "axle");
  hold(*plant, {0.4, 0.3}, 1);
  std::vector<double> tau(2), a(2);
  plant->measure_torque(tau);
  plant->acceleration(a);
  EXPECT_NEAR(0.3, (wheel_inertia_kgm2 + armature) * a[1] + (wheel_inertia_kgm2 + armature / N) * a[0], 1e-12);
  EXPECT_NEAR(0.4, (1.0 + wheel_inertia_kgm2) * a[0] + (wheel_inertia_kgm2 + armature / N) * a[1], 1e-12);
  EXPECT_NEAR(tau[0], 0.4, 1e-12);
  EXPECT_NEAR(tau[1], wheel_inertia_kgm2 * (a[0] + a[1]), 1e-12);
}

// Two wheels with q2 = N q1, the offset o on the second: (1 + N^2) I q1dd = tau - N o.
TEST_P(Plants, TheOffsetOfAMimicJointIsConstant) {
  constexpr double N = -0.5, offset = 0.4;
  RobotDescription robot = wheel();
  robot.joints[0].damping = robot.joints[0].friction = 0.0;
  robot.links.push_back(robot.links[1]);
  robot.links[2].name = "follower";
  robot.joints.push_back(robot.joints[0]);
  robot.joints[1].name = "mimic";
  robot.joints[1].child_link = "follower";
  robot.joints[1].friction_offset = offset;
  robot.joints[1].mimic = Mimic{"axle", N, 0.0};
  settings_.friction = true;
  const auto plant = make(settings_, robot);
  const double qdd = (0.1 - N * offset) / ((1.0 + N * N) * wheel_inertia_kgm2);
  hold(*plant, {0.1}, 200);
  EXPECT_NEAR(plant->v()[0], 0.2 * qdd, 0.01 * 0.2 * qdd);  // MuJoCo holds a mimic joint by a constraint
  std::vector<double> a(1);
  for (int k = 0; k < 3; ++k) plant->acceleration(a);
  EXPECT_NEAR(a[0], qdd, 0.01 * qdd);
}

TEST_P(Plants, OverridesChangeThePlant) {
  settings_.friction = settings_.armature = true;
  settings_.overrides.push_back({"rim", 1.0, Vec3d::Zero(), 2.0});
  settings_.joint_overrides.push_back({"axle", 0.0, 0.0, 0.5});
  const auto plant = make(settings_);
  hold(*plant, {0.3}, 1000);
  EXPECT_NEAR(plant->v()[0], 0.3 / (2.0 * wheel_inertia_kgm2 + 0.5), 1e-9);
}

// Damping and friction forwards and backwards.
struct Resistance {
  double damping, friction, damping_back, friction_back;
  bool operator==(const Resistance&) const = default;
};
Resistance resistance_of(const Plant& plant) {
  const JointDescription& joint = plant.model().joints()[0].description;
  return {joint.damping, joint.friction, joint.damping_negative.value_or(joint.damping),
          joint.friction_negative.value_or(joint.friction)};
}

TEST_P(Plants, FrictionIsScaledInBothDirections) {
  auto model = wheel(), truth = wheel();
  truth.joints[0].damping = 4.0;
  truth.joints[0].friction = 2.0;
  truth.joints[0].damping_negative = 6.0;
  truth.joints[0].friction_negative = 8.0;
  settings_.friction = true;
  settings_.robot = std::make_shared<const RobotDescription>(truth);
  JointOverride scaled{"axle", {}, {}, {}};
  scaled.friction_scale = 0.5;
  settings_.joint_overrides = {scaled};
  EXPECT_EQ(resistance_of(*make(settings_, model)), (Resistance{2.0, 1.0, 3.0, 4.0}));
  settings_.joint_overrides = {scaled, scaled};
  EXPECT_EQ(resistance_of(*make(settings_, model)), (Resistance{1.0, 0.5, 1.5, 2.0}));
  scaled.damping = 10.0;  // holds in both directions
  settings_.joint_overrides = {scaled};
  EXPECT_EQ(resistance_of(*make(settings_, model)), (Resistance{5.0, 1.0, 5.0, 4.0}));
  scaled.friction = 0.0;
  settings_.joint_overrides = {scaled};
  EXPECT_EQ(resistance_of(*make(settings_, model)), (Resistance{5.0, 0.0, 5.0, 0.0}));
}

TEST_P(Plants, OverridesOfWhatIsNotThereAreRefused) {
  settings_.overrides.push_back({"spoke", 2.0, Vec3d::Zero(), 1.0});
  EXPECT_THROW(make(settings_), ModelError);
  settings_.overrides.clear();
  settings_.joint_overrides.push_back({"hinge", 0.0, 0.0, 0.0});
  EXPECT_THROW(make(settings_), ModelError);
}

INSTANTIATE_TEST_SUITE_P(Engine, Plants, testing::ValuesIn(engines()), [](const auto& e) { return e.param; });

}  // namespace
}  // namespace dyn::sim::test
