// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The two oracles against each other: Pinocchio, and energies with Lagrange's equation. Neither knows Tree.
#include "dyn_core/oracle/pinocchio_model.hpp"

#include <gtest/gtest.h>

#include "conformance/cases.hpp"
#include "dyn_core/dynamics.hpp"
#include "support/random_robot.hpp"

namespace dyn::oracle {
namespace {

using test::all_cases;
using test::Case;
using test::eigen;

std::span<double> span(auto& x) { return {x.data(), static_cast<size_t>(x.size())}; }

MatX<double> bare_mass_matrix(PinocchioModel& pinocchio, const Case& c) {
  MatX<double> M(c.M.rows(), c.M.cols());
  pinocchio.mass_matrix(c.q, span(M));
  for (int i = 0; i < c.model->coordinates(); ++i) M(i, i) -= c.model->tree().armature[i];
  return M;
}

TEST(PinocchioModel, NamesCoordinatesAsTheModelDoes) {
  for (const Case& c : all_cases()) {
    EXPECT_EQ(PinocchioModel(*c.model).coordinate_names(), c.model->coordinate_names()) << c.robot;
  }
}

TEST(PinocchioModel, AgreesWithTheEnergyOracle) {
  for (const Case& c : all_cases()) {
    PinocchioModel pinocchio(*c.model);
    const Eigen::Index n = c.q.size();
    EXPECT_LT(mass_matrix_error(bare_mass_matrix(pinocchio, c), c.M), 1e-12) << c.robot;
    MatX<double> C(n, n);
    pinocchio.coriolis_matrix(c.q, c.v, span(C));
    EXPECT_LT(relative_error(C * eigen(c.v), c.Cv, c.force_floor), 1e-11) << c.robot;
    EXPECT_LT(relative_error(C + C.transpose(), c.Mdot, c.matrix_floor), 1e-11) << c.robot;
    VecX<double> g(n);
    VecX<double> h(n);
    VecX<double> tau(n);
    pinocchio.gravity(c.q, span(g));
    EXPECT_LT(relative_error(g, c.g, c.force_floor), 1e-11) << c.robot;
    pinocchio.bias(c.q, c.v, span(h));
    EXPECT_LT(relative_error(h, c.Cv + c.g, c.force_floor), 1e-11) << c.robot;
    MatX<double> M(n, n);
    pinocchio.mass_matrix(c.q, span(M));
    pinocchio.inverse(c.q, c.v, c.a, span(tau));
    EXPECT_LT(relative_error(tau, M * eigen(c.a) + c.Cv + c.g, c.force_floor), 1e-11) << c.robot;
    if (c.condition > 1e12) continue;
    VecX<double> qdd(n);
    EXPECT_TRUE(pinocchio.forward(c.q, c.v, c.tau, span(qdd))) << c.robot;
    EXPECT_LT(relative_error(qdd, c.qdd), 1e-12 * c.condition) << c.robot;
  }
}

TEST(PinocchioModel, FollowsGravity) {
  test::Rng rng(5);
  const RobotDescription robot = test::random_robot(rng, {.joints = 6});
  ModelOptions moon;
  moon.gravity_mps2 = {0.3, 0.2, -1.62};
  PinocchioModel pinocchio(robot);
  pinocchio.set_gravity(moon.gravity_mps2);
  Dynamics dynamics(Model::build(robot, moon));
  const auto q = test::random_values(rng, pinocchio.coordinates(), 1.0);
  ASSERT_TRUE(dynamics.update(q, q).ok());
  VecX<double> g(pinocchio.coordinates());
  pinocchio.gravity(q, span(g));
  EXPECT_LT(relative_error(dynamics.g(), g), 1e-11);
}

}  // namespace
}  // namespace dyn::oracle
