// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Least squares over physically consistent bodies. x: ten parameters of every body, then further numbers;
//   minimize  1/2 |A x - b|^2 + weight (sum_bodies d(J, J0) + sum_k e(x_k))
// with d the divergence of pseudo_inertia.hpp from the prior J0, and e = t - log t - 1 for numbers that must be
// positive, t^2 / 2 for the others (t = x_k / scale). d and e are barriers: every iterate of Newton's method is
// consistent. The least-squares part is kept in the axes of its singular vectors, so that it stays exactly flat in
// directions that the rows do not determine. Off the loop.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "dyn_core/identify/pseudo_inertia.hpp"

namespace dyn::identify {

struct ConsistentProblem {
  struct Number {
    double scale = 1.0;  // its expected size, above 0
    bool positive = true;
  };
  std::vector<Eigen::Matrix4d> prior;  // by body, positive definite
  std::vector<Number> numbers;         // after the bodies' parameters
  Eigen::VectorXd start;               // x at the first iteration; consistent
  Eigen::VectorXd units;               // of x, above 0: the size of a large change

  [[nodiscard]] Eigen::Index size() const noexcept { return start.size(); }
};

class ConsistentFit {
 public:
  // rows: [A | b], each divided by its noise; consumed. At least one unknown.
  ConsistentFit(ConsistentProblem problem, Eigen::MatrixXd rows);

  // weight: above 0. Starts from the last solution; a sequence of weights should go from large to small.
  const Eigen::VectorXd& solve(double weight);
  [[nodiscard]] const Eigen::VectorXd& x() const noexcept { return x_; }
  // Of x at the solution: the inverse of the Hessian.
  [[nodiscard]] Eigen::MatrixXd covariance(double weight) const;
  // By unknown: its share (0 to 1), in its unit, of the directions that the rows do not determine.
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

// By parameter: the change of length 1 in the metric of the prior.
[[nodiscard]] Parameters10 units_about(const Eigen::Matrix4d& prior);

// Standard deviations of mass, centre of mass and inertia about it (ixx, ixy, ixz, iyy, iyz, izz), to first order in
// the ten parameters.
struct BodySigmas {
  double mass_kg = 0.0;
  Vec3d com_m = Vec3d::Zero();
  std::array<double, 6> inertia_kgm2{};
};
// `frame`: pose of the frame of p in the frame of the results: x_result = R x + p.
[[nodiscard]] BodySigmas body_sigmas(const Parameters10& p, const Eigen::Matrix<double, 10, 10>& covariance,
                                     const Pose& frame = {});

}  // namespace dyn::identify
