// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/dynamics.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dyn_core/numeric/residual.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

TEST(Dynamics, MassMatrixOfRandomTreesIsSymmetric) {
  test::Rng rng(1);
  for (int k = 0; k < 20; ++k) {
    const Model model = Model::build(test::random_robot(rng, {.joints = 12, .mimic = true}));
    const int n = model.coordinates();
    Dynamics dynamics(model);
    ASSERT_TRUE(dynamics.update(test::random_values(rng, n, 2.0), test::random_values(rng, n, 1.0)).ok());
    EXPECT_EQ(largest_entry(dynamics.M() - dynamics.M().transpose()), 0.0);
  }
}

// Terms asked for one by one are those of a whole update; the others stay.
TEST(Dynamics, TermsOneByOneAreThoseOfAWholeUpdate) {
  test::Rng rng(2);
  const Model model = Model::build(test::random_robot(rng, {.joints = 9, .mimic = true}));
  const int n = model.coordinates();
  Dynamics whole(model);
  Dynamics single(model);
  for (int k = 0; k < 5; ++k) {
    const auto q = test::random_values(rng, n, 2.0);
    const auto v = test::random_values(rng, n, 2.0);
    ASSERT_TRUE(whole.update(q, v).ok());
    const MatX<double> M_before = single.M();
    ASSERT_TRUE(single.update_terms(q, v, term_g).ok());
    EXPECT_EQ(largest_entry(single.M() - M_before), 0.0);
    ASSERT_TRUE(single.update_terms(q, v, term_M).ok());
    ASSERT_TRUE(single.update_terms(q, v, term_h).ok());
    ASSERT_TRUE(single.update_terms(q, v, term_C).ok());
    const double scale = largest_entry(whole.M());
    EXPECT_LT(largest_entry(whole.M() - single.M()), 1e-13 * scale);
    EXPECT_LT(largest_entry(whole.C() - single.C()), 1e-12 * scale);
    EXPECT_LT(largest_entry(whole.g() - single.g()), 1e-12 * scale);
    EXPECT_LT(largest_entry(whole.h() - single.h()), 1e-11 * scale);
  }
}

// The vector kernels keep the state; algorithms that are asked later, of whatever kind, see the same one.
TEST(Dynamics, EveryAlgorithmSeesTheStateThatTheKernelsKeep) {
  test::Rng rng(9);
  const Model model = Model::build(test::random_robot(rng, {.joints = 7, .serial = true, .every_type = false}));
  Dynamics fused(model);
  Dynamics other(model, {.jsim = "crba", .coriolis = "recursive", .forward = "aba", .inverse = "rnea"});
  Dynamics switched(model);
  std::vector<double> expected(7), tau(7);
  for (int k = 0; k < 5; ++k) {
    const auto q = test::random_values(rng, 7, 2.0);
    const auto v = test::random_values(rng, 7, 2.0);
    const auto a = test::random_values(rng, 7, 2.0);
    ASSERT_TRUE(other.update(q, v).ok());
    ASSERT_TRUE(fused.update_terms(q, v, 0).ok());
    switched.set_algorithms(fused.algorithms());
    ASSERT_TRUE(switched.update(q, v).ok());
    switched.set_algorithms(other.algorithms());
    other.inverse(a, expected);
    for (Dynamics* dynamics : {&fused, &switched}) {
      dynamics->inverse(a, tau);
      for (size_t i = 0; i < 7; ++i) EXPECT_NEAR(tau[i], expected[i], 1e-11) << k;
      ASSERT_TRUE(dynamics->forward(tau, tau).ok());
      for (size_t i = 0; i < 7; ++i) EXPECT_NEAR(tau[i], a[i], 1e-8) << k;
      EXPECT_NEAR(dynamics->element(5, 2), other.M()(5, 2), 1e-12) << k;
    }
  }
}

TEST(Dynamics, NumbersThatAreNotFiniteAreRefusedWithTheirPlace) {
  test::Rng rng(3);
  const Model model = Model::build(test::random_robot(rng, {.joints = 6, .every_type = false}));
  Dynamics dynamics(model);
  std::vector<double> q(6, 0.1);
  std::vector<double> v(6, 0.2);
  ASSERT_TRUE(dynamics.update(q, v).ok());
  v[4] = std::numeric_limits<double>::quiet_NaN();
  const Status status = dynamics.update(q, v);
  EXPECT_EQ(status.code, Status::Code::not_finite);
  EXPECT_EQ(status.body, 4);
  v[4] = 0.0;
  q[2] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(dynamics.update(q, v).body, 2);
}

TEST(Dynamics, ElementAloneIsThatOfTheExplicitMassMatrix) {
  test::Rng rng(17);
  for (int k = 0; k < 10; ++k) {
    RobotDescription robot = test::random_robot(rng, {.joints = 14, .mimic = true});
    for (JointDescription& joint : robot.joints) joint.armature = test::uniform(rng, 0.0, 0.1);
    Dynamics dynamics(Model::build(robot, {.armature = true}), {.jsim = "explicit"});
    const int n = dynamics.model().coordinates();
    ASSERT_TRUE(dynamics.update(test::random_values(rng, n, 2.0), test::random_values(rng, n, 1.0)).ok());
    for (int u = 0; u < n; ++u) {
      for (int j = 0; j < n; ++j) EXPECT_EQ(dynamics.element(u, j), dynamics.M()(u, j)) << u << ' ' << j;
    }
  }
}

}  // namespace
}  // namespace dyn
