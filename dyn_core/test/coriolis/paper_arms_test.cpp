// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The closed forms that papers 004 and 002 print, against every algorithm for M and C, and against g.
#include "support/paper_arms.hpp"

#include <gtest/gtest.h>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/registry.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

using Jsims = AlgorithmList<JsimAlgorithms<double>>;
using CoriolisList = AlgorithmList<CoriolisAlgorithms<double>>;

template <class Expected>
void check_all(const Model& model, Expected&& expected) {
  test::Rng rng(51);
  Dynamics dynamics(model);
  for (int k = 0; k < 50; ++k) {
    const auto q = test::random_values(rng, model.coordinates(), 3.0);
    const auto v = test::random_values(rng, model.coordinates(), 3.0);
    const test::ClosedForm f = expected(q, v);
    for (const auto& name : Jsims::names) {
      ASSERT_TRUE(dynamics.set_jsim(name));
      ASSERT_TRUE(dynamics.update(q, v).ok());
      EXPECT_LE(largest_entry(dynamics.M() - f.M), 1e-12) << name;
    }
    for (const auto& name : CoriolisList::names) {
      ASSERT_TRUE(dynamics.set_coriolis(name));
      ASSERT_TRUE(dynamics.update(q, v).ok());
      EXPECT_LE(largest_entry(dynamics.C() - f.C), 1e-12) << name;
    }
    EXPECT_LE(largest_entry(dynamics.g() - f.g), 1e-12);
  }
}

TEST(PaperArms, ThreeLinkArmOfPaper004) {
  const test::ThreeLink arm;
  const Model model = Model::build(arm.description(), {.gravity_mps2 = {0, 0, -arm.gravity}});
  check_all(model, [&](const auto& q, const auto& v) { return arm.closed_form(q, v); });
}

TEST(PaperArms, PelicanWithCrucibleOfPaper002) {
  const test::Pelican arm;
  const Model model = Model::build(arm.description(true), {.gravity_mps2 = {0, -arm.gravity, 0}});
  check_all(model, [&](const std::vector<double>& q, const std::vector<double>& v) {
    test::ClosedForm f = arm.crucible(q, v);
    const test::ClosedForm second = arm.link2(q, v);
    const test::ClosedForm first = arm.link1(q);
    f.M.topLeftCorner(2, 2) += second.M;
    f.C.topLeftCorner(2, 2) += second.C;
    f.g.head(2) += second.g;
    f.M(0, 0) += first.M(0, 0);
    f.g[0] += first.g[0];
    return f;
  });
}

}  // namespace
}  // namespace dyn
