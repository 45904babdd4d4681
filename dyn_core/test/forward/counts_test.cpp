// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Operation counts on generic serial chains of revolute joints beside the formulas of the papers: leading coefficients
// within 10 %, and where O(n) overtakes O(n^3).
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "dyn_core/forward/aba.hpp"
#include "dyn_core/forward/cholesky.hpp"
#include "dyn_core/forward/denoc.hpp"
#include "dyn_core/jsim/crba.hpp"
#include "dyn_core/numeric/counting.hpp"
#include "support/state.hpp"

namespace dyn {
namespace {

test::State<Counting> generic_chain(int n) {
  test::Rng rng(51);
  test::State<Counting> s(Model::build(test::random_robot(rng, {.joints = n, .serial = true, .every_type = false})));
  s.randomize(rng);
  return s;
}

template <class Call>
OperationCount counted(Call&& call) {
  Counting::tally() = {};
  call();
  return Counting::tally();
}

OperationCount crba(int n) {
  const test::State<Counting> s = generic_chain(n);
  jsim::Crba<Counting> algorithm(n);
  std::vector<Counting> M(static_cast<size_t>(n * n));
  return counted([&] { algorithm.compute(s.tree(), s.ws, matrix_view(M.data(), n, n)); });
}

// Without the bias, as in paper 001.
template <class Algorithm>
OperationCount forward_dynamics(int n) {
  const test::State<Counting> s = generic_chain(n);
  Algorithm algorithm(n);
  std::vector<Counting> bias(static_cast<size_t>(n), 0.5), tau(static_cast<size_t>(n), 1.0), qdd(tau);
  return counted([&] {
    EXPECT_TRUE(algorithm
                    .solve(s.tree(), s.ws, ConstVectorRef<Counting>(bias.data(), n),
                           ConstVectorRef<Counting>(tau.data(), n), VectorRef<Counting>(qdd.data(), n))
                    .ok());
  });
}

// Second difference over two, at large n: the coefficient of n^2.
template <class Count>
double quadratic(Count&& count, int n) {
  const auto value = [&](int k) { return static_cast<double>(count(k)); };
  return (value(3 * n) - 2.0 * value(2 * n) + value(n)) / (2.0 * n * n);
}

// Paper 003, Table I: 10 n^2 + 22 n - 32 and 6 n^2 + 37 n - 43.
TEST(Counts, CrbaHasTheQuadraticTermsOfPaper003) {
  const double m = quadratic([](int n) { return crba(n).multiplications; }, 20);
  const double a = quadratic([](int n) { return crba(n).additions; }, 20);
  RecordProperty("crba_multiplications_n2", std::to_string(m));
  RecordProperty("crba_additions_n2", std::to_string(a));
  RecordProperty("crba_n20", std::to_string(crba(20).multiplications) + " " + std::to_string(crba(20).additions));
  EXPECT_NEAR(m, 10.0, 1.0);
  EXPECT_NEAR(a, 6.0, 0.6);
}

// Paper 001, Table 1: 173 n - 128 and 150 n - 133.
TEST(Counts, DenocForwardDynamicsIsLinear) {
  using Denoc = forward::Denoc<Counting>;
  const OperationCount few = forward_dynamics<Denoc>(20);
  const OperationCount many = forward_dynamics<Denoc>(40);
  const double m = static_cast<double>(many.multiplications - few.multiplications) / 20.0;
  const double a = static_cast<double>(many.additions - few.additions) / 20.0;
  RecordProperty("denoc_multiplications_n", std::to_string(m));
  RecordProperty("denoc_additions_n", std::to_string(a));
  EXPECT_NEAR(m, 173.0, 17.3);
  EXPECT_NEAR(a, 150.0, 15.0);
}

// Paper 001, Table 1: crossover at n = 10 by multiplications, 12 by all operations.
TEST(Counts, LinearForwardDynamicsOvertakesCholesky) {
  int by_multiplications = 0;
  int by_both = 0;
  for (int n = 2; n < 30; ++n) {
    const OperationCount linear = forward_dynamics<forward::Denoc<Counting>>(n);
    const OperationCount cubic = forward_dynamics<forward::Cholesky<Counting>>(n);
    if (by_multiplications == 0 && linear.multiplications < cubic.multiplications) by_multiplications = n;
    if (by_both == 0 && linear.multiplications + linear.additions < cubic.multiplications + cubic.additions)
      by_both = n;
  }
  RecordProperty("crossover_multiplications", by_multiplications);
  RecordProperty("crossover_all", by_both);
  // Earlier than in the paper, whose O(n^3) forms M by composite bodies; eq 29 takes 13 n^2 multiplications.
  EXPECT_LE(by_multiplications, 10);
  EXPECT_LE(by_both, 12);
  EXPECT_GT(by_multiplications, 2);
}

}  // namespace
}  // namespace dyn
