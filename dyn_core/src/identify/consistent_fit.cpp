// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Newton's method with a line search.
#include "dyn_core/identify/consistent_fit.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <limits>

namespace dyn::identify {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double flat = 1e-11;  // singular values below this share of the largest are rounding

}  // namespace

ConsistentFit::ConsistentFit(ConsistentProblem problem, MatrixXd rows) : problem_(std::move(problem)) {
  const Index size = problem_.size();
  rows.col(size) -= rows.leftCols(size) * problem_.start;
  rows.leftCols(size) *= problem_.units.asDiagonal();
  if (rows.rows() < size + 1) rows.conservativeResizeLike(MatrixXd::Zero(size + 1, size + 1));
  Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(rows);
  const MatrixXd R = rows.topRows(size + 1).triangularView<Eigen::Upper>();
  const Eigen::BDCSVD<MatrixXd> svd(R.topLeftCorner(size, size), Eigen::ComputeFullU | Eigen::ComputeFullV);
  axes_ = problem_.units.asDiagonal() * svd.matrixV();
  singular_ = svd.singularValues();
  target_ = svd.matrixU().transpose() * R.col(size).head(size);
  for (Index k = 0; k < size; ++k) {
    if (singular_[k] > flat * singular_[0]) continue;
    singular_[k] = target_[k] = 0.0;
  }
  z_ = VectorXd::Zero(size);
  x_ = problem_.start;
}

double ConsistentFit::barrier(const VectorXd& x) const {
  const Index first_number = 10 * static_cast<Index>(problem_.prior.size());
  double sum = 0.0;
  for (size_t b = 0; b < problem_.prior.size(); ++b) {
    const Eigen::Matrix4d J = pseudo_inertia(x.segment<10>(10 * static_cast<Index>(b)));
    const Eigen::LLT<Eigen::Matrix4d> factor(J), prior(problem_.prior[b]);
    if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
    const auto log_det = [](const auto& f) { return 2.0 * f.matrixLLT().diagonal().array().log().sum(); };
    sum += prior.solve(J).trace() - log_det(factor) + log_det(prior) - 4.0;
  }
  for (size_t k = 0; k < problem_.numbers.size(); ++k) {
    const ConsistentProblem::Number& number = problem_.numbers[k];
    const double t = x[first_number + static_cast<Index>(k)] / number.scale;
    if (number.positive && !(t > 0.0)) return std::numeric_limits<double>::infinity();
    sum += number.positive ? t - std::log(t) - 1.0 : 0.5 * t * t;
  }
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

void ConsistentFit::derivatives(const VectorXd& x, VectorXd& gradient, MatrixXd& curvature) const {
  gradient = VectorXd::Zero(x.size());
  MatrixXd H_axes = MatrixXd::Zero(x.size(), x.size());  // curvature times axes
  const auto& basis = pseudo_inertia_basis();
  const Index first_number = 10 * static_cast<Index>(problem_.prior.size());
  for (size_t b = 0; b < problem_.prior.size(); ++b) {
    const Index first = 10 * static_cast<Index>(b);
    const Eigen::Matrix4d inverse = pseudo_inertia(x.segment<10>(first)).inverse();
    const Eigen::Matrix4d prior = problem_.prior[b].inverse();
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
  for (size_t k = 0; k < problem_.numbers.size(); ++k) {
    const ConsistentProblem::Number& number = problem_.numbers[k];
    const Index place = first_number + static_cast<Index>(k);
    const double s = number.scale, value = x[place];
    gradient[place] = number.positive ? 1.0 / s - 1.0 / value : value / (s * s);
    H_axes.row(place) = (number.positive ? 1.0 / (value * value) : 1.0 / (s * s)) * axes_.row(place);
  }
  gradient = axes_.transpose() * gradient;
  curvature.noalias() = axes_.transpose() * H_axes;
}

MatrixXd ConsistentFit::curvature_of(double weight, const MatrixXd& barrier_curvature) const {
  MatrixXd K = weight * barrier_curvature;
  K.diagonal() += singular_.cwiseAbs2();
  return K;
}

const VectorXd& ConsistentFit::solve(double weight) {
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
      const VectorXd x = problem_.start + axes_ * z;
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

MatrixXd ConsistentFit::covariance(double weight) const {
  VectorXd gradient;
  MatrixXd curvature;
  derivatives(x_, gradient, curvature);
  const MatrixXd K = curvature_of(weight, curvature);
  const VectorXd scale = K.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const MatrixXd inverse =
      (scale.asDiagonal() * K * scale.asDiagonal()).ldlt().solve(MatrixXd::Identity(K.rows(), K.cols()));
  return axes_ * (scale.asDiagonal() * inverse * scale.asDiagonal()) * axes_.transpose();
}

VectorXd ConsistentFit::untold() const {
  constexpr double least = 1.0;  // below, a change of one unit along an axis stays within the noise
  VectorXd shares = VectorXd::Zero(x_.size());
  for (Index k = 0; k < singular_.size(); ++k) {
    if (singular_[k] >= least) continue;
    shares += (problem_.units.cwiseInverse().asDiagonal() * axes_.col(k)).cwiseAbs2();
  }
  return shares;
}

Parameters10 units_about(const Eigen::Matrix4d& prior) {
  const Eigen::Matrix4d inverse = prior.inverse();
  Parameters10 units;
  for (Index k = 0; k < 10; ++k) {
    const Eigen::Matrix4d E = inverse * pseudo_inertia_basis()[k];
    units[k] = 1.0 / std::sqrt((E * E).trace());
  }
  return units;
}

BodySigmas body_sigmas(const Parameters10& p, const Eigen::Matrix<double, 10, 10>& covariance, const Pose& frame) {
  const auto numbers = [&frame](const Parameters10& parameters) {
    const Inertial body = inertial_of(parameters);
    const Mat3d I = frame.R * body.inertia_com_kgm2 * frame.R.transpose();
    Parameters10 all;
    all << body.mass_kg, frame.R * body.com_m, I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2);
    return all;
  };
  Eigen::Matrix<double, 10, 10> slopes;
  for (int k = 0; k < 10; ++k) {
    const double h = 1e-6 * std::max(std::abs(p[k]), 1e-3 * p[0]);
    slopes.col(k) = (numbers(p + h * Parameters10::Unit(k)) - numbers(p - h * Parameters10::Unit(k))) / (2.0 * h);
  }
  const Parameters10 sigma = (slopes * covariance * slopes.transpose()).diagonal().cwiseMax(0.0).cwiseSqrt();
  BodySigmas all{sigma[0], sigma.segment<3>(1), {}};
  for (size_t k = 0; k < 6; ++k) all.inertia_kgm2[k] = sigma[4 + static_cast<Index>(k)];
  return all;
}

}  // namespace dyn::identify
