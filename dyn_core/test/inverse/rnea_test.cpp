// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/inverse/rnea.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "dyn_core/coriolis/fused.hpp"
#include "dyn_core/gravity/gravity.hpp"
#include "dyn_core/jsim/fused.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "support/state.hpp"

namespace dyn {
namespace {

using Vector = Eigen::VectorXd;

struct Terms {
  Eigen::MatrixXd M, C;
  Vector g;
};

Terms terms(const test::State<>& s) {
  const int n = s.model.bodies();
  std::vector<double> M(n * n), C(M), g(n);
  jsim::Fused<double>(n).compute(s.tree(), s.ws, matrix_view(M.data(), n, n));
  coriolis::Fused<double>(n).compute(s.tree(), s.ws, matrix_view(C.data(), n, n));
  Gravity<double>(n).compute(s.tree(), s.ws, s.tree().gravity, VectorRef<double>(g.data(), n));
  return {matrix_view(M.data(), n, n), matrix_view(C.data(), n, n), VectorRef<double>(g.data(), n)};
}

TEST(Rnea, EqualsMassCoriolisAndGravityOnRandomTrees) {
  test::Rng rng(31);
  for (int k = 0; k < 60; ++k) {
    test::State<> s(Model::build(test::random_robot(rng, {.joints = 3 + k % 20, .mimic = true})));
    s.randomize(rng);
    const int n = s.model.bodies();
    const Terms t = terms(s);
    const Vector a = Eigen::Map<const Vector>(s.ws.a.data(), n);
    const Vector v = Eigen::Map<const Vector>(s.ws.v.data(), n);
    Vector tau(n), bias(n);
    inverse::Rnea<double> rnea(n);
    rnea.compute(s.tree(), s.ws, s.tree().gravity, VectorRef<double>(tau.data(), n));
    rnea.bias(s.tree(), s.ws, s.tree().gravity, VectorRef<double>(bias.data(), n));
    const Vector expected = t.M * a + t.C * v + t.g;
    const double size = 1.0 + largest_entry(expected) + largest_entry(t.M * a);
    EXPECT_LT(largest_entry(tau - expected), 1e-12 * size);
    EXPECT_LT(largest_entry(bias - t.C * v - t.g), 1e-12 * size);
  }
}

}  // namespace
}  // namespace dyn
