// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What must hold for every forward dynamics, on every robot. A line in forward/registry.hpp brings a new one here.
#include "conformance/subject.hpp"
#include "dyn_core/registry.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_robot.hpp"

namespace dyn::test {
namespace {

template <class T>
struct Outcome {
  Status status;
  VecX<double> qdd;  // user's coordinates
};

template <class Entry>
class ForwardConformance : public ::testing::Test {
 protected:
  template <class T>
  using Algorithm = typename Entry::template Algorithm<T>;

  template <class T>
  static Outcome<T> run(Algorithm<T>& algorithm, const Body<T>& body, const Case& c) {
    const VecX<T> tau = eigen(c.tau).cast<T>();
    VecX<T> qdd = VecX<T>::Constant(tau.size(), T(777.0));
    const Status status = algorithm.compute(body.tree, body.ws, ConstVectorRef<T>(tau.data(), tau.size()),
                                            VectorRef<T>(qdd.data(), qdd.size()));
    return {status, qdd.template cast<double>()};
  }
  template <class T = double>
  static Outcome<T> fresh(const Case& c) {
    Body<T> body(*c.model);
    body.at(c, Algorithm<T>::needs);
    Algorithm<T> algorithm(body.tree.size);
    Outcome<T> outcome = run<T>(algorithm, body, c);
    if (outcome.status.ok()) expect_finite(outcome.qdd, c);
    return outcome;
  }
};
TYPED_TEST_SUITE(ForwardConformance, Entries<ForwardAlgorithms>, EntryName);

bool regular(const Case& c) { return c.condition < 1e12; }

TYPED_TEST(ForwardConformance, AgreesWithTheEnergyOracle) {
  for (const Case& c : all_cases()) {
    if (!regular(c)) continue;
    const auto [status, qdd] = this->fresh(c);
    EXPECT_TRUE(status.ok()) << c.robot;
    EXPECT_LT(relative_error(qdd, c.qdd), 1e-12 * c.condition) << c.robot;
  }
}

// Balance of power: v.tau = d/dt (1/2 v.M v) + v.g, with the oracle's terms.
TYPED_TEST(ForwardConformance, KeepsTheBalanceOfEnergy) {
  for (const Case& c : all_cases()) {
    if (!regular(c)) continue;
    const auto [status, qdd] = this->fresh(c);
    const VecX<double> v = eigen(c.v);
    MatX<double> M = c.M;
    for (int i = 0; i < c.model->coordinates(); ++i) M(i, i) += c.model->tree().armature[i];
    const double gained = v.dot(M * qdd) + 0.5 * v.dot(c.Mdot * v);
    const double put_in = v.dot(eigen(c.tau) - c.g);
    const double size = v.cwiseAbs().dot(M.cwiseAbs() * qdd.cwiseAbs()) + v.cwiseAbs().dot(c.g.cwiseAbs());
    EXPECT_LT(std::abs(gained - put_in), 1e-11 * size) << c.robot;
  }
}

// The last link has no mass: M is singular, and the status names the body.
TYPED_TEST(ForwardConformance, SaysWhereTheInertiaIsSingular) {
  Rng rng(3);
  RobotDescription robot = random_robot(rng, {.joints = 5, .serial = true, .every_type = false});
  robot.links.back().inertial.reset();
  const Model model = Model::build(robot);
  Case c;
  c.model = &model;
  c.q = random_values(rng, 5, 1.0);
  c.v = c.a = c.tau = c.q;
  const Status status = this->fresh(c).status;
  EXPECT_EQ(status.code, Status::Code::singular_inertia);
  EXPECT_EQ(status.body, 4);
}

TYPED_TEST(ForwardConformance, ArmatureMakesASingularInertiaRegular) {
  Rng rng(3);
  RobotDescription robot = random_robot(rng, {.joints = 5, .serial = true, .every_type = false});
  robot.links.back().inertial.reset();
  for (JointDescription& joint : robot.joints) joint.armature = 0.1;
  ModelOptions options;
  options.armature = true;
  const Model model = Model::build(robot, options);
  Case c;
  c.model = &model;
  c.q = random_values(rng, 5, 1.0);
  c.v.assign(5, 0.0);
  c.a = c.v;
  c.tau.assign(5, 1.0);
  const auto [status, qdd] = this->fresh(c);
  ASSERT_TRUE(status.ok());
  EXPECT_NEAR(0.1 * qdd[4], 1.0, 1e-12);  // the last motor turns nothing but itself
}

TYPED_TEST(ForwardConformance, AllocatesNothing) {
  for (const Case& c : all_cases()) {
    Body<double> body(*c.model);
    body.at(c, needs_all);
    typename TestFixture::template Algorithm<double> algorithm(body.tree.size);
    const VecX<double> tau = eigen(c.tau);
    VecX<double> qdd(tau.size());
    const ConstVectorRef<double> in(tau.data(), tau.size());
    const VectorRef<double> out(qdd.data(), qdd.size());
    Status status;
    EXPECT_TRUE(count_allocations([&] { status = algorithm.compute(body.tree, body.ws, in, out); }).none()) << c.robot;
    if (status.ok()) expect_finite(qdd, c);
  }
}

TYPED_TEST(ForwardConformance, RemembersNothingOfTheRobotBefore) {
  int capacity = 0;
  for (const Case& c : all_cases()) capacity = std::max(capacity, c.model->bodies());
  typename TestFixture::template Algorithm<double> shared(capacity);
  for (const Case& c : all_cases()) {
    if (!regular(c)) continue;
    Body<double> body(*c.model, capacity);
    body.at(c, TestFixture::template Algorithm<double>::needs);
    EXPECT_EQ((this->template run<double>(shared, body, c).qdd), this->fresh(c).qdd) << c.robot;
  }
}

TYPED_TEST(ForwardConformance, FloatIsNearDouble) {
  for (const Case& c : all_cases()) {
    if (c.condition > 1e4) continue;
    const Case f = rounded_to_float(c);
    const auto [status, qdd] = this->template fresh<float>(f);
    EXPECT_TRUE(status.ok()) << c.robot;
    expect_float_error(relative_error(qdd, this->fresh(f).qdd) / c.condition, c);
  }
}

TYPED_TEST(ForwardConformance, SurvivesStatesThatAreNotFinite) {
  const Case& good = all_cases()[17];
  const VecX<double> expected = this->fresh(good).qdd;
  Body<double> body(*good.model);
  typename TestFixture::template Algorithm<double> algorithm(body.tree.size);
  const auto accelerations = [&](const Case& c) {
    body.at(c, TestFixture::template Algorithm<double>::needs);
    return this->template run<double>(algorithm, body, c);
  };
  for (const BrokenState& broken : broken_states(good)) {
    const auto [status, qdd] = accelerations(broken.state);
    if (status.ok() && !broken.finite) expect_no_number_from_none(qdd, expected, this->fresh(broken.moved).qdd);
    EXPECT_EQ(accelerations(good).qdd, expected) << "something of the broken state is left";
  }
}

}  // namespace
}  // namespace dyn::test
