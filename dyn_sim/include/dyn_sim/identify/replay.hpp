// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a model predicts for a recorded motion, beside the measured torque. Both pass the same low-pass. The model is
// the URDF with its friction and armature (model/joint_friction.hpp), nothing else.
#pragma once

#include <memory>

#include "dyn_sim/identify/motion.hpp"

namespace dyn::sim {

// Torque of a model along a motion, by term; samples by coordinates.
struct PredictedTorque {
  Eigen::MatrixXd inertia, coriolis, gravity, friction;  // inertia: M a with the armature's share
  [[nodiscard]] Eigen::MatrixXd sum() const { return inertia + coriolis + gravity + friction; }
};

// `model` was built with its armature.
[[nodiscard]] PredictedTorque predict(const std::shared_ptr<const Model>& model, const Stretch& stretch);

// Samples of all stretches one after another, the compared coordinates only, low-passed.
struct Comparison {
  std::vector<int> coordinates;
  Eigen::VectorXd time_s;
  Eigen::MatrixXd q, v, a, measured;  // samples by compared coordinates
  Eigen::MatrixXd all_q;              // of every coordinate, for pictures
  PredictedTorque predicted;
  std::vector<Eigen::Index> stretch_begins;

  [[nodiscard]] Eigen::MatrixXd residual() const { return measured - predicted.sum(); }
};

[[nodiscard]] Comparison compare(const std::shared_ptr<const Model>& model, const Motion& motion);

struct Fit {
  Eigen::Index samples = 0;
  Eigen::VectorXd rms, torque_rms;  // of the residual and of the measured torque, by compared coordinate
  double relative = 0.0;            // norm of the residual over the norm of the torque, all samples and joints
};

// The first sample of the last part `share` (0: none held out, and all samples are judged).
[[nodiscard]] Eigen::Index held_out_begin(Eigen::Index samples, double share);

// Samples of several comparisons from `begin` of each to its end.
[[nodiscard]] Fit judge(const std::vector<Comparison>& comparisons, double hold_out);
[[nodiscard]] Fit judge_training(const std::vector<Comparison>& comparisons, double hold_out);

// What looks wrong with the log, one sentence each: a torque of the wrong sign, joints that are exchanged, another
// gravity, another scale, another robot. What looks so may also come of a maker's masses that are far off; then bodies
// that are possible explain the log as well as if the fault were taken out of it.
struct Faults {
  std::vector<std::string> certain;   // no bodies explain the log as well
  std::vector<std::string> doubtful;  // others than the maker's do
};
[[nodiscard]] Faults find_faults(const std::shared_ptr<const Model>& model, const Motion& motion,
                                 const Comparison& comparison);

}  // namespace dyn::sim
