// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by the algorithms in link frames (crba, denoc, unit_acceleration) against jsim::Fused in the base frame.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "dyn_core/jsim/crba.hpp"
#include "dyn_core/jsim/denoc.hpp"
#include "dyn_core/jsim/fused.hpp"
#include "dyn_core/jsim/unit_acceleration.hpp"
#include "dyn_core/model/body_inertia.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "support/state.hpp"

namespace dyn {
namespace {

using Matrix = Eigen::MatrixXd;

template <class Algorithm, class T = double>
Matrix mass_matrix(const Tree& tree, const Workspace<T>& ws) {
  const size_t n = tree.size;
  std::vector<T> M(n * n, T(std::nan("")));
  Algorithm(tree.size).compute(tree, ws, matrix_view(M.data(), tree.size, tree.size));
  return matrix_view(M.data(), tree.size, tree.size).template cast<double>();
}

template <class Algorithm>
class LinkFrames : public testing::Test {
 protected:
  // |dM_ij| / sqrt(M_ii M_jj), symmetry to the bit, exact zeros between branches
  static void expect_right(const Tree& tree, const Workspace<double>& ws, double tolerance = 1e-12) {
    const Matrix M = mass_matrix<Algorithm>(tree, ws);
    const Matrix expected = mass_matrix<jsim::Fused<double>>(tree, ws);
    EXPECT_LT(mass_matrix_error(M, expected), tolerance) << tree.size;
    for (int i = 0; i < tree.size; ++i) {
      for (int j = 0; j <= i; ++j) {
        EXPECT_EQ(M(i, j), M(j, i));
        if (!tree.supports(j, i)) {
          EXPECT_EQ(M(i, j), 0.0);
        }
      }
    }
  }
};

using Algorithms = testing::Types<jsim::Crba<double>, jsim::Denoc<double>, jsim::UnitAcceleration<double>>;
struct Name {
  template <class Algorithm>
  static std::string GetName(int) {
    return std::string(Algorithm::name);
  }
};
TYPED_TEST_SUITE(LinkFrames, Algorithms, Name);

TYPED_TEST(LinkFrames, RandomTreesOfEveryJointType) {
  test::Rng rng(41);
  for (int k = 0; k < 60; ++k) {
    test::State<> s(Model::build(test::random_robot(rng, {.joints = 3 + k % 28, .mimic = k % 2 == 0})));
    s.randomize(rng);
    this->expect_right(s.tree(), s.ws);
  }
}

// Real robots: right angles that are exact, off by rounding, or off by the digits of a URDF; axes that meet.
TYPED_TEST(LinkFrames, ParallelAndNearlyParallelAxes) {
  test::Rng rng(42);
  const double half = 0.5 * std::numbers::pi;
  const double angles[] = {0.0, half, -half, 2.0 * half, 1.5708, 3.1416, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1e-16};
  for (int k = 0; k < 60; ++k) {
    RobotDescription robot = test::random_robot(rng, {.joints = 12, .serial = k % 2 == 0, .every_type = k % 3 == 0});
    for (JointDescription& joint : robot.joints) {
      const auto angle = [&] { return angles[static_cast<int>(test::uniform(rng, 0.0, 11.99))]; };
      joint.parent_T_joint.R =
          (Eigen::AngleAxisd(angle(), Vec3d::UnitZ()) * Eigen::AngleAxisd(angle(), Vec3d::UnitX())).toRotationMatrix();
      joint.axis = Vec3d::UnitZ();
      if (test::uniform(rng, 0.0, 1.0) < 0.3) joint.parent_T_joint.p_m = Vec3d::Zero();
      if (test::uniform(rng, 0.0, 1.0) < 0.3) joint.parent_T_joint.p_m.x() = 0.0;
    }
    test::State<> s(Model::build(robot));
    s.randomize(rng);
    this->expect_right(s.tree(), s.ws);
  }
}

TYPED_TEST(LinkFrames, LargeAngles) {
  test::Rng rng(43);
  test::State<> s(Model::build(test::random_robot(rng, {.joints = 7, .serial = true, .every_type = false})));
  s.randomize(rng, 1e6);
  this->expect_right(s.tree(), s.ws);
}

TYPED_TEST(LinkFrames, FollowsAChangedBodyInertia) {
  test::Rng rng(44);
  test::State<> s(Model::build(test::random_robot(rng, {.joints = 9})));
  s.randomize(rng);
  Tree tree = s.tree();
  const Inertial box = test::random_inertial(rng);
  set_body_inertia(tree, tree.size / 2, {box.mass_kg, box.com_m, box.inertia_com_kgm2});
  update_kinematics(tree, s.ws, needs_all);
  this->expect_right(tree, s.ws);
}

}  // namespace
}  // namespace dyn
