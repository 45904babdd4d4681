// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Every Coriolis matrix on random trees with every joint type: skew symmetry against an independent Mdot, the same C v,
// the Christoffel family entry by entry, exact zeros between branches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/registry.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

using Matrix = MatX<double>;
using Vector = VecX<double>;

struct RandomState {
  explicit RandomState(test::Rng& rng, const Model& m) : model(m), ws(m.bodies()) {
    const auto q = test::random_values(rng, m.coordinates(), 2.0);
    const auto v = test::random_values(rng, m.coordinates(), 1.5);
    spread_positions(m.tree(), q.data(), ws);
    spread_rates(m.tree(), v.data(), ws.v);
    update_kinematics(m.tree(), ws, needs_all);
  }
  [[nodiscard]] ConstVectorRef<double> v() const { return {ws.v.data(), model.bodies()}; }

  template <class Algorithm>
  [[nodiscard]] Matrix run() const {
    Algorithm algorithm(model.bodies());
    Matrix out = Matrix::Constant(model.bodies(), model.bodies(), NAN);
    algorithm.compute(model.tree(), ws, matrix_view(out.data(), model.bodies(), model.bodies()));
    return out;
  }

  // sum_k dM/dq_k v_k
  [[nodiscard]] Matrix mass_rate() const {
    const Tree& tree = model.tree();
    InertiaDerivatives<double> dM_dq(tree.size);
    dM_dq.prepare(tree, ws);
    Matrix rate = Matrix::Zero(tree.size, tree.size);
    for (int i = 0; i < tree.size; ++i) {
      for (int j = 0; j < tree.size; ++j) {
        for (int k = 0; k < tree.size; ++k) rate(i, j) += dM_dq.at_bodies(tree, i, j, k) * v()[k];
      }
    }
    return rate;
  }

  Model model;
  Workspace<double> ws;
};

RandomState random_state(test::Rng& rng, int k) {
  const Model model = Model::build(test::random_robot(rng, {.joints = 3 + k % 12, .mimic = k % 2 == 0}));
  return RandomState(rng, model);
}

template <class Algorithm>
class EveryCoriolis : public ::testing::Test {};

template <class Tuple>
struct TestTypes;
template <class... A>
struct TestTypes<std::tuple<A...>> {
  using type = ::testing::Types<A...>;
};
struct Names {
  template <class Algorithm>
  static std::string GetName(int) {
    return std::string(Algorithm::name);
  }
};
TYPED_TEST_SUITE(EveryCoriolis, TestTypes<CoriolisAlgorithms<double>>::type, Names);

TYPED_TEST(EveryCoriolis, MassRateLessTwiceCoriolisIsSkew) {
  test::Rng rng(11);
  for (int k = 0; k < 40; ++k) {
    const RandomState s = random_state(rng, k);
    const Matrix N = s.mass_rate() - 2.0 * s.template run<TypeParam>();
    const Matrix M = s.template run<jsim::Fused<double>>();
    EXPECT_LT(inertia_scaled_error(N + N.transpose(), M), 1e-12) << "tree " << k;
  }
}

TYPED_TEST(EveryCoriolis, SameForceAsChristoffelSymbols) {
  test::Rng rng(12);
  for (int k = 0; k < 40; ++k) {
    const RandomState s = random_state(rng, k);
    const Vector expected = s.template run<coriolis::Christoffel<double>>() * s.v();
    const Vector force = s.template run<TypeParam>() * s.v();
    // C v is as large as M v^2, or 0 where all joints are prismatic.
    const double size = std::max(largest_entry(expected), largest_entry(s.template run<jsim::Fused<double>>()));
    EXPECT_LT(largest_entry(force - expected), 1e-12 * size) << "tree " << k;
  }
}

TYPED_TEST(EveryCoriolis, NothingBetweenBranches) {
  test::Rng rng(13);
  int zeros = 0;
  for (int k = 0; k < 40; ++k) {
    const RandomState s = random_state(rng, k);
    const Matrix C = s.template run<TypeParam>();
    for (int i = 0; i < C.rows(); ++i) {
      for (int j = 0; j < C.cols(); ++j) {
        if (s.model.tree().supports(i, j) || s.model.tree().supports(j, i)) continue;
        EXPECT_EQ(C(i, j), 0.0);
        ++zeros;
      }
    }
  }
  EXPECT_GT(zeros, 100);
}

template <class Algorithm>
class ChristoffelFamily : public ::testing::Test {};
using Family = ::testing::Types<coriolis::Kronecker<double>, coriolis::Screw<double>, coriolis::Fused<double>,
                                coriolis::Recursive<double>>;
TYPED_TEST_SUITE(ChristoffelFamily, Family, Names);

TYPED_TEST(ChristoffelFamily, EqualEntryByEntry) {
  test::Rng rng(14);
  for (int k = 0; k < 40; ++k) {
    const RandomState s = random_state(rng, k);
    const Matrix M = s.template run<jsim::Fused<double>>();
    const Matrix difference = s.template run<TypeParam>() - s.template run<coriolis::Christoffel<double>>();
    EXPECT_LT(inertia_scaled_error(difference, M), 1e-12) << "tree " << k;
  }
}

// Eq 52 of paper 004 with the Kronecker products written out in full.
TEST(Kronecker, IsEquation52) {
  test::Rng rng(15);
  for (int t = 0; t < 10; ++t) {
    const RandomState s = random_state(rng, t);
    const Tree& tree = s.model.tree();
    const int n = tree.size;
    InertiaDerivatives<double> derivatives(n);
    derivatives.prepare(tree, s.ws);
    Matrix dM_dq(n, n * n);
    Matrix one_v = Matrix::Zero(n * n, n);
    Matrix v_one = Matrix::Zero(n * n, n);
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) dM_dq(i, j * n + k) = derivatives.at_bodies(tree, i, j, k);
        one_v(j * n + k, j) = s.v()[k];
        v_one(j * n + k, k) = s.v()[j];
      }
    }
    const Matrix U = dM_dq * one_v;
    const Matrix V = dM_dq * v_one;
    const Matrix C = s.run<coriolis::Kronecker<double>>();
    EXPECT_LT(largest_entry(C - 0.5 * (U + V - V.transpose())), 1e-13 * largest_entry(C));
  }
}

}  // namespace
}  // namespace dyn
