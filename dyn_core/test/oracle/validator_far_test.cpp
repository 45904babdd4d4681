// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// An arm on a slide 1 km, or 100 km, from its base: no false alarm, and faults are still seen.
#include <gtest/gtest.h>

#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/registry.hpp"
#include "moving_arm.hpp"

namespace dyn::oracle {
namespace {

constexpr ValidatorMode gate = ValidatorMode::gate;

// arm7 on a carriage of 50 kg that slides along x.
RobotDescription arm_on_a_slide() {
  RobotDescription robot = load_robot("arm7");
  const std::string base = robot.joints.front().parent_link;
  robot.links.push_back({"rail", {}});
  robot.links.push_back({"carriage", Inertial{50.0, Vec3d(0.1, 0.0, 0.2), Mat3d(Vec3d(1.0, 2.0, 2.5).asDiagonal())}});
  JointDescription slide;
  slide.name = "slide";
  slide.type = JointType::prismatic;
  slide.parent_link = "rail";
  slide.child_link = "carriage";
  slide.axis = Vec3d(0.8, 0.6, 0.0);
  slide.limits = JointLimits{-1e6, 1e6, true, 10.0, 5000.0};
  JointDescription mount;
  mount.name = "mount";
  mount.type = JointType::fixed;
  mount.parent_link = "carriage";
  mount.child_link = base;
  mount.parent_T_joint.p_m = Vec3d(0.0, 0.3, 0.5);
  robot.joints.insert(robot.joints.begin(), {slide, mount});
  return robot;
}

class FarAway : public ::testing::TestWithParam<double> {};

TEST_P(FarAway, RequestsNoFallbackOfACorrectArm) {
  for (const auto jsim : AlgorithmList<JsimAlgorithms<double>>::names) {
    for (const auto coriolis : AlgorithmList<CoriolisAlgorithms<double>>::names) {
      MovingArm arm(arm_on_a_slide(), {}, 0.01, 64, {GetParam()});
      arm.live.set_jsim(jsim);
      arm.live.set_coriolis(coriolis);
      const Validator validator(arm.live, arm.ring, {.mode = gate});
      for (int k = 0; k < 40; ++k) {
        const auto report = arm.step();
        EXPECT_FALSE(report.fallback);
        EXPECT_EQ(report.mode, control::CycleReport::Mode::tracking);
        (void)settled(arm.ring, validator);
      }
      const auto numbers = settled(arm.ring, validator);
      EXPECT_EQ(numbers.samples, 40U);
      EXPECT_EQ(numbers.breaches, 0U) << jsim << ' ' << coriolis << ' ' << numbers.max_M << ' ' << numbers.max_Cv << ' '
                                      << numbers.max_g;
    }
  }
}

// An error of 1e-6 of one link's mass: seen within ten samples, and a fallback is requested.
TEST_P(FarAway, AFaultIsSeen) {
  const Model model = Model::build(arm_on_a_slide());
  for (int body = 1; body < model.bodies(); ++body) {
    MovingArm arm(arm_on_a_slide(), {}, 0.01, 64, {GetParam()});
    const Validator validator(arm.live, arm.ring, {.mode = gate});
    EXPECT_EQ(breaches_in_ten_samples(arm, validator), 0U);
    Dynamics& dynamics = arm.live.acquire(0.0).dynamics;
    dynamics.set_body_inertia(body, with_fault(body_inertia(dynamics.tree(), body), 0, 1e-6));
    EXPECT_GT(breaches_in_ten_samples(arm, validator), 0U) << model.body_joint(body);
    EXPECT_TRUE(arm.live.requested_fallback().any());
  }
}

INSTANTIATE_TEST_SUITE_P(Metres, FarAway, ::testing::Values(1.0, 1e3, 1e5),
                         [](const auto& metres) { return std::to_string(static_cast<int>(metres.param)); });

}  // namespace
}  // namespace dyn::oracle
