// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Payload checks. The small arm lifts about y: the gravity torque of a mass m at x in front of joint 2 is m g x.
#include "dyn_core/control/payload_check.hpp"

#include <gtest/gtest.h>

#include "control/rig.hpp"
#include "dyn_core/model/robot_library.hpp"

namespace dyn::control {
namespace {

const Vec3d down{0.0, 0.0, -9.81};
const std::vector<double> stretched{0.0, 0.0, 0.0};
const std::vector<double> hanging{0.0, 1.5707963267948966, 0.0};

Payload ball(double mass_kg, const Vec3d& at_m = Vec3d(0.3, 0.0, 0.0), const std::string& name = "ball") {
  const Inertial inertial{mass_kg, Vec3d::Zero(), Mat3d(1e-3 * mass_kg * Mat3d::Identity())};
  return Payload::rigid(name, "link3", inertial, {Mat3d::Identity(), at_m});
}

class PayloadCheck : public ::testing::Test {
 protected:
  std::vector<std::string> check(const Payload& payload, const std::vector<double>& q) const {
    return check_payload(model_, payload, q, down, Actuation::from_model(model_, {}), parameters_);
  }
  std::string refusal(const Payload& payload, const std::vector<double>& q) const {
    try {
      (void)check(payload, q);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  }

  Model model_ = Model::build(test::small_arm());
  Parameters parameters_ = plain_parameters();
};

// Stretched: 2 kg each at 0.15, 0.45 in front of joint 2, and the payload at 0.6, of 100 N m.
TEST_F(PayloadCheck, GravityHereIsWithinTheLimits) {
  const double arm = 2.0 * 9.81 * (0.15 + 0.45);
  const double most = (100.0 - arm) / (9.81 * 0.6);
  EXPECT_TRUE(check(ball(0.99 * most), stretched).empty());
  const std::string said = refusal(ball(1.01 * most), stretched);
  EXPECT_EQ(said.find("payload 'ball': here gravity takes 100.9 of joint 'joint2', which may use 100"), 0U) << said;
  EXPECT_NE(said.find("allow_heavy_payloads"), std::string::npos);
  // The same weighs nothing on a joint that it hangs below; but not everywhere.
  const auto warnings = check(ball(1.01 * most), hanging);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings.front().find("payload 'ball': in some postures gravity takes"), 0U) << warnings.front();

  parameters_.effort_limit_scale = 0.5;
  EXPECT_NE(refusal(ball(0.99 * most), stretched), "");
  parameters_.allow_heavy_payloads = true;
  EXPECT_EQ(check(ball(0.99 * most), stretched).size(), 2U);
  parameters_.allow_heavy_payloads = false;
  parameters_.effort_limit_scale = 1.0;
  parameters_.effort_limit = {0.0, 50.0, 0.0};
  EXPECT_NE(refusal(ball(0.99 * most), stretched), "");
}

// Where nobody knows where the arm stands, a payload is refused that it could hold nowhere.
TEST_F(PayloadCheck, APostureThatIsNotKnownIsNotJudged) {
  const double most = (100.0 - 2.0 * 9.81 * (0.15 + 0.45)) / (9.81 * 0.6);
  const auto warnings = check(ball(1.01 * most), {});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings.front().find("payload 'ball': in some postures gravity takes"), 0U) << warnings.front();
  const std::string said = refusal(ball(350.0 * most), {});
  EXPECT_EQ(said.find("payload 'ball': in every posture it is too much"), 0U) << said;
}

// A payload that reduces the gravity torque is accepted also where the arm cannot hold its own weight.
TEST_F(PayloadCheck, ACounterweightIsTaken) {
  parameters_.effort_limit = {0.0, 5.0, 5.0};
  const Payload behind = Payload::rigid("behind", "link2", Inertial{1.0, Vec3d(-0.3, 0.0, 0.0), Mat3d::Identity()});
  EXPECT_EQ(refusal(behind, stretched), "");
  EXPECT_NE(refusal(ball(0.1), stretched), "");
}

TEST_F(PayloadCheck, WhatIsCarriedAlreadyCounts) {
  const double arm = 2.0 * 9.81 * (0.15 + 0.45);
  const double half = 0.6 * (100.0 - arm) / (9.81 * 0.6);
  EXPECT_EQ(refusal(ball(half), stretched), "");
  model_ = Model::build(attach(model_.description(), ball(half, Vec3d(0.3, 0.0, 0.0), "first")));
  EXPECT_NE(refusal(ball(half), stretched), "");
  model_ = Model::build(attach(test::small_arm(), test::bucket("bucket")));
  EXPECT_EQ(refusal(ball(half), stretched), "") << "the bucket's joint is taken at 0";
}

TEST_F(PayloadCheck, CentresOfMassFartherThanTwiceTheArmAreRefused) {
  EXPECT_NEAR(arm_length(model_), 2.0 * std::hypot(0.3, 0.05) + std::sqrt(0.15 * 0.15 + 0.03 * 0.03 + 0.02 * 0.02),
              1e-12);
  EXPECT_EQ(refusal(ball(1e-3, Vec3d(1.5, 0.0, 0.0)), stretched), "");
  EXPECT_NE(refusal(ball(1e-3, Vec3d(0.0, 1.6, 0.0)), stretched)
                .find("1.6 m from link 'link3', more than twice the arm's length of 0.76"),
            std::string::npos);
  parameters_.allow_heavy_payloads = true;
  EXPECT_NE(refusal(ball(1e-3, Vec3d(1e6, 0.0, 0.0)), stretched), "");
  RobotDescription chain = *test::bucket("bucket").chain();
  chain.joints.front().parent_T_joint.p_m.x() = 3.0;
  EXPECT_NE(refusal(Payload::articulated("bucket", "link3", chain), stretched), "");
  EXPECT_EQ(refusal(test::bucket("bucket"), stretched), "");
}

TEST_F(PayloadCheck, MassesOf1000TimesTheArmAreRefused) {
  for (const double mass : {1e4, 1e300}) {
    EXPECT_NE(refusal(ball(mass), stretched), "");
    EXPECT_NE(refusal(ball(mass), hanging).find("1000 times the arm's 6 kg"), std::string::npos);
  }
}

TEST_F(PayloadCheck, ArticulatedOnesWeighWhatTheyHold) {
  RobotDescription chain = *test::bucket("bucket").chain();
  chain.links.back().inertial->mass_kg = 30.0;
  EXPECT_NE(
      refusal(Payload::articulated("bucket", "link3", chain, {Mat3d::Identity(), Vec3d(0.3, 0.0, 0.0)}), stretched),
      "");
}

// Joints and their order, mimics and frames as in the dynamics.
TEST(PayloadCheckOnRobots, GravityIsThatOfTheDynamics) {
  for (const char* name : {"arm7", "pelican", "arm7_gripper", "three_link"}) {
    const auto model = std::make_shared<const Model>(Model::build(load_robot(name)));
    Dynamics dynamics(model);
    const size_t n = model->coordinates();
    std::vector<double> q(n), v(n, 0.0);
    for (size_t i = 0; i < n; ++i) q[i] = 0.3 - 0.2 * static_cast<double>(i);
    ASSERT_TRUE(dynamics.update(q, v).ok());
    // Limits just above the arm's own gravity torques: the smallest load on the last link exceeds them.
    Parameters parameters = plain_parameters(static_cast<int>(n));
    const Actuation actuation = Actuation::from_model(*model, {});
    const std::string link = model->links().back().name;
    const Inertial inertial{1e-3, Vec3d::Zero(), Mat3d(1e-6 * Mat3d::Identity())};
    const Payload grain = Payload::rigid("grain", link, inertial);
    const auto refused = [&] {
      try {
        (void)check_payload(*model, grain, q, down, actuation, parameters);
      } catch (const ModelError&) {
        return true;
      }
      return false;
    };
    for (const double slack : {1e-9, 0.1}) {
      parameters.effort_limit.assign(n, 0.0);
      for (size_t i = 0; i < n; ++i) parameters.effort_limit[i] = std::abs(dynamics.g()[static_cast<int>(i)]) + slack;
      EXPECT_EQ(refused(), slack < 1e-6) << name;
    }
  }
}

TEST(PayloadNames, AreOf256BytesAtMost) {
  EXPECT_NO_THROW((void)ball(1.0, Vec3d::Zero(), std::string(256, 'x')));
  try {
    (void)ball(1.0, Vec3d::Zero(), std::string(1 << 20, 'x'));
    ADD_FAILURE() << "a name of a megabyte was accepted";
  } catch (const ModelError& error) {
    EXPECT_LT(std::string(error.what()).size(), 500U);
    EXPECT_NE(std::string(error.what()).find("1048576 bytes"), std::string::npos) << error.what();
  }
}

TEST(RobotsWithoutMass, AreNotControlled) {
  RobotDescription robot = test::small_arm();
  for (LinkDescription& link : robot.links) link.inertial.reset();
  try {
    const Rig rig(robot);
    ADD_FAILURE() << "a robot without mass was accepted";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("robot 'small': no link that moves has mass"), std::string::npos);
  }
  robot.links.back().inertial = test::small_arm().links.back().inertial;
  EXPECT_NO_THROW(Rig{robot});
}

// joint3 follows joint2, so that link2 and link3 move by one coordinate: the estimate acts on the link that was named.
TEST(AdaptivePayload, ActsOnItsLinkAmongMimicJoints) {
  std::vector<double> torque;  // of joint2
  for (const char* const link : {"link2", "link3"}) {
    RobotDescription robot = test::small_arm();
    robot.joints[2].mimic = Mimic{"joint2", 0.5, 0.1};
    std::stable_partition(robot.links.begin(), robot.links.end(),
                          [link](const LinkDescription& l) { return l.name != link; });
    Parameters p = plain_parameters(2);
    p.law = Law::adaptive;
    p.adaptation_gain = 0.0;
    Rig rig(robot, p);  // its payload_link is the last link
    (void)rig.step();
    Rig carrying(robot, plain_parameters(2));
    const Inertial ball{p.adaptation_mass_kg, Vec3d::Zero(), Mat3d(1e-3 * Mat3d::Identity())};
    (void)carrying.live.attach(Payload::rigid("ball", link, ball, {Mat3d::Identity(), Vec3d::Zero()}), 0.0);
    const std::vector<double> expected = carrying.gravity();
    for (size_t i = 0; i < rig.robot_n; ++i) EXPECT_NEAR(rig.effort[i], expected[i], 1e-12) << link;
    torque.push_back(expected[1]);
  }
  EXPECT_GT(std::abs(torque[1] - torque[0]), 0.1);
}

// By hand where it stands stretched and both of its links' balls count, it is more than the least over all postures.
TEST(AdaptationGain, IsBoundedByThePeriod) {
  const Model model = Model::build(test::small_arm());
  Actuation actuation = Actuation::from_model(model, {});
  actuation.payload_link = "link3";
  Parameters p = plain_parameters();
  const double highest = highest_adaptation_gain(model, actuation, p, 1e-3);
  Dynamics dynamics(model);
  ASSERT_TRUE(dynamics.update(stretched, stretched).ok());
  double mass = 0.0;
  for (const double m : model.tree().mass) mass += m;
  const double pull = mass * 9.81 * 0.3;
  EXPECT_LT(highest, 40.0 * dynamics.M()(1, 1) / (1e-3 * pull * pull));
  EXPECT_GT(highest, 2.0);
  EXPECT_NEAR(highest_adaptation_gain(model, actuation, p, 2e-3), 0.5 * highest, 1e-9 * highest);
  p.effort_limit.assign(3, 20.0);  // which carries less
  EXPECT_GT(highest_adaptation_gain(model, actuation, p, 1e-3), highest);
  actuation.payload_link.clear();
  EXPECT_EQ(highest_adaptation_gain(model, actuation, p, 1e-3), std::numeric_limits<double>::infinity());
}

TEST(AdaptationGain, ThatIsTooHighIsRefused) {
  Parameters p = plain_parameters();
  p.adaptation_gain = 1e4;
  Rig rig(test::small_arm(), p);  // another law has no use for it
  p.law = Law::adaptive;
  try {
    rig.controller.set_parameters(p);
    ADD_FAILURE() << "it was taken";
  } catch (const ModelError& error) {
    EXPECT_EQ(std::string(error.what()).find("adaptation_gain: 1e+04 1/J is too much for a period of 0.001 s"), 0U)
        << error.what();
  }
  EXPECT_THROW(Rig(test::small_arm(), p), ModelError);
  p.adaptation_gain = 2.0;
  rig.controller.set_parameters(p);
}

}  // namespace
}  // namespace dyn::control
