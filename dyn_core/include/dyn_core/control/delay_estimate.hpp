// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The delay of commanded torques, estimated from the motion. The torque that acted over the last period, from the
// momentum p = M v,
//   tau_seen = dp/dt - C^T v + g,
// is compared with the torques commanded 0, 1, 2, .. periods before, both divided by sqrt(M_ii) and passed through the
// same band-pass, which removes constant and slow errors of the model, and noise. The mean square of the difference as
// a function of the lag is least at the delay; a parabola through the three lowest values gives fractions of a period.
// A torque that acts from the cycle of its command on has the delay 0; `prediction` adds half a period for its being
// held.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "dyn_core/dynamics.hpp"

namespace dyn::control {

struct DelayEstimate {
  double periods = 0.0;
  double deviation = 0.0;  // standard deviation of `periods`
  double explained = 0.0;  // share of tau_seen that the commanded torques explain at that delay, 0 to 1
  bool known = false;      // the arm has moved enough, and the model explains the motion

  [[nodiscard]] double proposed_prediction() const noexcept { return periods + 0.5; }
};

class DelayEstimator {
 public:
  static constexpr int most_periods = 7;

  DelayEstimator(int max_coordinates, double period_s);

  // The loop, once a cycle, after its torque is known: `dynamics` at the state predicted for `ahead` periods later, `v`
  // measured, `effort` as commanded in this cycle, with gravity where the drive adds that itself. n: coordinates, at
  // most those of v.
  DYN_REALTIME void update(const Dynamics& dynamics, double ahead, std::span<const double> v,
                           std::span<const double> effort, int n) noexcept;
  // The next cycle does not follow this one: another model, a lost state, another controller in between. Keeps the
  // estimate.
  DYN_REALTIME void interrupt() noexcept { cycles_ = 0; }
  DYN_REALTIME void reset() noexcept;
  [[nodiscard]] DYN_REALTIME DelayEstimate estimate() const noexcept;

 private:
  static constexpr int lags = most_periods + 3;  // from one before the earliest to one after the latest
  struct BandPass {
    double mean = 0.0, smooth = 0.0;
  };
  struct Joint {
    double momentum = 0.0, coriolis = 0.0, gravity = 0.0;  // of the cycle before: (M v)_i, (C^T v)_i, g_i
    BandPass of_seen, of_commanded;
    // Twice, one behind the other, so that the last `lags` values are contiguous: the newest at head_, older ones after
    // it.
    std::array<double, 2 * lags> commanded{};
  };

  [[nodiscard]] DYN_REALTIME double passed(BandPass& filter, double x) const noexcept;

  const double period_s_;
  const double high_pass_, low_pass_, forget_;  // shares a period
  const int settled_cycles_;
  std::vector<Joint> joints_;
  std::array<double, lags> squares_{};  // of the difference, by lag
  double energy_ = 0.0;                 // squares of what was seen
  double weight_ = 0.0;                 // cycles that count
  int cycles_ = 0, head_ = 0;
};

}  // namespace dyn::control
