// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The force and moment at one frame that explain the external torques of the momentum observer: least squares of
//   J^T F = tau_ext,      J = Q S W^T,      F = sum_i q_i s_i (w_i . tau_ext) / (s_i^2 + l_i^2)
// with F on the frame, in base axes, at the frame's origin. Exact for a force at the frame where all singular
// values s (rows of J in m and rad) are above `damp_below`. Below, an error of the torque would become a large force:
// each such direction is damped by itself, l^2 = damp_below^2 - s^2, the others are not; the estimate is then `damped`.
// Of a force elsewhere on the arm F has the part that a force at the frame could cause; the rest of tau_ext is
// `unexplained`.
//
// Contact: the force, or the moment, is above its threshold; it ends when both are below 0.7 of theirs.
#pragma once

#include <memory>
#include <span>

#include "dyn_core/control/task_space.hpp"

namespace dyn::control {

struct WrenchParameters {
  double damp_below = 0.05;        // singular value of J, m and rad
  double force_threshold_N = 0.0;  // of a contact; 0: off
  double moment_threshold_Nm = 0.0;
};

struct WrenchEstimate {
  Vec6d wrench = Vec6d::Zero();          // on the frame: N, N m, base axes
  Mat3d R = Mat3d::Identity();           // of the frame: its axes in base axes
  Vec3d direction = Vec3d::Zero();       // of a contact's force on the arm, base axes, length 1; else 0
  double smallest_singular_value = 0.0;  // of J; a lower bound where it is not damped
  double unexplained = 0.0;              // norm of tau_ext - J^T F over that of tau_ext; 0 where that is 0
  bool damped = false;  // near a singular posture, or an arm of fewer than six joints: not every direction is known
  bool contact = false;
  bool known = false;  // false: no estimate, since the frame is absent or a number was not finite
};

class ExternalWrench {
 public:
  explicit ExternalWrench(int max_coordinates);
  ~ExternalWrench();
  ExternalWrench(const ExternalWrench&) = delete;
  ExternalWrench& operator=(const ExternalWrench&) = delete;
  ExternalWrench(ExternalWrench&&) = delete;
  ExternalWrench& operator=(ExternalWrench&&) = delete;

  // The loop. At the state of the dynamics' last update(); `external`: N m or N, the model's coordinates or more.
  // `settled`: false while a payload is ramped; no contact is reported then.
  DYN_REALTIME const WrenchEstimate& update(const WrenchParameters& parameters, Dynamics& dynamics, Frames& frames,
                                            int frame, std::span<const double> external, bool settled) noexcept;
  [[nodiscard]] DYN_REALTIME const WrenchEstimate& newest() const noexcept { return estimate_; }
  DYN_REALTIME void reset() noexcept { estimate_ = {}; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  WrenchEstimate estimate_;
};

}  // namespace dyn::control
