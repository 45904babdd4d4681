// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The native integrator against itself, and MuJoCo against the native engine: two implementations that share no
// dynamics.
#include <algorithm>
#include <cmath>

#include "plants.hpp"

namespace dyn::sim::test {
namespace {

std::vector<double> waves(int n, double phase, double size) {
  std::vector<double> x(n);
  for (size_t i = 0; i < x.size(); ++i) x[i] = size * std::sin(phase + 1.7 * static_cast<double>(i));
  return x;
}

// The arm under torques that change every cycle.
std::vector<double> swing(Plant& plant, int cycles) {
  const int n = plant.model().coordinates();
  plant.reset(waves(n, 0.3, 0.6), waves(n, 1.1, 0.8));
  for (int k = 0; k < cycles; ++k) plant.advance(waves(n, 0.01 * k, 5.0), 1e-3);
  std::vector<double> x(plant.q().begin(), plant.q().end());
  x.insert(x.end(), plant.v().begin(), plant.v().end());
  return x;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0.0;
  EXPECT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(NativeIntegrator, FixedStepsConvergeAtFifthOrder) {
  auto settings = plain("native");
  settings.tolerance = 0.0;
  settings.armature = true;
  auto exactly = plain("native");
  exactly.armature = true;
  std::vector<double> errors;
  for (const double step : {2e-2, 1e-2}) {
    settings.step_s = step;
    auto plant = make_plant(robot("arm7"), settings, down);
    auto exact = make_plant(robot("arm7"), exactly, down);
    const int n = plant->model().coordinates();
    for (auto* p : {plant.get(), exact.get()}) p->reset(waves(n, 0.3, 0.6), waves(n, 1.1, 0.8));
    for (int k = 0; k < 5; ++k) {
      plant->advance(waves(n, 0.0, 5.0), 2e-2);
      exact->advance(waves(n, 0.0, 5.0), 2e-2);
    }
    double worst = 0.0;
    for (size_t i = 0; i < plant->v().size(); ++i) worst = std::max(worst, std::abs(plant->v()[i] - exact->v()[i]));
    errors.push_back(worst);
  }
  EXPECT_GT(errors[0] / errors[1], 20.0) << errors[0] << " and " << errors[1];  // 2^5 = 32
  EXPECT_LT(errors[1], 1e-5);
}

TEST(NativeIntegrator, ToleranceIsKept) {
  auto loose = plain("native"), strict = plain("native");
  loose.tolerance = 1e-6;
  strict.tolerance = 1e-12;
  const auto a = swing(*make_plant(robot("arm7"), loose, down), 200);
  const auto b = swing(*make_plant(robot("arm7"), strict, down), 200);
  EXPECT_LT(difference(a, b), 1e-4);
}

#ifdef DYN_TEST_MUJOCO

double engines_differ(const RobotDescription& arm, bool armature = false) {
  auto native = plain("native"), mujoco = plain("mujoco");
  native.armature = mujoco.armature = armature;
  return difference(swing(*make_plant(arm, native, down), 300), swing(*make_plant(arm, mujoco, down), 300));
}

TEST(MujocoAgrees, OnArm7) { EXPECT_LT(engines_differ(robot("arm7"), true), 1e-8); }
TEST(MujocoAgrees, OnPelican) { EXPECT_LT(engines_differ(robot("pelican")), 1e-8); }
TEST(MujocoAgrees, OnThreeLinks) { EXPECT_LT(engines_differ(robot("three_link")), 1e-8); }

TEST(MujocoAgrees, OnAFloatingBase) {
  auto arm = robot("three_link");
  JointDescription floating;
  floating.name = "free";
  floating.type = JointType::floating;
  floating.parent_link = "world";
  floating.child_link = arm.joints.front().parent_link;
  for (auto& link : arm.links) {
    if (link.name == floating.child_link)
      link.inertial = Inertial{3.0, Vec3d(0.0, 0.01, 0.0), 0.05 * Mat3d::Identity()};
  }
  arm.links.insert(arm.links.begin(), LinkDescription{"world", {}});
  arm.joints.insert(arm.joints.begin(), floating);
  EXPECT_LT(engines_differ(arm), 1e-7);
}

TEST(MujocoAgrees, OnAMimicJoint) {
  auto arm = robot("planar3");
  auto joint =
      std::find_if(arm.joints.rbegin(), arm.joints.rend(), [](const auto& j) { return j.type != JointType::fixed; });
  auto lead =
      std::find_if(arm.joints.begin(), arm.joints.end(), [](const auto& j) { return j.type != JointType::fixed; });
  ASSERT_NE(joint->name, lead->name);
  joint->mimic = Mimic{lead->name, -0.5, 0.2};
  EXPECT_LT(engines_differ(arm), 2e-3);  // MuJoCo holds it by a constraint
}

TEST(MujocoAgrees, WithAPayloadAndAPush) {
  std::vector<std::vector<double>> end;
  for (const auto& engine : engines()) {
    auto settings = plain(engine);
    settings.armature = true;
    auto plant = make_plant(robot("arm7"), settings, down);
    (void)swing(*plant, 50);
    Inertial box{3.0, Vec3d(0.0, 0.0, 0.06), Vec3d(0.0072, 0.0072, 0.006).asDiagonal()};
    plant->attach(Payload::rigid("box", "tool0", box));
    plant->push("tool0", Vec3d(3.0, -4.0, 1.0), Vec3d(0.0, 0.05, 0.1));
    const std::vector<double> none(7, 0.0);
    hold(*plant, none, 50);
    plant->attach(Payload::articulated("crucible", "tool0", robot("crucible")));
    EXPECT_EQ(plant->q().size(), 8U);
    hold(*plant, std::vector<double>(8, 0.0), 50);
    plant->detach("box");
    hold(*plant, std::vector<double>(8, 0.0), 50);
    plant->detach("crucible");
    EXPECT_EQ(plant->q().size(), 7U);
    plant->push("tool0", Vec3d::Zero(), Vec3d::Zero());
    hold(*plant, none, 50);
    end.emplace_back(plant->q().begin(), plant->q().end());
  }
  EXPECT_LT(difference(end[0], end[1]), 1e-4);  // MuJoCo is given the push once a step
}

TEST(Mujoco, RefusesABodyWithoutInertiaAndNamesIt) {
  try {
    (void)make_plant(robot("puma"), plain("mujoco"), down);
    FAIL() << "puma's wrist has hubs without mass";
  } catch (const ModelError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("joint1"), std::string::npos) << said;
    EXPECT_NE(said.find("link1"), std::string::npos) << said;
    EXPECT_NE(said.find("native"), std::string::npos) << said;
  }
}

TEST(Mujoco, HasNoStictionRatio) {
  auto settings = plain("mujoco");
  settings.friction = true;
  settings.stiction_ratio = 1.5;
  EXPECT_THROW((void)make_plant(wheel(), settings, down), ModelError);
}

#endif

}  // namespace
}  // namespace dyn::sim::test
