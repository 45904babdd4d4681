// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Least squares over bodies that stay possible. x: ten parameters of every body, then further numbers;
//   minimize  1/2 |A x - b|^2 + weight (sum_bodies d(J, J0) + sum_k e(x_k))
// with d the divergence of pseudo_inertia.hpp from the prior J0, and e = t - log t - 1 of what may not be negative,
// t^2 / 2 of the rest (t = x_k / scale). d and e are barriers: every iterate of Newton's method is possible. The least
// squares part is kept in the axes of its singular values, so that what the rows do not tell stays exactly flat. Off
// the loop.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "dyn_core/identify/pseudo_inertia.hpp"

namespace dyn::identify {

struct ConsistentProblem {
  struct Number {
    double scale = 1.0;  // what is to be expected of it, above 0
    bool positive = true;
  };
  std::vector<Eigen::Matrix4d> prior;  // by body, positive definite
  std::vector<Number> numbers;         // after the bodies' parameters
  Eigen::VectorXd start;               // possible
  Eigen::VectorXd units;               // of x, above 0: what counts as a large change

  [[nodiscard]] Eigen::Index size() const noexcept { return start.size(); }
};

class ConsistentFit {
 public:
  // rows: [A | b], weighed by the noise; used up.
  ConsistentFit(ConsistentProblem problem, Eigen::MatrixXd rows);

  // weight: above 0. From where the last call ended; weights are best walked through from large to small.
  const Eigen::VectorXd& solve(double weight);
  [[nodiscard]] const Eigen::VectorXd& x() const noexcept { return x_; }
  // Of x at the solution: the inverse of the curvature.
  [[nodiscard]] Eigen::MatrixXd covariance(double weight) const;
  // By unknown: how much of it, in its unit, lies where the rows say nothing; 0 to 1.
  [[nodiscard]] Eigen::VectorXd untold() const;

 private:
  [[nodiscard]] double barrier(const Eigen::VectorXd& x) const;
  void derivatives(const Eigen::VectorXd& x, Eigen::VectorXd& gradient, Eigen::MatrixXd& curvature) const;
  [[nodiscard]] Eigen::MatrixXd curvature_of(double weight, const Eigen::MatrixXd& barrier_curvature) const;

  ConsistentProblem problem_;
  Eigen::MatrixXd axes_;      // x = start + axes z
  Eigen::VectorXd singular_;  // of the least squares part along z
  Eigen::VectorXd target_;    // singular z = target
  Eigen::VectorXd z_, x_;
};

// A change of a body's parameters that counts as one: in the metric of its prior.
[[nodiscard]] Parameters10 units_about(const Eigen::Matrix4d& prior);

// Standard deviations of mass, centre of mass and inertia about it (ixx, ixy, ixz, iyy, iyz, izz), by the slopes of
// their dependence on the ten parameters.
struct BodySigmas {
  double mass_kg = 0.0;
  Vec3d com_m = Vec3d::Zero();
  std::array<double, 6> inertia_kgm2{};
};
// `frame`: in whose axes they are wanted, of a body told in another: x_frame = R x + p.
[[nodiscard]] BodySigmas body_sigmas(const Parameters10& p, const Eigen::Matrix<double, 10, 10>& covariance,
                                     const Pose& frame = {});

}  // namespace dyn::identify
