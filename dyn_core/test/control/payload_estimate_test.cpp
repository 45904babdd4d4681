// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/payload_estimate.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/model/payload.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "support/random_robot.hpp"

namespace dyn::control {
namespace {

using Vec = Eigen::VectorXd;

std::shared_ptr<const Model> built(const RobotDescription& robot) {
  ModelOptions options;
  options.armature = false;
  return std::make_shared<const Model>(Model::build(robot, options));
}

Vec random_vector(test::Rng& rng, int n) {
  Vec x(n);
  for (double& value : x) value = test::uniform(rng, -2.0, 2.0);
  return x;
}

struct Case {
  const char* robot;
  const char* link;
};
class Estimate : public ::testing::TestWithParam<Case> {};

// With a ball of 3 kg as its estimate it adds what a model with that ball has more than a model without, for a sliding
// velocity that is not the velocity: M a_s + C v_s + g with the C of Christoffel symbols.
TEST_P(Estimate, TorqueIsWhatAModelWithThePayloadHasMore) {
  const double mass = 3.0, radius = 0.12;
  const RobotDescription robot = load_robot(GetParam().robot);
  Inertial ball;
  ball.mass_kg = mass;
  ball.inertia_com_kgm2 = 0.4 * mass * radius * radius * Mat3d::Identity();
  const auto bare = built(robot);
  const auto laden = built(attach(robot, Payload::rigid("ball", GetParam().link, ball)));
  const int n = bare->coordinates();
  const Link& link = *bare->find_link(GetParam().link);
  PayloadEstimate estimate(bare->bodies());
  estimate.reset(mass, radius);
  estimate.choose(bare->tree(), link.body, link.body_T_link);
  Dynamics without(bare, {.coriolis = "christoffel"});
  Dynamics with(laden, {.coriolis = "christoffel"});
  test::Rng rng(3);
  for (int k = 0; k < 20; ++k) {
    const Vec q = random_vector(rng, n), v = random_vector(rng, n), v_s = random_vector(rng, n);
    const Vec a_s = random_vector(rng, n);
    ASSERT_TRUE(without.update(q, v).ok() && with.update(q, v).ok());
    const Vec expected = (with.M() - without.M()) * a_s + (with.C() - without.C()) * v_s + with.g() - without.g();
    Vec tau = Vec::Zero(n);
    estimate.add_torque(bare->tree(), {q.data(), n}, {v.data(), n}, {v_s.data(), n}, {a_s.data(), n}, {tau.data(), n});
    EXPECT_LT((tau - expected).norm(), 1e-11 * expected.norm()) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, Estimate,
                         ::testing::Values(Case{"arm7", "tool0"}, Case{"arm7", "link4"}, Case{"three_link", "link3"},
                                           Case{"rover_arm", "link3"}),
                         [](const auto& it) { return std::string(it.param.robot) + "_" + it.param.link; });

// For all errors the mass stays positive and the inertia physically consistent.
TEST(PayloadEstimate, StaysABodyThatMatterCanForm) {
  const auto arm = built(load_robot("arm7"));
  const int n = arm->coordinates();
  const Link& tool = *arm->find_link("tool0");
  PayloadEstimate estimate(arm->bodies());
  estimate.reset(0.5, 0.1);
  estimate.choose(arm->tree(), tool.body, tool.body_T_link);
  test::Rng rng(5);
  for (int k = 0; k < 2000; ++k) {
    const Vec q = random_vector(rng, n), v = random_vector(rng, n), v_s = random_vector(rng, n);
    const Vec a_s = random_vector(rng, n);
    Vec tau = Vec::Zero(n);
    estimate.add_torque(arm->tree(), {q.data(), n}, {v.data(), n}, {v_s.data(), n}, {a_s.data(), n}, {tau.data(), n});
    estimate.adapt(k % 2 == 0 ? 1e6 : 1.0, 1e-3);
    const BodyInertia body = estimate.inertia();
    ASSERT_GT(body.mass_kg, 0.0) << k;
    const Vec3d moments = Eigen::SelfAdjointEigenSolver<Mat3d>(body.inertia_com_kgm2).eigenvalues();
    ASSERT_GE(moments[0] + moments[1] - moments[2], -1e-9 * moments[2]) << k;
    ASSERT_TRUE(estimate.pseudo_inertia().allFinite()) << k;
  }
}

// Too heavy an estimate pushes the arm up (s > 0 along its torque) and becomes lighter, and the reverse.
TEST(PayloadEstimate, FollowsTheGradientOfTheError) {
  const auto arm = built(load_robot("arm7"));
  const int n = arm->coordinates();
  const Link& tool = *arm->find_link("tool0");
  PayloadEstimate estimate(arm->bodies());
  estimate.choose(arm->tree(), tool.body, tool.body_T_link);
  const Vec q = Vec::Constant(n, 0.5), zero = Vec::Zero(n);
  for (const double sign : {1.0, -1.0}) {
    estimate.reset(2.0, 0.1);
    Vec weight = Vec::Zero(n);
    estimate.add_torque(arm->tree(), {q.data(), n}, {zero.data(), n}, {zero.data(), n}, {zero.data(), n},
                        {weight.data(), n});
    const Vec v = sign * 0.01 * weight;  // s = v - v_s
    Vec tau = Vec::Zero(n);
    estimate.add_torque(arm->tree(), {q.data(), n}, {v.data(), n}, {zero.data(), n}, {zero.data(), n}, {tau.data(), n});
    estimate.adapt(1.0, 1e-3);
    EXPECT_LT(sign * (estimate.inertia().mass_kg - 2.0), 0.0) << sign;
  }
}

}  // namespace
}  // namespace dyn::control
