// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "frame_validation.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <vector>

#include "dyn_core/numeric/residual.hpp"
#include "frame_views.hpp"

namespace dyn::oracle {
namespace {

using Reference = PinocchioModel::Reference;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double frame_tolerance = 1e-11;
constexpr double solved_tolerance = 1e-13;  // of errors divided by condition numbers

double condition_of(const MatX<double>& S) {
  const auto values = S.jacobiSvd().singularValues();
  return values[values.size() - 1] > 0.0 ? values[0] / values[values.size() - 1] : infinity;
}

}  // namespace

FrameValidation::FrameValidation(const std::shared_ptr<const Model>& model)
    : dynamics_(model), frames_(model, link_names(*model)), space_(*model) {}

void FrameValidation::compare(PinocchioModel& oracle, const State& state, double condition, const Record& record) {
  if (!dynamics_.update(state.q, state.v).ok()) return record("frame", "pose", frame_tolerance, infinity);
  frames_.update(dynamics_);
  const Eigen::Index n = state.q.size();
  MatX<double> inverse_M(n, n), own(n, n);
  const std::span<double> own_numbers(own.data(), own.size());
  const bool solved = dynamics_.inverse_mass_matrix(own_numbers).ok();
  if (std::isfinite(condition)) {
    const bool known = oracle.inverse_mass_matrix(state.q, {inverse_M.data(), static_cast<size_t>(inverse_M.size())});
    const double error = known && solved ? relative_error(own, inverse_M, 0.0) / condition : infinity;
    record("M^-1", "fused", solved_tolerance, error);
  } else {
    record("M^-1", "fused", solved_tolerance, solved ? infinity : 0.0);
  }
  for (int f = 0; f < frames_.count(); ++f) {
    compare_frame(f, oracle, state, record);
    if (!std::isfinite(condition)) continue;
    PinocchioModel::Frame truth;
    if (!oracle.frame(frames_.name(f), Reference::local_world_aligned, state.q, state.v, truth)) continue;
    compare_lambda(f, six_by(truth.J), inverse_M, condition, record);
  }
}

// Relative to the frame's distance from the base or a metre, rates relative to that times the speed; the largest error
// over the three kinds of axes.
void FrameValidation::compare_frame(int f, PinocchioModel& oracle, const State& state, const Record& record) {
  PinocchioModel::Frame truth;
  double J = 0.0, twist = 0.0, rate = 0.0;
  for (const Reference axes : {Reference::local_world_aligned, Reference::local, Reference::world}) {
    if (!oracle.frame(frames_.name(f), axes, state.q, state.v, truth)) J = infinity;
    const double length = 1.0 + truth.p.norm() + largest_entry(six_by(truth.J));
    const double speed = largest_entry(six(truth.twist));
    const double fast = length + speed * (1.0 + speed);
    const auto take = [&](const auto& own_J, const auto& own_twist, const auto& own_rate) {
      J = larger_error(J, relative_error(own_J, six_by(truth.J), length));
      twist = larger_error(twist, relative_error(own_twist, six(truth.twist), fast));
      rate = larger_error(rate, relative_error(own_rate, six(truth.Jdot_v), fast));
    };
    switch (axes) {
      case Reference::local_world_aligned:
        take(frames_.J_base_axes(f), frames_.twist_base_axes(f), frames_.Jdot_v_base_axes(f));
        break;
      case Reference::local:
        take(frames_.J_frame_axes(f), frames_.twist_frame_axes(f), frames_.Jdot_v_frame_axes(f));
        break;
      case Reference::world:
        take(frames_.J_base_origin(f), frames_.twist_base_origin(f), frames_.Jdot_v_base_origin(f));
        break;
    }
  }
  const double pose = larger_error(relative_error(frames_.position(f), truth.p, 1.0),
                                   relative_error(frames_.rotation(f), truth.R, 1.0));
  record("frame", "pose", frame_tolerance, pose);
  record("frame", "twist", frame_tolerance, twist);
  record("frame", "J", frame_tolerance, J);
  record("frame", "Jdot v", frame_tolerance, rate);
}

// Where the least singular value of J is below 1e-9 of the largest the status must be `singular`; up to 1e-6 it may be.
void FrameValidation::compare_lambda(int f, const MatX<double>& J, const MatX<double>& inverse_M, double condition,
                                     const Record& record) {
  const auto values = J.jacobiSvd().singularValues();
  const double largest = values[0], least = J.cols() < 6 ? 0.0 : values[5];
  const OperationalSpaceStatus status = space_.update(dynamics_, frames_, f);
  if (!(least > 1e-6 * largest)) {
    const bool singular = status.code == OperationalSpaceStatus::Code::singular;
    return record("frame", "Lambda", solved_tolerance, singular || least > 1e-9 * largest ? 0.0 : infinity);
  }
  const MatX<double> mobility = J * inverse_M * J.transpose();
  const MatX<double> Lambda = mobility.llt().solve(MatX<double>::Identity(6, 6));
  const double error = relative_error(space_.Lambda(), Lambda, 0.0) / (condition + condition_of(mobility));
  record("frame", "Lambda", solved_tolerance, status.ok() ? error : infinity);
}

}  // namespace dyn::oracle
