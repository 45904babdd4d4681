// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The examples of paper 000 (Wang and Ju), section 7, and single elements.
#include "dyn_core/jsim/explicit.hpp"

#include <gtest/gtest.h>

#include <array>

#include "dyn_core/jsim/momentum.hpp"
#include "dyn_core/jsim/pseudo_inertia.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "support/evaluate.hpp"
#include "support/paper_robots.hpp"

namespace dyn {
namespace {

using test::matrix_of;
using test::workspace_at;

TEST(JsimExplicit, PlanarArmInClosedForm) {
  const closed_forms::Planar3Form arm;
  const Model model = Model::build(test::planar3(arm));
  test::Rng rng(7);
  for (int k = 0; k < 50; ++k) {
    const auto q = test::random_values(rng, 3, 3.0);
    const auto ws = workspace_at<double>(model, q);
    const Mat3d expected = arm.mass_matrix(q[1], q[2]);
    EXPECT_LT(mass_matrix_error(matrix_of<jsim::Explicit<double>>(model.tree(), ws), expected), 1e-12);
    EXPECT_LT(mass_matrix_error(matrix_of<jsim::Momentum<double>>(model.tree(), ws), expected), 1e-12);
    EXPECT_LT(mass_matrix_error(matrix_of<jsim::PseudoInertia<double>>(model.tree(), ws), expected), 1e-12);
  }
}

// Fig. 6: q_i = 5 sin t over 10 s; the paper finds the explicit method and generalized momentum 1e-18 apart.
TEST(JsimExplicit, RoverArmAgreesWithMomentum) {
  const Model model = Model::build(test::rover_arm());
  double largest = 0.0;
  for (int step = 0; step <= 1000; ++step) {
    const auto ws = workspace_at<double>(model, std::vector<double>(5, 5.0 * std::sin(0.01 * step)));
    const MatX<double> M = matrix_of<jsim::Explicit<double>>(model.tree(), ws);
    largest = larger_error(largest, largest_entry(M - matrix_of<jsim::Momentum<double>>(model.tree(), ws)));
    for (const auto& [u, k] : {std::pair(1, 3), {1, 4}, {2, 3}, {2, 4}}) {
      EXPECT_EQ(M(u, k), 0.0);
      EXPECT_EQ(M(k, u), 0.0);
    }
    // Links 3 and 5 have neither inertia about their own axes nor mass off them.
    EXPECT_NEAR(M(2, 2), 0.0, 1e-17);
    EXPECT_NEAR(M(4, 4), 0.0, 1e-17);
  }
  EXPECT_LT(largest, 1e-16);  // measured 1.4e-17, two units in the last place of entries around 0.1
}

TEST(JsimExplicit, ElementAloneHasTheBitsOfTheMatrix) {
  test::Rng rng(11);
  for (int k = 0; k < 20; ++k) {
    const Model model = Model::build(test::random_robot(rng, {.joints = 15, .mimic = true}));
    const auto ws = workspace_at<double>(model, test::random_values(rng, model.coordinates(), 2.0));
    const MatX<double> M = matrix_of<jsim::Explicit<double>>(model.tree(), ws);
    const jsim::Explicit<double> elements(model.tree().size);
    for (int u = 0; u < model.tree().size; ++u) {
      for (int j = 0; j < model.tree().size; ++j) EXPECT_EQ(elements.element(model.tree(), ws, u, j), M(u, j));
    }
  }
}

// Eqs 30 to 37 as they stand, for u and k in either order: where k is below u, by the formulas whose sums run over the
// subtree of k (32, 33, 36, 37), which the algorithm itself never evaluates.
double by_its_own_case(const Tree& tree, const Workspace<double>& ws, int u, int k) {
  const bool below = tree.supports(u, k);
  if (!below && !tree.supports(k, u)) return 0.0;
  const int deeper = below ? k : u;
  const bool u_turns = tree.motion[u] == Motion::revolute, k_turns = tree.motion[k] == Motion::revolute;
  const Vec3d &n_u = ws.axis[u], &n_k = ws.axis[k];
  Mat3d sum = Mat3d::Zero();
  for (int l = deeper; l < tree.subtree_end[deeper]; ++l) {
    const Mat3d r_u = skew(Vec3d(ws.com[l] - ws.origin[u])), r_k = skew(Vec3d(ws.com[l] - ws.origin[k]));
    if (u_turns && k_turns) sum += ws.inertia[l] - tree.mass[l] * r_u * r_k;  // (30), (32)
    if (u_turns && !k_turns) sum += tree.mass[l] * r_u;                       // (31), (33)
    if (!u_turns && k_turns) sum -= tree.mass[l] * r_k;                       // (34), (36)
    if (!u_turns && !k_turns) sum += tree.mass[l] * Mat3d::Identity();        // (35), (37)
  }
  return n_u.dot(sum * n_k);
}

// The paper's section 5 proves that M is symmetric; here both halves are evaluated, nothing is mirrored.
TEST(JsimExplicit, FormulasBelowTheDiagonalAreEvaluated) {
  test::Rng rng(29);
  std::array<int, 4> met{};  // pairs with k strictly below u, by type of u and k
  for (int round = 0; round < 40; ++round) {
    const Model model = Model::build(test::random_robot(rng, {.joints = 12}));
    const Tree& tree = model.tree();
    const auto ws = workspace_at<double>(model, test::random_values(rng, model.coordinates(), 2.0));
    MatX<double> by_cases(tree.size, tree.size);
    for (int u = 0; u < tree.size; ++u) {
      for (int k = 0; k < tree.size; ++k) {
        by_cases(u, k) = by_its_own_case(tree, ws, u, k);
        const size_t types =
            (tree.motion[u] == Motion::revolute ? 0U : 2U) + (tree.motion[k] == Motion::revolute ? 0U : 1U);
        if (u != k && tree.supports(u, k)) ++met.at(types);
      }
    }
    EXPECT_LT(mass_matrix_error(by_cases, by_cases.transpose()), 1e-12);
    EXPECT_LT(mass_matrix_error(matrix_of<jsim::Explicit<double>>(tree, ws), by_cases), 1e-12);
  }
  for (const int pairs : met) EXPECT_GT(pairs, 20);  // (32), (33), (36) and (37) were all met
}

}  // namespace
}  // namespace dyn
