// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/dynamics.hpp"

#include <gtest/gtest.h>

#include "support/random_robot.hpp"

namespace dyn {
namespace {

TEST(Dynamics, MassMatrixOfRandomTreesIsSymmetric) {
  test::Rng rng(1);
  for (int k = 0; k < 20; ++k) {
    const Model model = Model::build(test::random_robot(rng, {.joints = 12, .mimic = true}));
    const int n = model.coordinates();
    Dynamics dynamics(model);
    ASSERT_TRUE(dynamics.update(test::random_values(rng, n, 2.0), test::random_values(rng, n, 1.0)).ok());
    EXPECT_EQ((dynamics.M() - dynamics.M().transpose()).cwiseAbs().maxCoeff(), 0.0);
  }
}

}  // namespace
}  // namespace dyn
