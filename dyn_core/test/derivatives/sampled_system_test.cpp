// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/derivatives/sampled_system.hpp"

#include <gtest/gtest.h>

#include <unsupported/Eigen/MatrixFunctions>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

struct AtState {
  explicit AtState(const RobotDescription& robot, unsigned seed)
      : derivatives(Model::build(robot)), system(derivatives.model().coordinates()) {
    test::Rng rng(seed);
    const int n = derivatives.model().coordinates();
    q = test::random_values(rng, n, 2.0);
    v = test::random_values(rng, n, 2.0);
    tau = test::random_values(rng, n, 20.0);
    EXPECT_TRUE(derivatives.update_forward(q, v, tau).ok());
  }
  Derivatives derivatives;
  SampledSystem system;
  std::vector<double> q, v, tau;
};

// [A, B; 0, 1] = exp([F, G; 0, 0] T), by Eigen's matrix exponential in long double.
TEST(SampledSystem, IsTheMatrixExponential) {
  test::Rng rng(15);
  for (int robot = 0; robot < 8; ++robot) {
    AtState s(test::random_robot(rng, {.joints = 1 + robot, .every_type = robot % 2 == 0, .mimic = robot % 3 == 0}),
              static_cast<unsigned>(robot));
    const int n = s.derivatives.model().coordinates();
    if (n == 0) continue;
    for (const double period : {1e-4, 1e-3, 0.05, 0.5}) {
      MatX<long double> all = MatX<long double>::Zero(3 * n, 3 * n);
      all.block(0, n, n, n).setIdentity();
      all.block(n, 0, n, n) = s.derivatives.dqdd_dq().cast<long double>();
      all.block(n, n, n, n) = s.derivatives.dqdd_dv().cast<long double>();
      all.block(n, 2 * n, n, n) = s.derivatives.dqdd_dtau().cast<long double>();
      const MatX<long double> exponential = (all * static_cast<long double>(period)).exp();
      s.system.update(s.derivatives, period);
      const MatX<double> A = exponential.topLeftCorner(2 * n, 2 * n).cast<double>();
      const MatX<double> B = exponential.topRightCorner(2 * n, n).cast<double>();
      const double growth = std::max(1.0, largest_entry(A));
      EXPECT_LT(relative_error(s.system.A(), A), 1e-13 * growth) << robot << ' ' << period;
      EXPECT_LT(relative_error(s.system.B(), B), 1e-13 * growth) << robot << ' ' << period;
    }
  }
}

// A mass on a slide: A = [1, T; 0, 1], B = [T^2 / 2m; T / m].
TEST(SampledSystem, OfASlidingMass) {
  RobotDescription robot;
  robot.name = "slide";
  robot.links = {{"base", std::nullopt}, {"mass", Inertial{2.0, Vec3d::Zero(), Mat3d::Identity()}}};
  JointDescription joint;
  joint.name = "slide";
  joint.type = JointType::prismatic;
  joint.parent_link = "base";
  joint.child_link = "mass";
  joint.limits = JointLimits{-1.0, 1.0, true, 1.0, 10.0};
  robot.joints = {joint};
  AtState s(robot, 1);
  s.system.update(s.derivatives, 0.1);
  MatX<double> A(2, 2), B(2, 1);
  A << 1.0, 0.1, 0.0, 1.0;
  B << 0.0025, 0.05;
  EXPECT_LT(largest_entry(s.system.A() - A), 1e-15);
  EXPECT_LT(largest_entry(s.system.B() - B), 1e-15);
}

// A small step of the torque from a state held at rest, against the robot integrated in small steps.
TEST(SampledSystem, PredictsTheRobot) {
  test::Rng rng(16);
  AtState s(test::random_robot(rng, {.joints = 4, .serial = true, .every_type = false}), 3);
  constexpr int n = 4, steps = 200;
  constexpr double period = 0.02, step = period / steps, push = 1e-4;
  std::fill(s.v.begin(), s.v.end(), 0.0);
  Dynamics dynamics(s.derivatives.model());
  ASSERT_TRUE(dynamics.update(s.q, s.v).ok());
  for (int i = 0; i < n; ++i) s.tau[i] = dynamics.g()[i];
  ASSERT_TRUE(s.derivatives.update_forward(s.q, s.v, s.tau).ok());
  s.system.update(s.derivatives, period);
  std::vector<double> tau = s.tau, qdd(n);
  tau[1] += push;
  Eigen::Matrix<double, 8, 1> x, start;
  x << Eigen::Map<VecX<double>>(s.q.data(), n), VecX<double>::Zero(n);
  start = x;
  const auto rate = [&](const Eigen::Matrix<double, 8, 1>& at) {
    EXPECT_TRUE(dynamics
                    .update(std::vector<double>(at.data(), at.data() + n),
                            std::vector<double>(at.data() + n, at.data() + 2 * n))
                    .ok());
    EXPECT_TRUE(dynamics.forward(std::span<const double>(tau), std::span<double>(qdd)).ok());
    Eigen::Matrix<double, 8, 1> xdot;
    xdot << at.tail<n>(), Eigen::Map<VecX<double>>(qdd.data(), n);
    return xdot;
  };
  for (int k = 0; k < steps; ++k) {  // Runge-Kutta 4
    const auto k1 = rate(x), k2 = rate(x + k1 * (step / 2)), k3 = rate(x + k2 * (step / 2)), k4 = rate(x + k3 * step);
    x += (k1 + k2 * 2 + k3 * 2 + k4) * (step / 6);
  }
  EXPECT_LT(relative_error((x - start) / push, s.system.B().col(1)), 1e-4);
}

TEST(SampledSystem, AllocatesNothing) {
  test::Rng rng(17);
  AtState s(test::random_robot(rng, {.joints = 30, .mimic = true}), 4);
  EXPECT_TRUE(test::count_allocations([&] { s.system.update(s.derivatives, 0.1); }).none());
}

}  // namespace
}  // namespace dyn
