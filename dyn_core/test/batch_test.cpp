// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/kernel_sets.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "streaming.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

// Robots of every shape, states that do not fill the last tile, one of them not finite; against the scalar forms.
class Batch : public ::testing::TestWithParam<std::string> {};

double distance(const ConstMatrixRef<double>& a, const double* b, double floor) {
  const ConstMatrixRef<double> other(b, a.rows(), a.cols(), Eigen::OuterStride<>(a.rows()));
  return relative_error(other, a, floor);
}

struct Results {
  Results(size_t states, size_t n) : M(states * n * n), C(M.size()), g(states * n), h(g.size()) {}
  [[nodiscard]] BatchOutput all() { return {M, C, g, h}; }
  std::vector<double> M, C, g, h;
};

TEST_P(Batch, IsEachStateByItself) {
  test::Rng rng(8);
  for (int robot = 0; robot < 24; ++robot) {
    const auto model = std::make_shared<const Model>(Model::build(test::random_robot(
        rng,
        {.joints = 1 + robot % 12, .serial = robot % 3 == 0, .every_type = robot % 4 != 1, .mimic = robot % 2 == 0})));
    const size_t n = model->coordinates();
    const size_t states = 1 + static_cast<size_t>(robot) % 21;
    auto q = test::random_values(rng, static_cast<int>(states * n), 2.0);
    const auto v = test::random_values(rng, static_cast<int>(states * n), 2.0);
    const size_t bad = states / 2;
    if (states > 2) q[bad * n] = std::numeric_limits<double>::quiet_NaN();
    Results out(states, n);
    BatchDynamics(model, GetParam()).evaluate(q, v, out.all());
    Dynamics single(model, {.jsim = "crba", .coriolis = "recursive", .forward = "fused", .inverse = "fused"});
    for (size_t k = 0; k < states; ++k) {
      if (states > 2 && k == bad) {
        EXPECT_TRUE(std::isnan(out.M[k * n * n]) && std::isnan(out.C[k * n * n]) && std::isnan(out.g[k * n]));
        continue;
      }
      ASSERT_TRUE(single.update(std::span(q).subspan(k * n, n), std::span(v).subspan(k * n, n)).ok());
      const double scale = largest_entry(single.M());
      EXPECT_LT(distance(single.M(), &out.M[k * n * n], 0.0), 1e-12) << robot;
      EXPECT_LT(distance(single.C(), &out.C[k * n * n], scale), 1e-12) << robot;
      EXPECT_LT(largest_entry(single.g() - ConstVectorRef<double>(&out.g[k * n], single.g().size())),
                1e-11 * (scale + largest_entry(single.g())));
      EXPECT_LT(largest_entry(single.h() - ConstVectorRef<double>(&out.h[k * n], single.h().size())),
                1e-11 * (scale + largest_entry(single.h())));
    }
  }
}

// h with every combination of other terms: by its own pass and as C v + g, with M and without; of a robot whose states
// are evaluated side by side, and of one so large that they are evaluated one by one.
TEST_P(Batch, EverySubsetOfTheTermsIsTheSame) {
  test::Rng rng(81);
  for (const int joints : {7, 130}) {
    const auto model = std::make_shared<const Model>(
        Model::build(test::random_robot(rng, {.joints = joints, .every_type = joints < 10})));
    const size_t n = model->coordinates();
    constexpr size_t states = 9;
    const auto q = test::random_values(rng, static_cast<int>(states * n), 2.0);
    const auto v = test::random_values(rng, static_cast<int>(states * n), 2.0);
    BatchDynamics batch(model, GetParam());
    Results all(states, n);
    batch.evaluate(q, v, all.all());
    const auto near = [](const std::vector<double>& a, const std::vector<double>& b) {
      double worst = 0.0, largest = 1.0;
      for (size_t i = 0; i < a.size(); ++i) {
        worst = larger_error(worst, std::abs(a[i] - b[i]));
        largest = std::max(largest, std::abs(b[i]));
      }
      return worst < 1e-11 * largest;
    };
    for (unsigned terms = 1; terms < 16; ++terms) {
      Results some(states, n);
      BatchOutput out = some.all();
      if ((terms & 1U) == 0U) out.M = {};
      if ((terms & 2U) == 0U) out.C = {};
      if ((terms & 4U) == 0U) out.g = {};
      if ((terms & 8U) == 0U) out.h = {};
      EXPECT_TRUE(test::count_allocations([&] { batch.evaluate(q, v, out); }).none()) << terms;
      EXPECT_TRUE(out.M.empty() || some.M == all.M) << joints << ' ' << terms;
      EXPECT_TRUE(out.C.empty() || near(some.C, all.C)) << joints << ' ' << terms;
      EXPECT_TRUE(out.g.empty() || near(some.g, all.g)) << joints << ' ' << terms;
      EXPECT_TRUE(out.h.empty() || near(some.h, all.h)) << joints << ' ' << terms;
    }
  }
}

// Robots so large that states are evaluated one by one, in place where bodies are coordinates: trees, with zeros
// between branches over what was there before, and mimic joints.
TEST_P(Batch, OfLargeRobotsIsEachStateByItself) {
  test::Rng rng(84);
  for (const bool mimic : {false, true}) {
    RobotDescription robot = test::random_robot(rng, {.joints = 130, .every_type = mimic, .mimic = mimic});
    for (JointDescription& joint : robot.joints) joint.armature = test::uniform(rng, 0.0, 2.0);
    const auto model = std::make_shared<const Model>(Model::build(robot, {.armature = true}));
    ASSERT_EQ(model->tree().bodies_are_coordinates, !mimic);
    const size_t n = model->coordinates();
    constexpr size_t states = 5;
    auto q = test::random_values(rng, static_cast<int>(states * n), 2.0);
    const auto v = test::random_values(rng, static_cast<int>(states * n), 2.0);
    q[2 * n] = std::numeric_limits<double>::quiet_NaN();
    Results out(states, n);
    for (auto* numbers : {&out.M, &out.C, &out.g, &out.h}) std::fill(numbers->begin(), numbers->end(), 1e9);
    BatchDynamics batch(model, GetParam());
    EXPECT_TRUE(test::count_allocations([&] { batch.evaluate(q, v, out.all()); }).none());
    Dynamics single(model);
    for (size_t k = 0; k < states; ++k) {
      if (k == 2) {
        EXPECT_TRUE(std::isnan(out.M[k * n * n]) && std::isnan(out.C[k * n * n]) && std::isnan(out.h[k * n]));
        continue;
      }
      ASSERT_TRUE(single.update(std::span(q).subspan(k * n, n), std::span(v).subspan(k * n, n)).ok());
      EXPECT_LT(distance(single.M(), &out.M[k * n * n], 0.0), 1e-12);
      EXPECT_LT(distance(single.C(), &out.C[k * n * n], largest_entry(single.M())), 1e-12);
      EXPECT_LT(largest_entry(single.h() - ConstVectorRef<double>(&out.h[k * n], single.h().size())),
                1e-11 * (1.0 + largest_entry(single.h())));
    }
  }
}

// What does not fit into the last-level cache goes past it, to places that are not aligned; the numbers are the same.
class LargeBatch : public ::testing::TestWithParam<int> {};

TEST_P(LargeBatch, PastTheCachesHasTheSameNumbers) {
  test::Rng rng(85);
  const auto model =
      std::make_shared<const Model>(Model::build(test::random_robot(rng, {.joints = GetParam(), .every_type = false})));
  const size_t n = model->coordinates();
  const size_t states = last_level_cache() / (sizeof(double) * n * n) + 37;
  const auto few = test::random_values(rng, static_cast<int>(8 * n), 2.0);
  std::vector<double> q(states * n), M(states * n * n);
  for (size_t i = 0; i < q.size(); ++i) q[i] = few[i % few.size()];
  BatchDynamics batch(model);
  batch.evaluate(q, q, {.M = M});
  std::vector<double> expected(8 * n * n);
  batch.evaluate(few, few, {.M = expected});
  for (size_t i = 0; i < M.size(); ++i) ASSERT_EQ(M[i], expected[i % expected.size()]) << i;
}

INSTANTIATE_TEST_SUITE_P(Joints, LargeBatch, ::testing::Values(7, 100));  // tile by tile, state by state

INSTANTIATE_TEST_SUITE_P(Isa, Batch, ::testing::ValuesIn(usable_kernel_sets()),
                         [](const auto& kernels) { return kernels.param; });

// Results are written by cache lines where all states lie alike in them, wherever memory begins.
TEST_P(Batch, IsTheSameWhereverResultsLie) {
  test::Rng rng(86);
  const auto model =
      std::make_shared<const Model>(Model::build(test::random_robot(rng, {.joints = 8, .every_type = false})));
  const size_t n = model->coordinates();
  ASSERT_EQ(n, 8);
  constexpr size_t states = 19, before = 8;
  const auto q = test::random_values(rng, static_cast<int>(states * n), 2.0);
  const auto v = test::random_values(rng, static_cast<int>(states * n), 2.0);
  BatchDynamics batch(model, GetParam());
  Results expected(states, n);
  batch.evaluate(q, v, expected.all());
  for (size_t shift = 0; shift < before; ++shift) {
    std::vector<double> M(before + expected.M.size() + before, -1.0);
    batch.evaluate(q, v, {.M = std::span(M).subspan(shift, expected.M.size())});
    for (size_t i = 0; i < M.size(); ++i) {
      const bool inside = i >= shift && i < shift + expected.M.size();
      ASSERT_EQ(M[i], inside ? expected.M[i - shift] : -1.0) << shift << ' ' << i;
    }
  }
}

TEST(BatchThreads, ShareTheStates) {
  test::Rng rng(82);
  const auto model = std::make_shared<const Model>(Model::build(test::random_robot(rng, {.joints = 5})));
  const size_t n = model->coordinates();
  constexpr size_t states = 101;
  const auto q = test::random_values(rng, static_cast<int>(states * n), 2.0);
  const auto v = test::random_values(rng, static_cast<int>(states * n), 2.0);
  Results one(states, n);
  evaluate_batch(model, q, v, one.all());
  for (const unsigned threads : {2U, 3U, 0U}) {
    Results more(states, n);
    evaluate_batch(model, q, v, more.all(), threads);
    EXPECT_TRUE(one.M == more.M && one.C == more.C && one.g == more.g && one.h == more.h);
  }
}

TEST(BatchThreads, WrongSizesAreRefused) {
  test::Rng rng(9);
  const auto model = std::make_shared<const Model>(
      Model::build(test::random_robot(rng, {.joints = 3, .serial = true, .every_type = false})));
  std::vector<double> q(6);
  std::vector<double> g(5);
  EXPECT_THROW(evaluate_batch(model, q, q, {.g = g}), ModelError);
}

}  // namespace
}  // namespace dyn
