// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What must hold for every algorithm for M, on every robot. A line in jsim/registry.hpp brings a new one here.
#include <Eigen/Cholesky>

#include "conformance/matrix_conformance.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/registry.hpp"

namespace dyn::test {
namespace {

template <class Entry>
class JsimConformance : public MatrixConformance<Entry> {};
TYPED_TEST_SUITE(JsimConformance, Entries<JsimAlgorithms>, EntryName);

TYPED_TEST(JsimConformance, AgreesWithTheEnergyOracle) {
  for (const Case& c : all_cases()) {
    EXPECT_LT(mass_matrix_error(this->user(c, this->fresh(c)), c.M), 1e-12) << c.robot;
  }
}

TYPED_TEST(JsimConformance, IsSymmetricToTheBit) {
  for (const Case& c : all_cases()) {
    const MatX<double> M = this->fresh(c);
    EXPECT_EQ(largest_entry(M - M.transpose()), 0.0) << c.robot;
  }
}

TYPED_TEST(JsimConformance, IsPositiveDefinite) {
  for (const Case& c : all_cases()) {
    if (c.condition > 1e12) continue;  // M itself is singular, or too close to it to tell
    MatX<double> M = this->user(c, this->fresh(c));
    for (int i = 0; i < c.model->coordinates(); ++i) M(i, i) += c.model->tree().armature[i];
    EXPECT_EQ(Eigen::LLT<MatX<double>>(M).info(), Eigen::Success) << c.robot;
  }
}

TYPED_TEST(JsimConformance, BlocksBetweenBranchesAreExactlyZero) { TestFixture::expect_zeros_between_branches(); }

TYPED_TEST(JsimConformance, AllocatesNothing) { TestFixture::expect_no_allocation(); }

TYPED_TEST(JsimConformance, RemembersNothingOfTheRobotBefore) { TestFixture::expect_no_memory_of_the_robot_before(); }

TYPED_TEST(JsimConformance, FloatIsNearDouble) {
  for (const Case& c : all_cases()) {
    const Case f = rounded_to_float(c);
    const MatX<double> M = this->user(f, this->fresh(f));
    expect_float_error(mass_matrix_error(this->user(f, this->template fresh<float>(f)), M), c);
  }
}

TYPED_TEST(JsimConformance, SurvivesStatesThatAreNotFinite) { TestFixture::expect_no_trace_of_broken_states(); }

}  // namespace
}  // namespace dyn::test
