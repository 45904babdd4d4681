// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/identify/replay.hpp"

#include <algorithm>
#include <cmath>

#include "body_friction.hpp"
#include "dyn_core/dynamics.hpp"
#include "identify/low_pass.hpp"

namespace dyn::sim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

void append(MatrixXd& to, const MatrixXd& rows) {
  const Index before = to.rows();
  if (before == 0) {
    to = rows;
    return;
  }
  to.conservativeResize(before + rows.rows(), rows.cols());
  to.bottomRows(rows.rows()) = rows;
}

MatrixXd columns(const MatrixXd& X, const std::vector<int>& which, Index begin, Index rows) {
  MatrixXd Y(rows, static_cast<Index>(which.size()));
  for (size_t k = 0; k < which.size(); ++k) Y.col(static_cast<Index>(k)) = X.col(which[k]).segment(begin, rows);
  return Y;
}

Fit judge_part(const std::vector<Comparison>& comparisons, double hold_out, bool last_part) {
  Fit fit;
  const Index joints = static_cast<Index>(comparisons.front().coordinates.size());
  VectorXd errors = VectorXd::Zero(joints), torques = VectorXd::Zero(joints);
  for (const Comparison& c : comparisons) {
    const Index split = held_out_begin(c.measured.rows(), hold_out);
    const Index begin = last_part ? split : 0, count = last_part ? c.measured.rows() - split : split;
    errors += c.residual().middleRows(begin, count).colwise().squaredNorm().transpose();
    torques += c.measured.middleRows(begin, count).colwise().squaredNorm().transpose();
    fit.samples += count;
  }
  const double n = static_cast<double>(std::max<Index>(fit.samples, 1));
  fit.rms = (errors / n).cwiseSqrt();
  fit.torque_rms = (torques / n).cwiseSqrt();
  fit.relative = torques.sum() > 0.0 ? std::sqrt(errors.sum() / torques.sum()) : std::sqrt(errors.sum());
  return fit;
}

}  // namespace

PredictedTorque predict(const std::shared_ptr<const Model>& model, const Stretch& stretch) {
  Dynamics dynamics(model);
  const auto frictions = body_frictions(*model);
  const Index rows = stretch.q.rows(), n = stretch.q.cols();
  PredictedTorque torque;
  for (auto* term : {&torque.inertia, &torque.coriolis, &torque.gravity, &torque.friction}) term->setZero(rows, n);
  VectorXd q(n), v(n), a(n);
  for (Index k = 0; k < rows; ++k) {
    q = stretch.q.row(k);
    v = stretch.v.row(k);
    a = stretch.a.row(k);
    if (!dynamics.update(q, v).ok()) throw ModelError("a state of the log is too large to compute with");
    torque.inertia.row(k) = (dynamics.M() * a).transpose();
    torque.gravity.row(k) = dynamics.g().transpose();
    torque.coriolis.row(k) = (dynamics.h() - dynamics.g()).transpose();
    for (const BodyFriction& f : frictions) {
      const auto c = static_cast<Index>(f.coordinate);
      torque.friction(k, c) += f.torque(v[c]);
    }
  }
  return torque;
}

Comparison compare(const std::shared_ptr<const Model>& model, const Motion& motion) {
  Comparison all;
  all.coordinates = motion.compared;
  for (const Stretch& s : motion.stretches) {
    const identify::LowPass filter(motion.cutoff_hz, 1.0 / s.step_s);
    PredictedTorque torque = predict(model, s);
    const auto take = [&](MatrixXd& to, const MatrixXd& from) {
      append(to, columns(from, motion.compared, s.begin, s.used()));
    };
    const auto take_filtered = [&](MatrixXd& to, MatrixXd from) {
      filter.apply_to_columns(from, identify::Ends::mirrored);
      take(to, from);
    };
    take_filtered(all.predicted.inertia, std::move(torque.inertia));
    take_filtered(all.predicted.coriolis, std::move(torque.coriolis));
    take_filtered(all.predicted.gravity, std::move(torque.gravity));
    take_filtered(all.predicted.friction, std::move(torque.friction));
    take_filtered(all.measured, s.effort);
    all.stretch_begins.push_back(all.time_s.size());
    all.time_s.conservativeResize(all.time_s.size() + s.used());
    all.time_s.tail(s.used()) = s.time_s.segment(s.begin, s.used());
    take(all.q, s.q);
    take(all.v, s.v);
    take(all.a, s.a);
    append(all.all_q, s.q.middleRows(s.begin, s.used()));
  }
  return all;
}

Index held_out_begin(Index samples, double share) {
  if (share <= 0.0) return 0;
  return std::clamp<Index>(samples - static_cast<Index>(std::llround(share * static_cast<double>(samples))), 0,
                           samples - 1);
}

Fit judge(const std::vector<Comparison>& comparisons, double hold_out) {
  return judge_part(comparisons, hold_out, true);
}

Fit judge_training(const std::vector<Comparison>& comparisons, double hold_out) {
  return judge_part(comparisons, hold_out, false);
}

}  // namespace dyn::sim
