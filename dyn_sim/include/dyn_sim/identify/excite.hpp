// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A motion that makes the inertial parameters visible: for every joint a sum of sines about a centre, faded in and out
// so that it starts and ends at rest, whose coefficients make the log of the determinant of the information of the base
// parameters large (Swevers et al. 1997), within the limits of position, velocity, acceleration and torque and above a
// floor. What it does not check: whether links touch each other or anything but the floor.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn::sim {

struct ExciteOptions {
  double duration_s = 10.0;
  int harmonics = 5;
  double margin = 0.8;              // share of the limits of position range, velocity and torque that is used
  double acceleration = 0.0;        // rad/s^2 or m/s^2; 0: what reaches the velocity limit in 0.4 s
  std::optional<double> floor_m{};  // minimum height of every joint and centre of mass, base frame
  unsigned seed = 1;
  int trials = 1500;
  std::function<void(double)> progress{};  // 0 to 1
};

struct Excitation {
  std::vector<double> time_s;
  std::vector<std::vector<double>> q;  // rows of coordinates, each 10 ms
  double log_det = 0.0, log_det_first = 0.0;
  double condition = 0.0;                         // of the regressor of the base parameters, its columns scaled to one
  double used_velocity = 0.0, used_torque = 0.0;  // of the limits, largest of all joints
  double lowest_m = 0.0;
};

// Throws ModelError if there is no motion within the limits.
[[nodiscard]] Excitation excite(const std::shared_ptr<const Model>& model, const ExciteOptions& options);

}  // namespace dyn::sim
