// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A Butterworth low-pass of second order, run forwards and backwards: fourth order, no phase, -6 dB at its cutoff.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace dyn::sim::identify {

// What stands beyond the ends of a signal while it is filtered.
enum class Ends : std::uint8_t {
  mirrored,  // its mirror image: no more noise at the ends than inside
  straight,  // turned about the end of a line fitted to its first and last stretch: slopes go on
};

class LowPass {
 public:
  LowPass(double cutoff_hz, double rate_hz);

  // In place. Linear in x: whatever equation holds of samples holds of what is left of them.
  void apply(Eigen::Ref<Eigen::VectorXd> x, Ends ends) const;
  void apply_to_columns(Eigen::Ref<Eigen::MatrixXd> X, Ends ends) const;

  // Of white noise, the share of its power that is left.
  [[nodiscard]] double noise_power_gain() const noexcept { return noise_power_gain_; }
  // Samples at either end that know little of what was before or comes after.
  [[nodiscard]] Eigen::Index uncertain_ends() const noexcept { return uncertain_ends_; }

 private:
  double b_ = 0.0, a1_ = 0.0, a2_ = 0.0, noise_power_gain_ = 1.0;
  Eigen::Index padding_ = 0, line_ = 2, uncertain_ends_ = 0;
};

// Central differences of eighth order, with straight ends.
[[nodiscard]] Eigen::VectorXd differentiated(const Eigen::VectorXd& x, double step_s);

// Twenty times the frequency below which are 99 % of the power of the acceleration, where it stands ten times out of
// the noise of the upper quarter of the spectrum: friction turns round faster than the arm moves. A column a joint, as
// it was measured, since differentiating colours the noise. `order`: how often it is to be differentiated, 2 for
// positions. At most 0.4 of the rate.
[[nodiscard]] double choose_cutoff_hz(const Eigen::MatrixXd& measured, int order, double rate_hz);

}  // namespace dyn::sim::identify
