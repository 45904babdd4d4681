// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The drives and sensors between a controller and an arm, the same for every engine: drives with delay and limits,
// sensors with noise and finite resolution. Only the constructors and fit() allocate.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "dyn_sim/plant.hpp"

namespace dyn::sim {

// Throws ModelError if the step is not 0 and shorter than shortest_step_s.
void check_step(double step_s);
// Throws ModelError if the robot lacks a link that is pushed.
void check_pushes(const Model& model, std::span<const Push> pushes);
// Equal steps of at most `wanted_s`, which was checked, that fill a period.
[[nodiscard]] int steps_in(double period_s, double wanted_s) noexcept;

class Drives {
 public:
  explicit Drives(const PlantSettings& settings);

  // The arm has other coordinates from now on; delayed commands of coordinates that stay are kept.
  void fit(const Model& model, const std::vector<int>& same);
  void reset() noexcept;
  void take_over(const Drives& before, std::span<const int> from) noexcept;
  // The command of delay_cycles ago, within the limits of the drive, which acts for the next period.
  void take(std::span<const double> commanded) noexcept;
  [[nodiscard]] const std::vector<double>& effort() const noexcept { return effort_; }

 private:
  bool limited_;
  std::vector<double> limit_, effort_;
  std::vector<std::vector<double>> delayed_;  // ring of delay_cycles + 1
  std::size_t head_ = 0;
};

class Sensors {
 public:
  Sensors(const NoiseSettings& noise, unsigned seed);

  void joints(std::span<const double> q, std::span<const double> v, std::span<double> seen_q, std::span<double> seen_v);
  void torque(std::span<double> tau);  // in place

 private:
  NoiseSettings noise_;
  std::mt19937_64 joint_random_, torque_random_;  // two, so that reading torques does not change the encoders' noise
  std::normal_distribution<double> joint_normal_, torque_normal_;
};

}  // namespace dyn::sim
