// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Newton's method with a line search. In the axes of the singular values the least squares part is diagonal and exactly
// 0 where the log tells nothing, however well it tells the rest.
#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <limits>

#include "identify/problem.hpp"
#include "identify/pseudo_inertia.hpp"

namespace dyn::sim::identify {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double flat = 1e-11;  // singular values below this share of the largest are rounding

}  // namespace

Solver::Solver(const Problem& problem, const VectorXd& sigma, int without) : problem_(problem) {
  const Index size = problem.unknowns().size();
  Index count = size + 1;
  for (int j = 0; j < static_cast<int>(sigma.size()); ++j) {
    for (int b = 0; b < blocks; ++b) count += b == without ? 0 : problem.rows(j, b).rows();
  }
  MatrixXd A = MatrixXd::Zero(count, size + 1);  // in units, about the start
  Index row = 0;
  for (int j = 0; j < static_cast<int>(sigma.size()); ++j) {
    for (int b = 0; b < blocks; ++b) {
      const MatrixXd& rows = problem.rows(j, b);
      if (b == without || rows.rows() == 0) continue;
      const double weight = 1.0 / sigma[j];
      A.block(row, 0, rows.rows(), size) = weight * rows.leftCols(size) * problem.units().asDiagonal();
      A.block(row, size, rows.rows(), 1) = weight * (rows.col(size) - rows.leftCols(size) * problem.start());
      row += rows.rows();
    }
  }
  Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(A);
  const MatrixXd R = A.topRows(size + 1).triangularView<Eigen::Upper>();
  const Eigen::BDCSVD<MatrixXd> svd(R.topLeftCorner(size, size), Eigen::ComputeFullU | Eigen::ComputeFullV);
  axes_ = problem.units().asDiagonal() * svd.matrixV();
  singular_ = svd.singularValues();
  target_ = svd.matrixU().transpose() * R.col(size).head(size);
  for (Index k = 0; k < size; ++k) {
    if (singular_[k] > flat * singular_[0]) continue;
    singular_[k] = target_[k] = 0.0;
  }
  z_ = VectorXd::Zero(size);
  x_ = problem.start();
}

double Solver::barrier(const VectorXd& x) const {
  const Unknowns& unknowns = problem_.unknowns();
  double sum = 0.0;
  for (size_t b = 0; b < unknowns.bodies.size(); ++b) {
    const Eigen::Matrix4d J = pseudo_inertia(x.segment<10>(10 * static_cast<Index>(b)));
    const Eigen::LLT<Eigen::Matrix4d> factor(J), prior(problem_.prior()[b]);
    if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
    const auto log_det = [](const auto& f) { return 2.0 * f.matrixLLT().diagonal().array().log().sum(); };
    sum += prior.solve(J).trace() - log_det(factor) + log_det(prior) - 4.0;
  }
  for (size_t k = 0; k < unknowns.numbers.size(); ++k) {
    const JointUnknown& number = unknowns.numbers[k];
    const double t = x[unknowns.first_number() + static_cast<Index>(k)] / number.scale;
    if (number.positive() && !(t > 0.0)) return std::numeric_limits<double>::infinity();
    sum += number.positive() ? t - std::log(t) - 1.0 : 0.5 * t * t;
  }
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

void Solver::derivatives(const VectorXd& x, VectorXd& gradient, MatrixXd& curvature) const {
  const Unknowns& unknowns = problem_.unknowns();
  gradient = VectorXd::Zero(x.size());
  MatrixXd H_axes = MatrixXd::Zero(x.size(), x.size());  // curvature times axes
  const auto& basis = pseudo_inertia_basis();
  for (size_t b = 0; b < unknowns.bodies.size(); ++b) {
    const Index first = 10 * static_cast<Index>(b);
    const Eigen::Matrix4d inverse = pseudo_inertia(x.segment<10>(first)).inverse();
    const Eigen::Matrix4d prior = problem_.prior()[b].inverse();
    std::array<Eigen::Matrix4d, 10> turned;
    for (size_t k = 0; k < 10; ++k) turned[k] = inverse * basis[k];
    Eigen::Matrix<double, 10, 10> H;
    for (size_t k = 0; k < 10; ++k) {
      gradient[first + static_cast<Index>(k)] = (prior * basis[k]).trace() - turned[k].trace();
      for (size_t l = 0; l < 10; ++l) {
        H(static_cast<Index>(k), static_cast<Index>(l)) = turned[k].cwiseProduct(turned[l].transpose()).sum();
      }
    }
    H_axes.middleRows(first, 10) = H * axes_.middleRows(first, 10);
  }
  for (size_t k = 0; k < unknowns.numbers.size(); ++k) {
    const JointUnknown& number = unknowns.numbers[k];
    const Index place = unknowns.first_number() + static_cast<Index>(k);
    const double s = number.scale, value = x[place];
    gradient[place] = number.positive() ? 1.0 / s - 1.0 / value : value / (s * s);
    H_axes.row(place) = (number.positive() ? 1.0 / (value * value) : 1.0 / (s * s)) * axes_.row(place);
  }
  gradient = axes_.transpose() * gradient;
  curvature.noalias() = axes_.transpose() * H_axes;
}

MatrixXd Solver::curvature_of(double weight, const MatrixXd& barrier_curvature) const {
  MatrixXd K = weight * barrier_curvature;
  K.diagonal() += singular_.cwiseAbs2();
  return K;
}

const VectorXd& Solver::solve(double weight) {
  constexpr int most_steps = 80;
  const auto value = [&](const VectorXd& z, double bars) {
    return 0.5 * (singular_.cwiseProduct(z) - target_).squaredNorm() + weight * bars;
  };
  double now = value(z_, barrier(x_));
  VectorXd gradient;
  MatrixXd curvature;
  for (int step = 0; step < most_steps; ++step) {
    derivatives(x_, gradient, curvature);
    gradient = weight * gradient + singular_.cwiseProduct(singular_.cwiseProduct(z_) - target_);
    const MatrixXd K = curvature_of(weight, curvature);
    // Its entries differ by many orders of magnitude; with a unit diagonal the factor is exact to rounding.
    const VectorXd scale = K.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    const Eigen::LDLT<MatrixXd> factor(scale.asDiagonal() * K * scale.asDiagonal());
    const VectorXd direction = -(scale.asDiagonal() * factor.solve(scale.asDiagonal() * gradient));
    const double decrement = -gradient.dot(direction);
    if (!(decrement > 1e-10 * std::max(weight, 1e-30))) break;
    double t = 1.0;
    bool moved = false;
    for (int halving = 0; halving < 60 && !moved; ++halving, t *= 0.5) {
      const VectorXd z = z_ + t * direction;
      const VectorXd x = problem_.start() + axes_ * z;
      const double bars = barrier(x);
      if (!std::isfinite(bars)) continue;
      const double then = value(z, bars);
      if (then > now - 1e-4 * t * decrement + 1e-13 * std::abs(now)) continue;
      z_ = z;
      x_ = x;
      now = then;
      moved = true;
    }
    if (!moved) break;
  }
  return x_;
}

MatrixXd Solver::covariance(double weight) const {
  VectorXd gradient;
  MatrixXd curvature;
  derivatives(x_, gradient, curvature);
  const MatrixXd K = curvature_of(weight, curvature);
  const VectorXd scale = K.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const MatrixXd inverse =
      (scale.asDiagonal() * K * scale.asDiagonal()).ldlt().solve(MatrixXd::Identity(K.rows(), K.cols()));
  return axes_ * (scale.asDiagonal() * inverse * scale.asDiagonal()) * axes_.transpose();
}

VectorXd Solver::untold() const {
  constexpr double least = 1.0;  // a change of one unit along an axis is seen as far as the noise
  VectorXd shares = VectorXd::Zero(x_.size());
  for (Index k = 0; k < singular_.size(); ++k) {
    if (singular_[k] >= least) continue;
    shares += (problem_.units().cwiseInverse().asDiagonal() * axes_.col(k)).cwiseAbs2();
  }
  return shares;
}

}  // namespace dyn::sim::identify
