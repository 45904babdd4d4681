// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/jsim/screw.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dyn_core/jsim/fused.hpp"
#include "dyn_core/model/body_inertia.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

template <class Algorithm>
MatX<double> run(const Tree& tree, const Workspace<double>& ws) {
  Algorithm algorithm(tree.size);
  MatX<double> M(tree.size, tree.size);
  algorithm.compute(tree, ws, matrix_view(M.data(), tree.size, tree.size));
  return M;
}

TEST(PrincipalInertia, AxesAndRadiiGiveTheTensorBack) {
  test::Rng rng(31);
  for (int k = 0; k < 100; ++k) {
    const Inertial x = test::random_inertial(rng);
    const PrincipalInertia p = principal_inertia(x.mass_kg, x.com_m, x.inertia_com_kgm2);
    const Mat3d back = x.mass_kg * p.axes * p.radii.cwiseAbs2().asDiagonal() * p.axes.transpose();
    EXPECT_LT((back - x.inertia_com_kgm2).norm(), 4e-15 * x.inertia_com_kgm2.norm());
    EXPECT_LT((p.axes.transpose() * p.axes - Mat3d::Identity()).norm(), 4e-15);
    EXPECT_GT(p.axes.determinant(), 0.0);
  }
}

TEST(PrincipalInertia, DiagonalTensorsKeepTheirAxes) {
  const PrincipalInertia p = principal_inertia(2.0, Vec3d::Zero(), Vec3d(0.0, 8.0, 2.0).asDiagonal());
  EXPECT_EQ(p.axes, Mat3d(Mat3d::Identity()));
  EXPECT_EQ(p.radii, Vec3d(0.0, 2.0, 1.0));
}

TEST(JsimScrew, SameMassMatrixOnRandomTrees) {
  test::Rng rng(32);
  for (int k = 0; k < 40; ++k) {
    const Model model = Model::build(test::random_robot(rng, {.joints = 3 + k % 12}));
    Workspace<double> ws(model.bodies());
    ws.q = test::random_values(rng, model.bodies(), 2.0);
    update_kinematics(model.tree(), ws, needs_inertias);
    EXPECT_LT(mass_matrix_error(run<jsim::Screw<double>>(model.tree(), ws), run<jsim::Fused<double>>(model.tree(), ws)),
              1e-12);
  }
}

// PUMA's wrist in paper 001: hub inertia, no mass. Also through a change of inertias in a working copy of the tree.
TEST(JsimScrew, MasslessBodiesByEquation9) {
  test::Rng rng(33);
  RobotDescription robot = test::random_robot(rng, {.joints = 5, .serial = true, .every_type = false});
  const Mat3d hub = robot.links[4].inertial->inertia_com_kgm2;
  robot.links[4].inertial = Inertial{0.0, Vec3d::Zero(), hub};
  const Model model = Model::build(robot);
  Workspace<double> ws(model.bodies());
  ws.q = test::random_values(rng, model.bodies(), 2.0);
  Tree tree = model.tree();
  set_body_inertia(tree, 2, {0.0, Vec3d(0.1, 0.2, 0.3), hub});
  for (const Tree& t : {model.tree(), tree}) {
    update_kinematics(t, ws, needs_inertias);
    EXPECT_LT(mass_matrix_error(run<jsim::Screw<double>>(t, ws), run<jsim::Fused<double>>(t, ws)), 1e-12);
  }
}

}  // namespace
}  // namespace dyn
