// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/external_wrench.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "frames/singular_values.hpp"

namespace dyn::control {
namespace {

using Mat6d = Eigen::Matrix<double, 6, 6>;
using Rows6d = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
using Vec6 = Eigen::Matrix<double, 6, 1>;  // aligned, as Eigen wants it

// The larger of |force| / threshold and |moment| / threshold; 0 where both are off.
double share_of_threshold(const WrenchParameters& parameters, const Vec6d& wrench) noexcept {
  const double force = parameters.force_threshold_N, moment = parameters.moment_threshold_Nm;
  const double by_force = force > 0.0 ? wrench.head<3>().norm() / force : 0.0;
  const double by_moment = moment > 0.0 ? wrench.tail<3>().norm() / moment : 0.0;
  return std::max(by_force, by_moment);
}

}  // namespace

struct ExternalWrench::Impl {
  explicit Impl(int max_coordinates) : singular_values(max_coordinates) {}

  // (J J^T)^-1 J tau, and a lower bound of the smallest singular value, 1 / sqrt(tr (J J^T)^-1). False where that is
  // not above `damp_below`.
  static bool solve_plain(const ConstMatrixRef<double>& J, const Vec6d& J_tau, double damp_below,
                          WrenchEstimate& estimate) noexcept {
    Mat6d gram = Mat6d::Zero();
    for (Eigen::Index k = 0; k < J.cols(); ++k) {
      const Vec6 column = J.col(k);  // of fixed size: products are not allocated
      gram += column * column.transpose();
    }
    const Eigen::LLT<Mat6d> factor(gram);
    if (factor.info() != Eigen::Success) return false;
    const Mat6d& L = factor.matrixLLT();
    Rows6d inverse_L =
        Rows6d::Identity();  // row by row: a third of the time of Eigen's solver for matrices of any size
    for (int r = 0; r < 6; ++r) {
      for (int k = 0; k < r; ++k) inverse_L.row(r) -= L(r, k) * inverse_L.row(k);
      inverse_L.row(r) *= 1.0 / L(r, r);
    }
    const double least = 1.0 / inverse_L.norm();
    if (!(least > damp_below && least > 1e-5 * std::sqrt(gram.trace()))) return false;
    estimate.smallest_singular_value = least;
    const Vec6 turned = inverse_L * Vec6(J_tau);
    estimate.wrench = inverse_L.transpose() * turned;
    return true;
  }

  // By the singular vectors; directions below `damp_below` one by one.
  void solve_damped(const ConstMatrixRef<double>& J, const Vec6d& J_tau, double damp_below,
                    WrenchEstimate& estimate) noexcept {
    const auto n = static_cast<int>(J.cols());
    Mat6d turn;  // rows: left singular vectors
    Vec6d squares;
    const auto range = singular_values.decompose(J.data(), n, turn.data(), squares.data());
    const double least = std::max(damp_below * damp_below, 1e-14 * range.largest * range.largest);
    estimate.smallest_singular_value = n < 6 ? 0.0 : range.least;
    estimate.damped = estimate.smallest_singular_value < damp_below;
    estimate.wrench.setZero();
    for (int i = 0; i < 6; ++i) {
      const double along = turn.row(i).dot(J_tau);
      if (least > 0.0) estimate.wrench += turn.row(i).transpose() * (along / std::max(squares[i], least));
    }
  }

  SingularValues singular_values;
};

ExternalWrench::ExternalWrench(int max_coordinates) : impl_(std::make_unique<Impl>(max_coordinates)) {}
ExternalWrench::~ExternalWrench() = default;

const WrenchEstimate& ExternalWrench::update(const WrenchParameters& parameters, Dynamics& dynamics, Frames& frames,
                                             int frame, std::span<const double> external, bool settled) noexcept {
  const bool was_contact = estimate_.contact;
  estimate_ = {};
  frames.update(dynamics, frame, frame_pose | frame_J);
  if (frames.status(frame) != FrameStatus::ok) return estimate_;
  const auto J = frames.J_base_axes(frame);
  Vec6d J_tau = Vec6d::Zero();
  double tau_2 = 0.0;
  for (Eigen::Index k = 0; k < J.cols(); ++k) {
    const double tau = external[k];
    J_tau += J.col(k) * tau;
    tau_2 += tau * tau;
  }
  if (!std::isfinite(tau_2) || !J_tau.allFinite()) return estimate_;
  estimate_.R = frames.rotation(frame);
  if (!Impl::solve_plain(J, J_tau, parameters.damp_below, estimate_)) {
    impl_->solve_damped(J, J_tau, parameters.damp_below, estimate_);
  }
  double rest_2 = 0.0;
  for (Eigen::Index k = 0; k < J.cols(); ++k) {
    const double rest = external[k] - J.col(k).dot(estimate_.wrench);
    rest_2 += rest * rest;
  }
  estimate_.unexplained = tau_2 > 0.0 ? std::sqrt(rest_2 / tau_2) : 0.0;
  estimate_.known = estimate_.wrench.allFinite();
  constexpr double ends_at = 0.7;
  const double share = share_of_threshold(parameters, estimate_.wrench);
  estimate_.contact = estimate_.known && settled && share > (was_contact ? ends_at : 1.0);
  const double force = estimate_.wrench.head<3>().norm();
  if (estimate_.contact && force > 0.0) estimate_.direction = estimate_.wrench.head<3>() / force;
  return estimate_;
}

}  // namespace dyn::control
