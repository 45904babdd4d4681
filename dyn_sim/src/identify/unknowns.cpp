// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "identify/unknowns.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "body_friction.hpp"
#include "dyn_sim/identify/replay.hpp"
#include "identify/low_pass.hpp"
#include "identify/rotor_columns.hpp"

namespace dyn::sim::identify {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<int> moved_bodies(const Tree& tree, const regressor::Layout& layout, int coordinate) {
  std::vector<int> moved;
  for (int b = 0; b < layout.size(); ++b) {
    for (int i = 0; i < tree.size; ++i) {
      if (tree.coordinate[i] != coordinate) continue;
      if (!tree.supports(i, layout.body[b])) continue;
      moved.push_back(b);
      break;
    }
  }
  return moved;
}

// R of [R; X] by Householder reflections.
void add_rows(MatrixXd& R, const MatrixXd& X) {
  MatrixXd stacked(R.rows() + X.rows(), X.cols());
  if (R.rows() > 0) stacked.topRows(R.rows()) = R;
  stacked.bottomRows(X.rows()) = X;
  Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(stacked);
  const Index rows = std::min(stacked.rows(), stacked.cols());
  MatrixXd upper = stacked.topRows(rows).triangularView<Eigen::Upper>();
  R = std::move(upper);
}

class Gatherer {
 public:
  Gatherer(const std::shared_ptr<const Model>& model, const std::vector<Motion>& motions, double hold_out)
      : regressor_(locked_model(model)),
        rotors_(model),
        motions_(motions),
        hold_out_(hold_out),
        frictions_(body_frictions(regressor_.model())) {
    for (const int coordinate : motions.front().compared) {
      JointInformation joint;
      joint.coordinate = coordinate;
      joint.bodies = moved_bodies(regressor_.model().tree(), regressor_.layout(), coordinate);
      joint.rotors = rotors_.coordinates();
      information_.joints.push_back(std::move(joint));
    }
    for (const Motion& motion : motions) total_ += training(motion);
  }

  Information gather() {
    Index before = 0;
    for (const Motion& motion : motions_) {
      Index in_motion = 0;
      for (const Stretch& s : motion.stretches) {
        const Index used = std::min(s.used(), training(motion) - in_motion);
        if (used > 0) stretch(motion, s, used, before);
        before += std::max<Index>(used, 0);
        in_motion += s.used();
      }
    }
    for (JointInformation& joint : information_.joints) {
      const double n = static_cast<double>(std::max<Index>(total_, 1));
      for (double* sum : {&joint.torque_rms, &joint.v_rms, &joint.a_rms}) *sum = std::sqrt(*sum / n);
    }
    information_.samples = total_;
    return std::move(information_);
  }

 private:
  [[nodiscard]] Index training(const Motion& motion) const {
    return hold_out_ > 0.0 ? held_out_begin(motion.samples(), hold_out_) : motion.samples();
  }

  void joint_row(const JointInformation& joint, const Stretch& s, Index k, MatrixXd::RowXpr D) const {
    const Index c = joint.coordinate;
    Index column = 0;
    for (const int b : joint.bodies) {
      D.segment(column, 10) = regressor_.Y().row(c).segment(10 * b, 10);
      column += 10;
    }
    const double v = s.v(k, c), sign = std::tanh(v / friction_creep_rate);
    double* const own[] = {&D(column + column_v),  &D(column + column_s),   &D(column + column_vs),
                           &D(column + column_ss), &D(column + column_one), &D(column + column_a)};
    const double values[] = {v, sign, v * sign, sign * sign, 1.0, s.a(k, c)};
    for (size_t i = 0; i < std::size(values); ++i) *own[i] = values[i];
    for (size_t i = 0; i < stribeck_velocities.size(); ++i) {
      const double w = v / stribeck_velocities[i];
      D(column + column_stribeck + static_cast<Index>(i)) = std::exp(-w * w) * sign;
    }
    for (size_t r = 0; r < joint.rotors.size(); ++r) {
      const double torque = rotors_.torque(r, joint.coordinate);
      const bool other = joint.rotors[r] != joint.coordinate;
      if (!other) *own[column_a] = torque;
      D(joint.rotor_column() + static_cast<Index>(r)) = other ? torque : 0.0;
    }
    double known = 0.0;
    for (const BodyFriction& f : frictions_) {  // of mimic joints it is not identified: it stays what the URDF says
      if (f.mimics && f.coordinate == static_cast<size_t>(c)) known += f.torque(v);
    }
    D(joint.torque_column()) = s.effort(k, c) - known;
  }

  // In pieces, so that the regressors of a long log take little memory. A piece is filtered with the samples around it:
  // six periods of the cutoff away what the filter makes of a sample is 3e-12 of it.
  void stretch(const Motion& motion, const Stretch& s, Index used, Index before) {
    constexpr Index most_numbers = 8'000'000;  // 64 MB
    const LowPass filter(motion.cutoff_hz, 1.0 / s.step_s);
    const auto around = static_cast<Index>(std::ceil(6.0 / (motion.cutoff_hz * s.step_s)));
    Index columns = 0;
    for (const JointInformation& joint : information_.joints) columns += joint.torque_column() + 1;
    const Index rows = std::max(most_numbers / std::max<Index>(columns, 1), 4 * around);
    for (Index from = 0; from < used; from += rows) {
      const Index first = std::max<Index>(s.begin + from - around, 0), count = std::min(rows, used - from);
      const Index last = std::min(s.begin + from + count + around, s.q.rows());
      piece(motion, s, filter, {first, last, s.begin + from, count, before + from});
    }
  }

  struct Piece {
    Index first, last;   // samples of the stretch that are filtered
    Index begin, count;  // and those that are used
    Index before;        // samples used before them
  };

  void piece(const Motion& motion, const Stretch& s, const LowPass& filter, const Piece& part) {
    const Index rows = part.last - part.first, n = s.q.cols();
    std::vector<MatrixXd> D;
    for (const JointInformation& joint : information_.joints) D.emplace_back(rows, joint.torque_column() + 1);
    VectorXd q(n), v(n), a(n);
    for (Index k = 0; k < rows; ++k) {
      q = s.q.row(part.first + k);
      v = s.v.row(part.first + k);
      a = s.a.row(part.first + k);
      const size_t size = n;
      const Status status = regressor_.update({q.data(), size}, {v.data(), size}, {a.data(), size});
      if (!status.ok() || !rotors_.update({q.data(), size}, {v.data(), size}, {a.data(), size}).ok())
        throw ModelError(motion.source + ": a state is too large to compute with");
      for (size_t j = 0; j < D.size(); ++j) joint_row(information_.joints[j], s, part.first + k, D[j].row(k));
    }
    const double rate_hz = 1.0 / s.step_s;
    // Of a low-passed signal few samples are new: eight a period of the cutoff are kept.
    const auto every = std::max<Index>(1, static_cast<Index>(rate_hz / (8.0 * motion.cutoff_hz)));
    for (size_t j = 0; j < D.size(); ++j) {
      JointInformation& joint = information_.joints[j];
      filter.apply_to_columns(D[j], Ends::mirrored);
      const auto v_used = s.v.col(joint.coordinate).segment(part.begin, part.count);
      joint.torque_rms += D[j].col(D[j].cols() - 1).segment(part.begin - part.first, part.count).squaredNorm();
      joint.v_rms += v_used.squaredNorm();
      joint.a_rms += s.a.col(joint.coordinate).segment(part.begin, part.count).squaredNorm();
      joint.v_max = std::max(joint.v_max, v_used.cwiseAbs().maxCoeff());
      add(joint, D[j].middleRows(part.begin - part.first, part.count), part.before, every, filter.noise_power_gain());
      D[j].resize(0, 0);
    }
  }

  // Each kept row weighs as much as the independent samples that it stands for: after a low-pass these are fewer.
  void add(JointInformation& joint, const Eigen::Ref<const MatrixXd>& D, Index before, Index every, double gain) {
    const Index used = D.rows();
    for (int block = 0; block < blocks; ++block) {
      const auto edge = [this](int b) { return total_ * b / blocks; };
      const Index from = std::clamp<Index>(edge(block) - before, 0, used);
      const Index to = std::clamp<Index>(edge(block + 1) - before, 0, used);
      const Index count = (to - from + every - 1) / every;
      if (count <= 0) continue;
      MatrixXd X(count, D.cols());
      for (Index k = 0; k < count; ++k) X.row(k) = D.row(from + k * every);
      X *= std::sqrt(gain * static_cast<double>(to - from) / static_cast<double>(count));
      add_rows(joint.R[block], X);
      joint.samples[block] += gain * static_cast<double>(to - from);
    }
  }

  Regressor regressor_;
  RotorColumns rotors_;
  const std::vector<Motion>& motions_;
  double hold_out_;
  std::vector<BodyFriction> frictions_;
  Information information_;
  Index total_ = 0;
};

}  // namespace

Information gather(const std::shared_ptr<const Model>& model, const std::vector<Motion>& motions, double hold_out) {
  return Gatherer(model, motions, hold_out).gather();
}

}  // namespace dyn::sim::identify
