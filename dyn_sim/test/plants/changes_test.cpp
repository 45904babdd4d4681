// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What every engine must do while payloads and forces come and go.
#include <cmath>

#include "plants.hpp"

namespace dyn::sim::test {
namespace {

TEST_P(Plants, PayloadComesAndGoesInMotion) {
  const auto plant = make(settings_);
  hold(*plant, {0.2}, 500);
  const double q = plant->q()[0], v = plant->v()[0];
  Inertial box;
  box.mass_kg = 2.0;
  box.inertia_com_kgm2 = Vec3d(0.01, 0.01, 0.02).asDiagonal();
  plant->attach(Payload::rigid("box", "rim", box, {Mat3d::Identity(), Vec3d(0.3, 0.0, 0.1)}));
  EXPECT_EQ(plant->q()[0], q);
  EXPECT_EQ(plant->v()[0], v);
  const double heavier = wheel_inertia_kgm2 + 0.02 + 2.0 * 0.09;
  hold(*plant, {0.2}, 100);
  EXPECT_NEAR(plant->v()[0], v + 0.1 * 0.2 / heavier, 1e-9);
  plant->detach("box");
  const double loaded = plant->v()[0];
  hold(*plant, {0.2}, 100);
  EXPECT_NEAR(plant->v()[0], loaded + 0.1 * 0.2 / wheel_inertia_kgm2, 1e-9);
  EXPECT_THROW(plant->detach("box"), ModelError);
}

// One that was built beside the loop goes on as the same plant would: state, what drives and sensors have under way.
TEST_P(Plants, AnotherPlantTakesOver) {
  settings_.delay_cycles = 3;
  settings_.noise.position = settings_.noise.velocity = 1e-3;
  Inertial box;
  box.mass_kg = 2.0;
  box.inertia_com_kgm2 = Vec3d(0.01, 0.01, 0.02).asDiagonal();
  const Payload payload = Payload::rigid("box", "link3", box, {Mat3d::Identity(), Vec3d(0.3, 0.0, 0.1)});
  RobotDescription bucket = wheel();
  const Payload chain = Payload::articulated("chain", "link5", bucket, {});
  const RobotDescription arm = robot("arm7");
  auto one = make_plant(arm, settings_, down);
  auto other = make_plant(arm, settings_, down);
  const auto expect_same = [&] {
    ASSERT_EQ(one->q().size(), other->q().size());
    std::vector<double> q1(one->q().size()), q2 = q1, v1 = q1, v2 = q1;
    for (int k = 0; k < 21; ++k) {
      std::vector<double> effort(q1.size());
      for (size_t i = 0; i < effort.size(); ++i) effort[i] = 3.0 * std::sin(k + static_cast<double>(i));
      for (auto* plant : {one.get(), other.get()}) plant->advance(effort, 1e-3);
      one->measure(q1, v1);
      other->measure(q2, v2);
    }
    EXPECT_EQ(q1, q2);
    EXPECT_EQ(v1, v2);
  };
  const auto replace_other = [&](const RobotDescription& description) {
    auto next = make_plant(description, settings_, down);
    next->take_over(*other, same_coordinates(other->model(), next->model()));
    other = std::move(next);
  };
  expect_same();
  one->attach(chain);
  replace_other(attach(arm, chain));
  expect_same();
  one->attach(payload);
  replace_other(attach(attach(arm, chain), payload));
  expect_same();
  one->detach("chain");
  replace_other(attach(arm, payload));
  expect_same();
}

TEST_P(Plants, PushesActUntilTheyEnd) {
  const auto plant = make(settings_);
  EXPECT_THROW(plant->push("spoke", Vec3d::UnitY(), Vec3d::Zero()), ModelError);
  plant->push("rim", Vec3d(0.0, 5.0, 0.0), Vec3d(0.2, 0.0, 0.0));
  hold(*plant, {0.0}, 10);
  EXPECT_NEAR(plant->v()[0], 0.01 * 1.0 / wheel_inertia_kgm2, 1e-6);
  plant->push("rim", Vec3d::Zero(), Vec3d::Zero());
  const double v = plant->v()[0];
  hold(*plant, {0.0}, 10);
  EXPECT_NEAR(plant->v()[0], v, 1e-12);
}

TEST_P(Plants, PushesAtTheSameTimeAddUp) {
  const auto plant = make(settings_);
  const std::vector<Push> three{{"rim", Vec3d(0.0, 5.0, 0.0), Vec3d(0.2, 0.0, 0.0)},
                                {"rim", Vec3d(0.0, 5.0, 0.0), Vec3d(0.2, 0.0, 0.0)},
                                {"rim", Vec3d(0.0, 7.0, 0.0), Vec3d(-0.1, 0.0, 0.0)}};
  plant->set_pushes(three);
  std::vector<double> a(1);
  for (int k = 0; k < 2; ++k) plant->acceleration(a);
  EXPECT_NEAR(a[0], (1.0 + 1.0 - 0.7) / wheel_inertia_kgm2, 1e-9);
  const std::vector<Push> wrong{three[0], {"spoke", Vec3d::UnitY(), Vec3d::Zero()}};
  EXPECT_THROW(plant->set_pushes(wrong), ModelError);
  plant->acceleration(a);
  EXPECT_NEAR(a[0], (1.0 + 1.0 - 0.7) / wheel_inertia_kgm2, 1e-9) << "a refusal changes nothing";
  plant->push("rim", Vec3d(0.0, 5.0, 0.0), Vec3d(0.2, 0.0, 0.0));
  plant->acceleration(a);
  EXPECT_NEAR(a[0], 1.0 / wheel_inertia_kgm2, 1e-9) << "one alone";
  plant->set_pushes({});
  plant->acceleration(a);
  EXPECT_NEAR(a[0], 0.0, 1e-12);
}

}  // namespace
}  // namespace dyn::sim::test
