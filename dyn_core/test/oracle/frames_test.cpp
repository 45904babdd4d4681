// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Frames of every link of every robot, in all axes, and operational spaces, against Pinocchio.
#include "dyn_core/frames.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "conformance/cases.hpp"
#include "dyn_core/operational_space.hpp"
#include "dyn_core/oracle/pinocchio_model.hpp"
#include "frame_views.hpp"
#include "support/random_robot.hpp"

namespace dyn::oracle {
namespace {

using test::all_cases;
using test::Case;
using Reference = PinocchioModel::Reference;

constexpr double tolerance = 1e-11;

// Errors are relative to how large this robot and its motion are.
struct Floors {
  double length, rate;
};
Floors floors_of(const PinocchioModel::Frame& truth) {
  const double length = 1.0 + truth.p.norm() + largest_entry(six_by(truth.J));
  return {length, length + largest_entry(six(truth.twist)) * (1.0 + largest_entry(six(truth.twist)))};
}

void expect_frame(Frames& frames, int f, PinocchioModel& pinocchio, const Case& c) {
  const std::string where = c.robot + ' ' + frames.name(f);
  PinocchioModel::Frame truth;
  ASSERT_TRUE(pinocchio.frame(frames.name(f), Reference::local_world_aligned, c.q, c.v, truth)) << where;
  const Floors floor = floors_of(truth);
  EXPECT_LT(relative_error(frames.position(f), truth.p, floor.length), tolerance) << where;
  EXPECT_LT(largest_entry(frames.rotation(f) - truth.R), tolerance) << where;
  EXPECT_LT(relative_error(frames.J_base_axes(f), six_by(truth.J), floor.length), tolerance) << where;
  EXPECT_LT(relative_error(frames.twist_base_axes(f), six(truth.twist), floor.rate), tolerance) << where;
  EXPECT_LT(relative_error(frames.Jdot_v_base_axes(f), six(truth.Jdot_v), floor.rate), tolerance) << where;
  ASSERT_TRUE(pinocchio.frame(frames.name(f), Reference::local, c.q, c.v, truth)) << where;
  EXPECT_LT(relative_error(frames.J_frame_axes(f), six_by(truth.J), floor.length), tolerance) << where;
  EXPECT_LT(relative_error(frames.twist_frame_axes(f), six(truth.twist), floor.rate), tolerance) << where;
  EXPECT_LT(relative_error(frames.Jdot_v_frame_axes(f), six(truth.Jdot_v), floor.rate), tolerance) << where;
  ASSERT_TRUE(pinocchio.frame(frames.name(f), Reference::world, c.q, c.v, truth)) << where;
  EXPECT_LT(relative_error(frames.J_base_origin(f), six_by(truth.J), floor.length), tolerance) << where;
  EXPECT_LT(relative_error(frames.twist_base_origin(f), six(truth.twist), floor.rate), tolerance) << where;
  EXPECT_LT(relative_error(frames.Jdot_v_base_origin(f), six(truth.Jdot_v), floor.rate), tolerance) << where;
}

TEST(Frames, OfEveryLinkAreThoseOfPinocchio) {
  for (const Case& c : all_cases()) {
    PinocchioModel pinocchio(*c.model);
    const auto model = std::make_shared<const Model>(*c.model);
    Frames frames(model, link_names(*model));
    Dynamics dynamics(model);
    ASSERT_TRUE(dynamics.update(c.q, c.v).ok()) << c.robot;
    frames.update(dynamics);
    for (int f = 0; f < frames.count(); ++f) expect_frame(frames, f, pinocchio, c);
  }
}

TEST(Frames, ByThemselvesAreThoseOfTheDynamics) {
  for (const Case& c : all_cases()) {
    const auto model = std::make_shared<const Model>(*c.model);
    Frames by_dynamics(model, link_names(*model)), alone(model, link_names(*model));
    Dynamics dynamics(model);
    ASSERT_TRUE(dynamics.update(c.q, c.v).ok() && alone.update(c.q, c.v).ok()) << c.robot;
    by_dynamics.update(dynamics);
    for (int f = 0; f < alone.count(); ++f) {
      EXPECT_EQ(alone.J_base_axes(f), by_dynamics.J_base_axes(f)) << c.robot << ' ' << alone.name(f);
      EXPECT_EQ(alone.Jdot_v_base_axes(f), by_dynamics.Jdot_v_base_axes(f)) << c.robot << ' ' << alone.name(f);
    }
  }
}

// Lambda, Jbar and N of the last link that has the most joints before it, where M is regular.
TEST(OperationalSpace, IsThatOfPinocchiosJacobianAndInertia) {
  int compared = 0;
  for (const Case& c : all_cases()) {
    if (c.condition > 1e12) continue;
    PinocchioModel pinocchio(*c.model);
    const auto model = std::make_shared<const Model>(*c.model);
    const Eigen::Index n = c.q.size();
    MatX<double> inverse_M(n, n);
    ASSERT_TRUE(pinocchio.inverse_mass_matrix(c.q, {inverse_M.data(), static_cast<size_t>(n * n)})) << c.robot;
    Dynamics dynamics(model);
    ASSERT_TRUE(dynamics.update(c.q, c.v).ok());
    std::vector<double> own(n * n);
    ASSERT_TRUE(dynamics.inverse_mass_matrix(own).ok()) << c.robot;
    EXPECT_LT(relative_error(ConstMatrixRef<double>(own.data(), n, n, Eigen::OuterStride<>(n)), inverse_M),
              1e-12 * std::max(10.0, c.condition))
        << c.robot;
    Frames frames(model, link_names(*model));
    frames.update(dynamics);
    OperationalSpace space(*model);
    for (int f = 0; f < frames.count(); ++f) {
      const std::string where = c.robot + ' ' + frames.name(f);
      PinocchioModel::Frame truth;
      ASSERT_TRUE(pinocchio.frame(frames.name(f), Reference::local_world_aligned, c.q, c.v, truth));
      const MatX<double> J = six_by(truth.J);
      const double least = J.jacobiSvd().singularValues().tail<1>()[0] * (n < 6 ? 0.0 : 1.0);
      const double largest = J.jacobiSvd().singularValues()[0];
      const OperationalSpaceStatus status = space.update(dynamics, frames, f);
      if (least < 1e-6 * largest || n < 6 || largest == 0.0) {
        if (least < 1e-9 * largest || largest == 0.0) {
          EXPECT_EQ(status.code, OperationalSpaceStatus::Code::singular) << where;
          EXPECT_TRUE(space.Lambda().hasNaN()) << where;
        }
        continue;
      }
      ++compared;
      ASSERT_TRUE(status.ok()) << where;
      EXPECT_LE(status.smallest_singular_value, least * (1.0 + 1e-9)) << where;
      EXPECT_NEAR(space.smallest_singular_value(), least, 1e-13 * largest) << where;
      const MatX<double> mobility = J * inverse_M * J.transpose();
      const MatX<double> Lambda = mobility.llt().solve(MatX<double>::Identity(6, 6));
      const double bound = 1e-13 * c.condition * (1.0 + mobility.norm() * Lambda.norm());
      EXPECT_LT(relative_error(space.Lambda(), Lambda), std::max(tolerance, bound)) << where;
      EXPECT_EQ(largest_entry(space.Lambda() - space.Lambda().transpose()), 0.0) << where;
      const MatX<double> Jbar = inverse_M * J.transpose() * Lambda;
      EXPECT_LT(relative_error(space.dynamically_consistent_inverse(), Jbar), std::max(tolerance, bound)) << where;
      const MatX<double> N = MatX<double>::Identity(n, n) - Jbar * J;
      EXPECT_LT(relative_error(space.null_space_projector(), N, 1.0), std::max(tolerance, bound)) << where;
    }
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace dyn::oracle
