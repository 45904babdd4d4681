// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// How late a commanded torque acts, from the motion itself. What acted over the last period, by the momentum p = M v,
//   tau_seen = dp/dt - C^T v + g,
// is compared with what was commanded so many periods before, both as accelerations of the joint, weighted by the root
// of its inertia (tau over sqrt M_ii), and through the same band-pass, which takes away constant and slow errors of the
// model, and noise. The mean square of the difference, as a function of the lag, is least where the torque of that lag
// is the one that acts: the cross-correlation of both with its energies; a parabola through the three lowest gives
// fractions of a period. A torque that acts from the cycle of its command on has the delay 0; `prediction` half a
// period more makes up for its being held.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "dyn_core/dynamics.hpp"

namespace dyn::control {

struct DelayEstimate {
  double periods = 0.0;
  double deviation = 0.0;  // standard deviation of that
  double explained = 0.0;  // share of the seen accelerations that the commanded ones explain at that delay, 0 to 1
  bool known = false;      // the arm has moved enough, and the model explains how

  [[nodiscard]] double proposed_prediction() const noexcept { return periods + 0.5; }
};

class DelayEstimator {
 public:
  static constexpr int most_periods = 7;

  DelayEstimator(int max_coordinates, double period_s);

  // The loop, once a cycle, after its torque was found: `dynamics` at the state or near it, `v` measured, `effort` as
  // commanded in this cycle, with the drive's own gravity where that adds it. n: coordinates, fewer or as many as of v.
  DYN_REALTIME void update(const Dynamics& dynamics, std::span<const double> v, std::span<const double> effort,
                           int n) noexcept;
  // The next cycle does not follow this one: another model, a lost state, another controller in between. What was
  // learnt stays.
  DYN_REALTIME void interrupt() noexcept { cycles_ = 0; }
  DYN_REALTIME void reset() noexcept;
  [[nodiscard]] DYN_REALTIME DelayEstimate estimate() const noexcept;

 private:
  static constexpr int lags = most_periods + 3;  // from one before the earliest to one after the latest
  struct BandPass {
    double mean = 0.0, smooth = 0.0;
  };
  struct Joint {
    double momentum = 0.0, rate = 0.0;
    BandPass of_seen, of_commanded;
    std::array<double, lags> commanded{};  // the newest at head_
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
