// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What must hold for every algorithm for M, on every robot. A line in jsim/registry.hpp brings a new one here.
#include <Eigen/Cholesky>

#include "conformance/subject.hpp"
#include "dyn_core/registry.hpp"
#include "support/allocation_counter.hpp"

namespace dyn::test {
namespace {

template <class Entry>
class JsimConformance : public ::testing::Test {
 protected:
  template <class T>
  using Algorithm = typename Entry::template Algorithm<T>;

  template <class T = double>
  static MatX<T> fresh(const Case& c) {
    Body<T> body(*c.model);
    body.at(c, Algorithm<T>::needs);
    Algorithm<T> algorithm(body.tree.size);
    return matrix_of(algorithm, body);
  }
  static MatX<double> user(const Case& c, const auto& M) {
    return Body<typename std::decay_t<decltype(M)>::Scalar>(*c.model).user(M);
  }
};
TYPED_TEST_SUITE(JsimConformance, Entries<JsimAlgorithms>, EntryName);

TYPED_TEST(JsimConformance, AgreesWithTheEnergyOracle) {
  for (const Case& c : all_cases()) {
    EXPECT_LT(mass_error(this->user(c, this->fresh(c)), c.M), 1e-12) << c.robot;
  }
}

TYPED_TEST(JsimConformance, IsSymmetricToTheBit) {
  for (const Case& c : all_cases()) {
    const MatX<double> M = this->fresh(c);
    EXPECT_EQ((M - M.transpose()).cwiseAbs().maxCoeff(), 0.0) << c.robot;
  }
}

TYPED_TEST(JsimConformance, IsPositiveDefinite) {
  for (const Case& c : all_cases()) {
    if (c.condition > 1e12) continue;  // M itself is singular, or too close to it to tell
    MatX<double> M = this->user(c, this->fresh(c));
    for (int i = 0; i < c.model->coordinates(); ++i) M(i, i) += c.model->tree().armature[static_cast<size_t>(i)];
    EXPECT_EQ(Eigen::LLT<MatX<double>>(M).info(), Eigen::Success) << c.robot;
  }
}

TYPED_TEST(JsimConformance, BlocksBetweenBranchesAreExactlyZero) {
  for (const Case& c : all_cases()) {
    const MatX<double> M = this->fresh(c);
    const Tree& tree = c.model->tree();
    for (int i = 0; i < tree.size; ++i) {
      for (int j = 0; j < tree.size; ++j) {
        if (!tree.supports(i, j) && !tree.supports(j, i)) {
          ASSERT_EQ(M(i, j), 0.0) << c.robot << ' ' << i << ' ' << j;
        }
      }
    }
  }
}

TYPED_TEST(JsimConformance, AllocatesNothing) {
  for (const Case& c : all_cases()) {
    Body<double> body(*c.model);
    body.at(c, needs_all);
    typename TestFixture::template Algorithm<double> algorithm(body.tree.size);
    MatX<double> M(body.tree.size, body.tree.size);
    const auto view = matrix_view(M.data(), body.tree.size, body.tree.size);
    EXPECT_TRUE(count_allocations([&] { algorithm.compute(body.tree, body.ws, view); }).none()) << c.robot;
  }
}

// One object serves robots of any size up to its capacity, one after the other, and remembers none of them.
TYPED_TEST(JsimConformance, RemembersNothingOfTheRobotBefore) {
  int capacity = 0;
  for (const Case& c : all_cases()) capacity = std::max(capacity, c.model->bodies());
  typename TestFixture::template Algorithm<double> shared(capacity);
  for (const Case& c : all_cases()) {
    Body<double> body(*c.model, capacity);
    body.at(c, TestFixture::template Algorithm<double>::needs);
    EXPECT_EQ(matrix_of(shared, body), this->fresh(c)) << c.robot;
  }
}

TYPED_TEST(JsimConformance, FloatIsNearDouble) {
  for (const Case& c : all_cases()) {
    EXPECT_LT(mass_error(this->user(c, this->template fresh<float>(c)), c.M), 1e-3) << c.robot;
  }
}

TYPED_TEST(JsimConformance, SurvivesStatesThatAreNotFinite) {
  const Case& good = all_cases()[17];
  for (const Case& bad : broken_states(good)) (void)this->fresh(bad);
  EXPECT_LT(mass_error(this->user(good, this->fresh(good)), good.M), 1e-12);
}

}  // namespace
}  // namespace dyn::test
