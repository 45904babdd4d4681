// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A log prepared for comparison with a model: cut at gaps, on an even grid of time, with accelerations.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dyn_sim/logs/motion_log.hpp"

namespace dyn::sim {

// Between two gaps. Torque as measured; positions and velocities too if accelerations were measured with them, else
// low-passed at twice the cutoff before they are differentiated.
struct Stretch {
  double step_s = 0.0;
  Eigen::VectorXd time_s;
  Eigen::MatrixXd q, v, a, effort;  // samples by coordinates
  Eigen::Index begin = 0, end = 0;  // the samples that are compared: those far enough from the ends for the filters

  [[nodiscard]] Eigen::Index used() const noexcept { return end - begin; }
};

struct Motion {
  std::string source;
  double cutoff_hz = 0.0;
  std::vector<Stretch> stretches;
  std::vector<int> compared;  // coordinates with a measured torque
  bool differentiated = false;
  std::vector<std::string> notes;

  [[nodiscard]] Eigen::Index samples() const noexcept {
    Eigen::Index sum = 0;
    for (const Stretch& stretch : stretches) sum += stretch.used();
    return sum;
  }
};

// If not given, chosen from the spectrum of all logs: the highest cutoff of any of them.
[[nodiscard]] double choose_cutoff(std::span<const MotionLog> logs, const std::optional<double>& given_hz);

// Throws ModelError if nothing remains to be compared.
[[nodiscard]] Motion make_motion(const MotionLog& log, double cutoff_hz);

}  // namespace dyn::sim
