// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/fused/batch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dyn_core/dynamics.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

TEST(FusedBatch, IsEachStateByItself) {
  test::Rng rng(8);
  const auto model = std::make_shared<const Model>(Model::build(test::random_robot(rng, {.joints = 7, .mimic = true})));
  const auto n = static_cast<size_t>(model->coordinates());
  constexpr size_t states = 21;
  auto q = test::random_values(rng, static_cast<int>(states * n), 2.0);
  const auto v = test::random_values(rng, static_cast<int>(states * n), 2.0);
  q[4 * n] = std::numeric_limits<double>::quiet_NaN();
  for (const unsigned threads : {1U, 3U, 0U}) {
    std::vector<double> M(states * n * n);
    std::vector<double> g(states * n);
    evaluate_batch(model, q, v, M, {}, g, threads);
    Dynamics single(model);
    for (size_t k = 0; k < states; ++k) {
      const std::span<const double> qk(q.data() + k * n, n);
      const std::span<const double> vk(v.data() + k * n, n);
      if (k == 4) {
        EXPECT_TRUE(std::isnan(M[k * n * n]) && std::isnan(g[k * n]));
        continue;
      }
      ASSERT_TRUE(single.update_terms(qk, vk, term_M | term_g).ok());
      EXPECT_TRUE(std::equal(single.M().data(), single.M().data() + n * n, M.data() + k * n * n)) << k;
      EXPECT_TRUE(std::equal(single.g().data(), single.g().data() + n, g.data() + k * n)) << k;
    }
  }
}

TEST(FusedBatch, WrongSizesAreRefused) {
  test::Rng rng(9);
  const auto model = std::make_shared<const Model>(
      Model::build(test::random_robot(rng, {.joints = 3, .serial = true, .every_type = false})));
  std::vector<double> q(6);
  std::vector<double> g(5);
  EXPECT_THROW(evaluate_batch(model, q, q, {}, {}, g), ModelError);
}

}  // namespace
}  // namespace dyn
