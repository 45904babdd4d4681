// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Gravity and inertias that change after update(): all later results, by every combination of algorithms, must have the
// new ones. Expected: crba, recursive, aba and rnea, with the same changes made before update().
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/registry.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

struct Change {
  bool gravity, inertia;
};
constexpr std::array<Change, 3> changes{Change{true, false}, Change{false, true}, Change{true, true}};
const Vec3d other_gravity(3.0, -4.0, 5.0);

// The results requested after a change, and their order.
enum Call { call_inverse, call_forward, call_minv, call_element, calls };

template <class T>
struct Answers {
  explicit Answers(int n) : tau(VecX<T>::Zero(n)), qdd(VecX<T>::Zero(n)), minv(MatX<T>::Zero(n, n)) {}
  VecX<T> tau, qdd;
  MatX<T> minv;
  T element{};
};

template <class T>
struct Rig {
  Rig(Model robot, test::Rng& rng)
      : model(std::make_shared<const Model>(std::move(robot))),
        body(model->bodies() / 2),
        changed(body_inertia(model->tree(), body)),
        q(values(rng, 2.0)),
        v(values(rng, 2.0)),
        a(values(rng, 2.0)),
        tau(values(rng, 20.0)) {
    const Inertial other = test::random_inertial(rng);
    changed = {3.0 * other.mass_kg, other.com_m + Vec3d(0.1, 0.2, -0.1), 2.0 * other.inertia_com_kgm2};
  }

  [[nodiscard]] std::vector<T> values(test::Rng& rng, double size) const {
    const std::vector<double> x = test::random_values(rng, model->coordinates(), size);
    return {x.begin(), x.end()};
  }

  void change(BasicDynamics<T>& dynamics, Change what) const {
    if (what.gravity) dynamics.set_gravity(other_gravity);
    if (what.inertia) dynamics.set_body_inertia(body, changed);
  }
  void restore(BasicDynamics<T>& dynamics) const {
    dynamics.set_gravity(model->tree().gravity);
    dynamics.set_body_inertia(body, body_inertia(model->tree(), body));
  }

  void ask(BasicDynamics<T>& dynamics, int call, Answers<T>& out) const {
    const auto span = [](auto& x) { return std::span<T>(x.data(), static_cast<size_t>(x.size())); };
    const int last = model->coordinates() - 1;
    Status status;
    if (call == call_inverse) dynamics.inverse(a, span(out.tau));
    if (call == call_forward) status = dynamics.forward(tau, span(out.qdd));
    if (call == call_minv) status = dynamics.inverse_mass_matrix(span(out.minv));
    if (call == call_element) out.element = dynamics.element(last, last / 2);
    ASSERT_TRUE(status.ok());
  }

  std::shared_ptr<const Model> model;
  int body;
  BodyInertia changed;
  std::vector<T> q, v, a, tau;
};

template <class T>
Answers<T> expected_answers(const Rig<T>& rig, Change what) {
  BasicDynamics<T> dynamics(rig.model, {"crba", "recursive", "aba", "rnea"});
  rig.change(dynamics, what);
  EXPECT_TRUE(dynamics.update(rig.q, rig.v).ok());
  Answers<T> answers(rig.model->coordinates());
  for (int call = 0; call < calls; ++call) rig.ask(dynamics, call, answers);
  return answers;
}

std::string names(const AlgorithmIndex& index) {
  const auto name = [](const auto& list, int i) { return std::string(list[i]) + ' '; };
  return name(AlgorithmList<JsimAlgorithms<double>>::names, index.jsim) +
         name(AlgorithmList<CoriolisAlgorithms<double>>::names, index.coriolis) +
         name(AlgorithmList<ForwardAlgorithms<double>>::names, index.forward) +
         name(AlgorithmList<InverseAlgorithms<double>>::names, index.inverse);
}

template <class F>
void for_every_combination(F&& f) {
  AlgorithmIndex index;
  for (index.jsim = 0; index.jsim < AlgorithmList<JsimAlgorithms<double>>::size; ++index.jsim) {
    for (index.coriolis = 0; index.coriolis < AlgorithmList<CoriolisAlgorithms<double>>::size; ++index.coriolis) {
      for (index.forward = 0; index.forward < AlgorithmList<ForwardAlgorithms<double>>::size; ++index.forward) {
        for (index.inverse = 0; index.inverse < AlgorithmList<InverseAlgorithms<double>>::size; ++index.inverse) {
          f(index);
        }
      }
    }
  }
}

// update(), everything asked once (so that every cache is filled), the change, everything asked again.
template <class T>
void expect_no_stale_answers(const Rig<T>& rig, double tolerance) {
  BasicDynamics<T> dynamics(rig.model);
  const Answers<T> before = expected_answers(rig, Change{false, false});
  int stale = 0;
  std::string first_stale;
  for (const Change what : changes) {
    const Answers<T> expected = expected_answers(rig, what);
    ASSERT_GT(relative_error(before.tau, expected.tau), 1e-3) << "a change that changes nothing";
    ASSERT_GT(relative_error(before.qdd, expected.qdd), 1e-3) << "a change that changes nothing";
    for_every_combination([&](const AlgorithmIndex& index) {
      for (int first = 0; first < calls; ++first) {
        dynamics.set_algorithms(index);
        rig.restore(dynamics);
        ASSERT_TRUE(dynamics.update(rig.q, rig.v).ok());
        Answers<T> after(rig.model->coordinates());
        for (int call = 0; call < calls; ++call) rig.ask(dynamics, call, after);
        rig.change(dynamics, what);
        for (int call = 0; call < calls; ++call) rig.ask(dynamics, (first + call) % calls, after);
        const bool right = relative_error(after.tau, expected.tau) < tolerance &&
                           relative_error(after.qdd, expected.qdd) < 100.0 * tolerance &&
                           relative_error(after.minv, expected.minv) < 100.0 * tolerance &&
                           std::abs(after.element - expected.element) < T(10.0 * tolerance);
        if (!right && stale++ == 0) {
          first_stale = names(index) + "gravity " + std::to_string(what.gravity) + " inertia " +
                        std::to_string(what.inertia) + " first " + std::to_string(first);
        }
      }
    });
  }
  EXPECT_EQ(stale, 0) << "the first one: " << first_stale;
}

RobotDescription robot_of(test::Rng& rng, const test::RandomTreeOptions& options) {
  RobotDescription robot = test::random_robot(rng, options);
  for (JointDescription& joint : robot.joints) joint.armature = test::uniform(rng, 0.05, 0.1);
  return robot;
}

TEST(Changes, AfterUpdateAreSeenByEveryCombinationOnAChain) {
  test::Rng rng(11);
  const Rig<double> rig(Model::build(robot_of(rng, {.joints = 6, .serial = true, .every_type = false})), rng);
  expect_no_stale_answers(rig, 1e-10);
}

TEST(Changes, AfterUpdateAreSeenByEveryCombinationOnATree) {
  test::Rng rng(12);
  const Rig<double> rig(Model::build(robot_of(rng, {.joints = 9}), {.armature = true}), rng);
  expect_no_stale_answers(rig, 1e-10);
}

TEST(Changes, AfterUpdateAreSeenByEveryCombinationWithMimicJoints) {
  test::Rng rng(14);
  Model model = Model::build(robot_of(rng, {.joints = 9, .mimic = true}), {.armature = true});
  ASSERT_TRUE(model.tree().has_mimic);
  expect_no_stale_answers(Rig<double>(std::move(model), rng), 1e-10);
}

TEST(Changes, AfterUpdateAreSeenByEveryCombinationInFloat) {
  test::Rng rng(15);
  const Rig<float> rig(Model::build(robot_of(rng, {.joints = 5}), {.armature = true}), rng);
  expect_no_stale_answers(rig, 1e-4);
}

}  // namespace
}  // namespace dyn
