// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/kinematics/inertia_derivatives.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "dyn_core/jsim/fused.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

MatX<double> mass_matrix(const Tree& tree, Workspace<double>& ws) {
  jsim::Fused<double> fused(tree.size);
  MatX<double> M(tree.size, tree.size);
  update_kinematics(tree, ws, needs_inertias);
  fused.compute(tree, ws, matrix_view(M.data(), tree.size, tree.size));
  return M;
}

// Central differences of fourth order: error about step^4 = 1e-12 and rounding 1e-16 / step.
MatX<double> difference_quotient(const Tree& tree, Workspace<double>& ws, size_t k) {
  const double step = 1e-3;
  const double q = ws.q[k];
  const auto M_at = [&](double at) {
    ws.q[k] = at;
    return mass_matrix(tree, ws);
  };
  const MatX<double> slope =
      (8.0 * (M_at(q + step) - M_at(q - step)) - (M_at(q + 2 * step) - M_at(q - 2 * step))) / (12.0 * step);
  ws.q[k] = q;
  update_kinematics(tree, ws, needs_inertias);
  return slope;
}

TEST(InertiaDerivatives, AgreeWithCentralDifferences) {
  test::Rng rng(21);
  for (int t = 0; t < 12; ++t) {
    const Model model = Model::build(test::random_robot(rng, {.joints = 4 + t}));
    const Tree& tree = model.tree();
    Workspace<double> ws(tree.size);
    ws.q = test::random_values(rng, tree.size, 2.0);
    const double size = largest_entry(mass_matrix(tree, ws));
    InertiaDerivatives<double> dM_dq(tree.size);
    for (int k = 0; k < tree.size; ++k) {
      const MatX<double> expected = difference_quotient(tree, ws, k);
      dM_dq.prepare(tree, ws);
      for (int i = 0; i < tree.size; ++i) {
        for (int j = 0; j < tree.size; ++j) {
          EXPECT_NEAR(dM_dq.at_bodies(tree, i, j, k), expected(i, j), 1e-10 * size) << i << ' ' << j << ' ' << k;
        }
      }
    }
  }
}

TEST(InertiaDerivatives, SymmetricAndZeroWhereTheTreeSaysSo) {
  test::Rng rng(22);
  const Model model = Model::build(test::random_robot(rng, {.joints = 14}));
  const Tree& tree = model.tree();
  Workspace<double> ws(tree.size);
  ws.q = test::random_values(rng, tree.size, 2.0);
  update_kinematics(tree, ws, needs_inertias);
  InertiaDerivatives<double> dM_dq(tree.size);
  dM_dq.prepare(tree, ws);
  for (int i = 0; i < tree.size; ++i) {
    for (int j = 0; j < tree.size; ++j) {
      for (int k = 0; k < tree.size; ++k) {
        const double x = dM_dq.at_bodies(tree, i, j, k);
        EXPECT_EQ(x, dM_dq.at_bodies(tree, j, i, k));
        const bool related = tree.supports(i, j) || tree.supports(j, i);
        if (!related || tree.supports(k, std::min(i, j))) {
          EXPECT_EQ(x, 0.0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace dyn
