// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A violated precondition of a public header ends the program in debug and test builds; that valid calls pass is shown
// by the other tests of the same guarded code.
#include "dyn_core/precondition.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "dyn_core/control/controller.hpp"
#include "dyn_core/control/laws.hpp"
#include "dyn_core/control/momentum_observer.hpp"
#include "dyn_core/control/passive_joints.hpp"
#include "dyn_core/control/payload_estimate.hpp"
#include "dyn_core/control/reference_limiter.hpp"
#include "dyn_core/coriolis/registry.hpp"
#include "dyn_core/dynamics.hpp"
#include "dyn_core/forward/registry.hpp"
#include "dyn_core/gravity/gravity.hpp"
#include "dyn_core/inverse/registry.hpp"
#include "dyn_core/jsim/registry.hpp"
#include "dyn_core/live/sample_ring.hpp"
#include "dyn_core/lockfree/ring.hpp"
#include "live/arm.hpp"

#ifndef DYN_REALTIME_GUARD
#error "these tests are of guarded code"
#endif

namespace dyn {
namespace {

constexpr const char* violated = "precondition violated";
constexpr double period_s = 1e-3;

std::shared_ptr<const Model> arm() { return std::make_shared<const Model>(Model::build(test::small_arm())); }

TEST(Preconditions, AreSaidWithConditionAndPlace) {
  const int entries = 2;
  EXPECT_DEATH(DYN_EXPECTS(entries == 3), "dyn_core: precondition violated: entries == 3, .*precondition_test.cpp:4");
  DYN_EXPECTS(entries == 2);
}

TEST(Preconditions, SizesOfStatesAndResults) {
  Dynamics dynamics(arm());
  const size_t n = dynamics.model().coordinates();
  std::vector<double> x(n, 0.1), out(n), longer(n + 1), matrix(n * n);
  ASSERT_TRUE(dynamics.update(x, x).ok());
  EXPECT_DEATH((void)dynamics.update(longer, x), violated);
  EXPECT_DEATH((void)dynamics.update(x, longer), violated);
  EXPECT_DEATH((void)dynamics.update_terms(std::span<const double>(x).first(n - 1), x, term_M), violated);
  EXPECT_DEATH(dynamics.inverse(longer, out), violated);
  EXPECT_DEATH(dynamics.inverse(x, longer), violated);
  EXPECT_DEATH((void)dynamics.forward(longer, out), violated);
  EXPECT_DEATH((void)dynamics.forward(x, longer), violated);
  EXPECT_DEATH((void)dynamics.inverse_mass_matrix(out), violated);
  dynamics.inverse(x, out);
  EXPECT_TRUE(dynamics.forward(x, out).ok());
  EXPECT_TRUE(dynamics.inverse_mass_matrix(matrix).ok());
}

TEST(Preconditions, IndicesAndNumbersOfDynamics) {
  Dynamics dynamics(arm());
  const int n = dynamics.model().coordinates();
  EXPECT_DEATH((void)dynamics.element(n, 0), violated);
  EXPECT_DEATH((void)dynamics.element(0, -1), violated);
  EXPECT_DEATH(dynamics.set_body_inertia(dynamics.model().bodies(), {}), violated);
  EXPECT_DEATH(dynamics.set_gravity({0.0, 0.0, std::nan("")}), violated);
  AlgorithmIndex none;
  none.jsim = 100;
  EXPECT_DEATH(dynamics.set_algorithms(none), violated);
}

// Each algorithm of a list, on a matrix or vectors that are one entry too small, and on a workspace that is.
template <class Algorithms, class Call>
void all_refuse(const Call& call) {
  const auto model = arm();
  const Tree& tree = model->tree();
  const Workspace<double> fitting(tree.size), small(tree.size - 1);
  std::vector<double> memory(100, 0.0);
  std::apply(
      [&](auto... algorithm) {
        const auto refuses = [&](auto& a) {
          EXPECT_DEATH(call(a, tree, fitting, memory.data(), tree.size - 1), violated) << a.name;
          EXPECT_DEATH(call(a, tree, small, memory.data(), tree.size), violated) << a.name;
        };
        (refuses(algorithm), ...);
      },
      [&]<class... A>(std::type_identity<std::tuple<A...>>) {
        return std::tuple<A...>(A(tree.size)...);
      }(std::type_identity<Algorithms>{}));
}

TEST(Preconditions, SizesOfPaperForms) {
  const auto matrix = [](auto& algorithm, const Tree& tree, const auto& ws, double* memory, int n) {
    algorithm.compute(tree, ws, matrix_view(memory, n, n));
  };
  all_refuse<JsimAlgorithms<double>>(matrix);
  all_refuse<CoriolisAlgorithms<double>>(matrix);
  all_refuse<InverseAlgorithms<double>>([](auto& algorithm, const Tree& tree, const auto& ws, double* memory, int n) {
    algorithm.compute(tree, ws, tree.gravity, VectorRef<double>(memory, n));
  });
  all_refuse<ForwardAlgorithms<double>>([](auto& algorithm, const Tree& tree, const auto& ws, double* memory, int n) {
    (void)algorithm.compute(tree, ws, ConstVectorRef<double>(memory, n), VectorRef<double>(memory + n, n));
  });
}

TEST(Preconditions, SizesOfACycle) {
  live::LiveModel live(test::small_arm(), {});
  control::Actuation actuation = control::Actuation::from_model(*live.newest_model(), {});
  for (double& limit : actuation.effort_limit) limit = 100.0;
  control::Parameters parameters;
  const size_t n = live.robot_coordinates();
  parameters.gains.assign(n, {100.0, 20.0, 0.0, 0.0});
  control::Controller controller(live, actuation, parameters, period_s);
  const std::vector<double> x(n, 0.1), shorter(n - 1, 0.1);
  std::vector<double> effort(n);
  EXPECT_DEATH(controller.activate({shorter, x}), violated);
  controller.activate({x, x});
  (void)controller.step({x, x}, {x, x, x}, effort);
  EXPECT_DEATH((void)controller.step({shorter, x}, {x, x, x}, effort), violated);
  EXPECT_DEATH((void)controller.step({x, x}, {x, x, shorter}, effort), violated);
  EXPECT_DEATH((void)controller.step({x, x}, {x, x, x}, std::span(effort).first(n - 1)), violated);
  EXPECT_DEATH((void)live.acquire(-period_s), violated);
}

TEST(Preconditions, PartsOfACycle) {
  std::vector<double> memory(9, 1.0);
  const ConstMatrixRef<double> M(memory.data(), 2, 2, Eigen::OuterStride<>(2));
  const ConstVectorRef<double> x(memory.data(), 2), longer(memory.data(), 3);
  control::MomentumObserver observer(2);
  observer.reset(M, x);
  EXPECT_DEATH(observer.reset(M, longer), violated);
  EXPECT_DEATH(observer.update(M, M, x, x, longer, 50.0, period_s), violated);
  EXPECT_DEATH(observer.update(M, M, x, x, x, 50.0, 0.0), violated);
  control::PassiveJoints passive(2);
  EXPECT_DEATH(passive.choose({true}, 1, 3), violated);
  passive.choose({true, false}, 2, 2);
  EXPECT_DEATH((void)passive.solve_accelerations(M, x, VectorRef<double>(memory.data(), 3)), violated);
  control::PayloadEstimate payload(2);
  EXPECT_DEATH(payload.reset(0.0, 0.1), violated);
  EXPECT_DEATH(payload.adapt(1.0, -period_s), violated);
  control::JointLimiter limiter;
  EXPECT_DEATH((void)limiter.follow({}, false, control::MotionLimits{}, period_s), violated);
}

TEST(Preconditions, OrderOfCallsOfARing) {
  EXPECT_DEATH(lockfree::Ring<int>(0), violated);
  lockfree::Ring<int> ring(1);
  EXPECT_DEATH(ring.release(), violated) << "nothing was handed over";
  ring.commit();
  EXPECT_DEATH(ring.commit(), violated) << "the only slot is the consumer's";
  ring.release();
  EXPECT_DEATH(live::SampleRing(0, 2, 2), violated);
}

}  // namespace
}  // namespace dyn
