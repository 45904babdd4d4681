// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The four methods of papers 000 (Wang and Ju) and 003 (Safeea, Neto and Bearee) against the project's own on random
// trees, on links that are hard for moments about one point, and their operations against the papers' tables.
#include <gtest/gtest.h>

#include "dyn_core/jsim/explicit.hpp"
#include "dyn_core/jsim/fused.hpp"
#include "dyn_core/jsim/gdahj.hpp"
#include "dyn_core/jsim/momentum.hpp"
#include "dyn_core/jsim/pseudo_inertia.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "support/evaluate.hpp"
#include "support/paper_robots.hpp"

namespace dyn {
namespace {

using test::matrix_of;
using test::workspace_at;

template <class Algorithm>
class JsimMethods : public testing::Test {};
using Methods =
    testing::Types<jsim::Explicit<double>, jsim::Momentum<double>, jsim::PseudoInertia<double>, jsim::Gdahj<double>>;
TYPED_TEST_SUITE(JsimMethods, Methods);

TYPED_TEST(JsimMethods, RandomTreesAgreeWithFused) {
  test::Rng rng(3);
  for (int k = 0; k < 100; ++k) {
    const Model model = Model::build(test::random_robot(rng, {.joints = 3 + k % 20, .mimic = true}));
    const Tree& tree = model.tree();
    const auto ws = workspace_at<double>(model, test::random_values(rng, model.coordinates(), 2.0));
    const MatX<double> M = matrix_of<TypeParam>(tree, ws);
    EXPECT_LT(mass_matrix_error(M, matrix_of<jsim::Fused<double>>(tree, ws)), 1e-12);
    EXPECT_EQ(largest_entry(M - M.transpose()), 0.0);
    for (int i = 0; i < tree.size; ++i) {
      for (int j = 0; j < i; ++j) {
        if (!tree.supports(j, i)) {
          EXPECT_EQ(M(i, j), 0.0);
        }
      }
    }
  }
}

// A long chain that ends in a small hand: ten links of 0.5 m and a few kg, then five of 2 cm and 10 g.
RobotDescription chain_with_small_hand(test::Rng& rng) {
  RobotDescription robot = test::random_robot(rng, {.joints = 15, .serial = true, .every_type = false});
  for (size_t k = 0; k < robot.joints.size(); ++k) {
    const bool hand = k >= 10;
    robot.joints[k].parent_T_joint.p_m = test::random_vector(rng, 1.0).normalized() * (hand && k > 10 ? 0.02 : 0.5);
    if (!hand) continue;
    Inertial& inertial = *robot.links[k + 1].inertial;
    inertial.com_m *= 0.1;
    inertial.inertia_com_kgm2 *= 1e-4 / inertial.mass_kg;
    inertial.mass_kg = 0.01;
  }
  return robot;
}

// Against the same state evaluated in long double. Measured: 1.2e-14 for all four, what the kinematics lose by giving
// positions from the base; with moments about the base origin on both sides (jsim::Fused) it would be 1.3e-11, with the
// base origin as reference point of GDAHJ twice as much as now.
TYPED_TEST(JsimMethods, SmallLinksFarFromTheBaseKeepTheirDigits) {
  test::Rng rng(5);
  double worst = 0.0;
  for (int k = 0; k < 50; ++k) {
    const Model model = Model::build(chain_with_small_hand(rng));
    const auto q = test::random_values(rng, model.coordinates(), 2.0);
    const auto exact = matrix_of<jsim::Explicit<long double>>(model.tree(), workspace_at<long double>(model, q));
    const auto M = matrix_of<TypeParam>(model.tree(), workspace_at<double>(model, q));
    worst = larger_error(worst, mass_matrix_error(M, exact));
  }
  this->RecordProperty("worst_e15", std::to_string(worst * 1e15));
  EXPECT_LT(worst, 1e-13);
}

// One polynomial for all chain lengths: a3 n^3 + a2 n^2 + a1 n + a0.
struct Cost {
  double a3, a2, a1, a0;
  [[nodiscard]] double at(int n) const { return ((a3 * n + a2) * n + a1) * n + a0; }
};

template <template <class> class Algorithm>
void expect_cost(const Cost& multiplications, const Cost& additions) {
  for (int n = 4; n <= 30; ++n) {
    const Model model = Model::build(test::revolute_chain(n));
    const auto ws = workspace_at<Counting>(model, std::vector<double>(static_cast<size_t>(n), 0.3));
    const OperationCount count = test::operations_of<Algorithm<Counting>>(model.tree(), ws);
    EXPECT_NEAR(static_cast<double>(count.multiplications), multiplications.at(n), 1e-6) << n;
    EXPECT_NEAR(static_cast<double>(count.additions), additions.at(n), 1e-6) << n;
  }
}

// Paper: 3.5 n^3 + 16 n^2 + 12.5 n multiplications, 3.5 n^3 + 10 n^2 + 6.5 n additions. It counts 11 multiplications
// for n_u^T () n_k, which takes 9 + 3 = 12: 0.5 (n^2 + n) more here. It takes the vectors r as given: 3 additions each,
// 1.5 (n^2 + n) more.
TEST(JsimCost, Explicit) { expect_cost<jsim::Explicit>({3.5, 16.5, 13.0, 0.0}, {3.5, 11.5, 8.0, 0.0}); }

// Paper: 7 n^3 + 12 n^2 + 3 n multiplications; 5 n^3 + 10 n^2 + 2 n additions, which leave out that the n matrices of
// the bodies have to be added up: n^3 more.
TEST(JsimCost, Momentum) { expect_cost<jsim::Momentum>({7.0, 12.0, 3.0, 0.0}, {6.0, 9.0, 3.0, 0.0}); }

// Paper: 21 n^3 + 63 n^2 + 66 n multiplications, with 128 / 6 rounded down to 21, and nothing for the derivatives U,
// 24 a pair. Additions 18 n^3 + 49.5 n^2 + 43.5 n: 1.5 n^3 of it adds the basic elements as if they were 3x3 matrices;
// they are scalars, n^3 / 6.
TEST(JsimCost, PseudoInertia) {
  expect_cost<jsim::PseudoInertia>({128.0 / 6.0, 64.0 + 12.0, 128.0 / 3.0 + 12.0 + 22.0, 0.0},
                                   {100.0 / 6.0, 50.0 + 7.5, 100.0 / 3.0 + 7.5 + 20.0, 0.0});
}

// Paper: 3 n^2 + 88 n - 3 multiplications, 2.5 n^2 + 95.5 n - 18 additions. The quadratic part, a pair of inner
// products and one addition for each pair of joints, is the paper's to the last operation. The linear part differs by
// what turning the inertias (45 and 30 a body), the products of skew matrices (two of 9 and 3) and the reference point
// (6 additions) take here; the paper does not say how it does them.
TEST(JsimCost, Gdahj) { expect_cost<jsim::Gdahj>({0.0, 3.0, 96.0, -12.0}, {0.0, 2.5, 102.5, -34.0}); }

}  // namespace
}  // namespace dyn
