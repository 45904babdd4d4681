// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What must hold for every algorithm for C, on every robot. A line in coriolis/registry.hpp brings a new one here.
#include <algorithm>

#include "conformance/matrix_conformance.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/registry.hpp"

namespace dyn::test {
namespace {

template <class Entry>
class CoriolisConformance : public MatrixConformance<Entry> {};
TYPED_TEST_SUITE(CoriolisConformance, Entries<CoriolisAlgorithms>, EntryName);

TYPED_TEST(CoriolisConformance, TimesVelocityAgreesWithTheEnergyOracle) {
  for (const Case& c : all_cases()) {
    EXPECT_LT(relative_error(this->user(c, this->fresh(c)) * eigen(c.v), c.Cv, c.force_floor), 1e-11) << c.robot;
  }
}

// Mdot from dM/dq by dual numbers, not from C + C^T.
TYPED_TEST(CoriolisConformance, MdotMinusTwoCIsSkew) {
  for (const Case& c : all_cases()) {
    const MatX<double> C = this->user(c, this->fresh(c));
    const MatX<double> N = c.Mdot - 2.0 * C;
    const double scale = std::max({largest_entry(C), largest_entry(c.Mdot), c.matrix_floor});
    EXPECT_LE(largest_entry(N + N.transpose()) / (scale > 0.0 ? scale : 1.0), 1e-12) << c.robot;
  }
}

// Mdot - 2C would be skew for others too; all of these are C_ij = sum over k of c_ijk v_k.
TYPED_TEST(CoriolisConformance, IsMadeOfChristoffelSymbolsEntryByEntry) {
  for (const Case& c : all_cases()) {
    if (c.C.size() == 0) continue;
    EXPECT_LT(relative_error(this->user(c, this->fresh(c)), c.C, c.matrix_floor), 1e-12) << c.robot;
  }
}

TYPED_TEST(CoriolisConformance, BlocksBetweenBranchesAreExactlyZero) { TestFixture::expect_zeros_between_branches(); }

TYPED_TEST(CoriolisConformance, AllocatesNothing) { TestFixture::expect_no_allocation(); }

TYPED_TEST(CoriolisConformance, RemembersNothingOfTheRobotBefore) {
  TestFixture::expect_no_memory_of_the_robot_before();
}

TYPED_TEST(CoriolisConformance, FloatIsNearDouble) {
  for (const Case& c : all_cases()) {
    const Case f = rounded_to_float(c);
    const MatX<double> C = this->user(f, this->fresh(f));
    expect_float_error(relative_error(this->user(f, this->template fresh<float>(f)), C, c.matrix_floor), c);
  }
}

TYPED_TEST(CoriolisConformance, SurvivesStatesThatAreNotFinite) { TestFixture::expect_no_trace_of_broken_states(); }

}  // namespace
}  // namespace dyn::test
