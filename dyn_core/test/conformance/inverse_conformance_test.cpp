// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What must hold for every inverse dynamics, on every robot. A line in inverse/registry.hpp brings a new one here.
#include "conformance/subject.hpp"
#include "dyn_core/registry.hpp"
#include "support/allocation_counter.hpp"

namespace dyn::test {
namespace {

template <class Entry>
class InverseConformance : public ::testing::Test {
 protected:
  template <class T>
  using Algorithm = typename Entry::template Algorithm<T>;

  template <class T>
  static VecX<T> torques(Algorithm<T>& algorithm, const Body<T>& body, const Vec3d& gravity) {
    VecX<T> tau = VecX<T>::Constant(body.tree.size, T(777.0));
    algorithm.compute(body.tree, body.ws, Vec3<T>(gravity.cast<T>()), VectorRef<T>(tau.data(), tau.size()));
    return tau;
  }
  // In the user's coordinates, without armature.
  template <class T = double>
  static VecX<double> fresh(const Case& c, const Vec3d& gravity) {
    Body<T> body(*c.model);
    body.at(c, Algorithm<T>::needs);
    Algorithm<T> algorithm(body.tree.size);
    VecX<double> tau = body.user(torques<T>(algorithm, body, gravity));
    expect_finite(tau, c);
    return tau;
  }
  template <class T = double>
  static VecX<double> fresh(const Case& c) {
    return fresh<T>(c, c.model->tree().gravity);
  }
};
TYPED_TEST_SUITE(InverseConformance, Entries<InverseAlgorithms>, EntryName);

TYPED_TEST(InverseConformance, AgreesWithTheEnergyOracle) {
  for (const Case& c : all_cases()) {
    EXPECT_LT(relative_error(this->fresh(c), c.M * eigen(c.a) + c.Cv + c.g, c.force_floor), 1e-11) << c.robot;
  }
}

TYPED_TEST(InverseConformance, GivesGravityAloneAtRest) {
  for (Case c : all_cases()) {
    std::fill(c.v.begin(), c.v.end(), 0.0);
    std::fill(c.a.begin(), c.a.end(), 0.0);
    EXPECT_LT(relative_error(this->fresh(c), c.g, c.force_floor), 1e-11) << c.robot;
  }
}

TYPED_TEST(InverseConformance, WithoutGravityIsMaPlusCv) {
  for (const Case& c : all_cases()) {
    EXPECT_LT(relative_error(this->fresh(c, Vec3d::Zero()), c.M * eigen(c.a) + c.Cv, c.force_floor), 1e-11) << c.robot;
  }
}

TYPED_TEST(InverseConformance, AllocatesNothing) {
  for (const Case& c : all_cases()) {
    Body<double> body(*c.model);
    body.at(c, needs_all);
    typename TestFixture::template Algorithm<double> algorithm(body.tree.size);
    VecX<double> tau(body.tree.size);
    const VectorRef<double> view(tau.data(), tau.size());
    const Vec3d gravity = body.tree.gravity;
    EXPECT_TRUE(count_allocations([&] { algorithm.compute(body.tree, body.ws, gravity, view); }).none()) << c.robot;
    expect_finite(tau, c);
  }
}

TYPED_TEST(InverseConformance, RemembersNothingOfTheRobotBefore) {
  int capacity = 0;
  for (const Case& c : all_cases()) capacity = std::max(capacity, c.model->bodies());
  typename TestFixture::template Algorithm<double> shared(capacity);
  for (const Case& c : all_cases()) {
    Body<double> body(*c.model, capacity);
    body.at(c, TestFixture::template Algorithm<double>::needs);
    const VecX<double> tau = body.user(this->template torques<double>(shared, body, body.tree.gravity));
    EXPECT_EQ(tau, this->fresh(c)) << c.robot;
  }
}

TYPED_TEST(InverseConformance, FloatIsNearDouble) {
  for (const Case& c : all_cases()) {
    const Case f = rounded_to_float(c);
    expect_float_error(relative_error(this->template fresh<float>(f), this->fresh(f), c.force_floor), c);
  }
}

TYPED_TEST(InverseConformance, SurvivesStatesThatAreNotFinite) {
  const Case& good = all_cases()[17];
  const VecX<double> expected = this->fresh(good);
  Body<double> body(*good.model);
  typename TestFixture::template Algorithm<double> algorithm(body.tree.size);
  const auto torques = [&](const Case& c) {
    body.at(c, TestFixture::template Algorithm<double>::needs);
    return body.user(this->template torques<double>(algorithm, body, body.tree.gravity));
  };
  for (const BrokenState& broken : broken_states(good)) {
    const MatX<double> result = torques(broken.state);
    if (!broken.finite) expect_no_number_from_none(result, expected, this->fresh(broken.moved));
    EXPECT_EQ(torques(good), expected) << "something of the broken state is left";
  }
}

}  // namespace
}  // namespace dyn::test
