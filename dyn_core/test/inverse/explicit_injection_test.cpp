// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The inverse dynamics of papers 000 (Wang and Ju) and 003 (Safeea, Neto and Bearee) against M a + C v + g.
#include <gtest/gtest.h>

#include "dyn_core/coriolis/fused.hpp"
#include "dyn_core/gravity/gravity.hpp"
#include "dyn_core/inverse/explicit.hpp"
#include "dyn_core/inverse/injection.hpp"
#include "dyn_core/jsim/fused.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "support/evaluate.hpp"
#include "support/paper_robots.hpp"

namespace dyn {
namespace {

using test::matrix_of;
using test::torques_of;
using test::workspace_at;

template <class Algorithm>
class InverseMethods : public testing::Test {};
using Methods = testing::Types<inverse::Explicit<double>, inverse::Injection<double>>;
TYPED_TEST_SUITE(InverseMethods, Methods);

VecX<double> torques_from_matrices(const Tree& tree, const Workspace<double>& ws) {
  const ConstVectorRef<double> v(ws.v.data(), tree.size);
  const ConstVectorRef<double> a(ws.a.data(), tree.size);
  return matrix_of<jsim::Fused<double>>(tree, ws) * a + matrix_of<coriolis::Fused<double>>(tree, ws) * v +
         torques_of<Gravity<double>>(tree, ws);
}

TYPED_TEST(InverseMethods, RandomTreesAgreeWithTheMatrices) {
  test::Rng rng(13);
  for (int k = 0; k < 100; ++k) {
    const Model model = Model::build(test::random_robot(rng, {.joints = 3 + k % 20, .mimic = true}),
                                     {.gravity_mps2 = test::random_vector(rng, 10.0)});
    const int n = model.coordinates();
    const auto ws = workspace_at<double>(model, test::random_values(rng, n, 2.0), test::random_values(rng, n, 2.0),
                                         test::random_values(rng, n, 5.0));
    const VecX<double> expected = torques_from_matrices(model.tree(), ws);
    const VecX<double> error = torques_of<TypeParam>(model.tree(), ws) - expected;
    EXPECT_LT(largest_entry(error), 1e-12 * largest_entry(expected));
  }
}

// The bias in closed form: no gravity, no accelerations, only what is quadratic in the rates. (That the products of
// angular velocities inside (11) and (12) of paper 000 are needed shows on the random trees: axes are parallel here.)
TYPED_TEST(InverseMethods, TorquesOfRatesAloneAreQuadratic) {
  const Model model = Model::build(test::planar3({}), {.gravity_mps2 = Vec3d::Zero()});
  const std::vector<double> q{0.3, -1.1, 0.7};
  const closed_forms::Planar3Form p;
  const auto ws = workspace_at<double>(model, q, {0.9, -0.4, 0.0});
  const VecX<double> tau = torques_of<TypeParam>(model.tree(), ws);
  // Joint 3 still: links 2 and 3 are one body. tau_2 = s qd_1^2, tau_1 = -s (2 qd_1 qd_2 + qd_2^2) with
  // s = l1 (m2 l2I + m3 l2) sin q2 + m3 l1 l3I sin(q2 + q3).
  const double s = p.l1 * (p.m2 * p.l2I + p.m3 * p.l2) * std::sin(q[1]) + p.m3 * p.l1 * p.l3I * std::sin(q[1] + q[2]);
  EXPECT_NEAR(tau[1], s * 0.9 * 0.9, 1e-14);
  EXPECT_NEAR(tau[0], -s * (2.0 * 0.9 * -0.4 + 0.4 * 0.4), 1e-14);
  const auto twice = workspace_at<double>(model, q, {1.8, -0.8, 0.0});
  EXPECT_LT(largest_entry(torques_of<TypeParam>(model.tree(), twice) - 4.0 * tau), 1e-14);
}

}  // namespace
}  // namespace dyn
