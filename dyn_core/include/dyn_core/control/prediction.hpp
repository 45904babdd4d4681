// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A torque is held for a whole period, so that one computed from the state at its beginning is half a period old on
// average: a first-order error. Evaluated at the state and the reference `prediction` periods ahead (0.5 compensates
// the hold, more a known delay), the sampled law is second order in the period. The *error* is what is predicted:
// only the feedback accelerates it, so that the state, predicted as reference less error, has the whole
// curvature of the reference. (A state extrapolated with constant acceleration has not: the jerk of a fast arm
// causes a velocity error of jerk T^2/8, which the feedback then follows: 80 times worse.) Runs on the loop's thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "dyn_core/error.hpp"

namespace dyn::control {

// Motion of one coordinate after a time under constant acceleration.
struct Point {
  double q = 0.0, v = 0.0, a = 0.0;

  [[nodiscard]] DYN_REALTIME Point after(double time_s) const noexcept {
    return {q + (v + 0.5 * a * time_s) * time_s, v + a * time_s, a};
  }
  // The same, but it stays where it comes to rest within that time.
  [[nodiscard]] DYN_REALTIME Point until_rest(double time_s) const noexcept {
    return after(v * a < 0.0 ? std::min(time_s, -v / a) : time_s);
  }
};

// A reference `shift_s` after (or before) the time of `now`: third-order Taylor series with the jerk of the last two
// accelerations, (a - last_a) / T (second order in the period).
[[nodiscard]] DYN_REALTIME Point shift_reference(const Point& now, double last_a, double shift_s,
                                                 double period_s) noexcept;

// The accelerations commanded in the last cycles, the oldest overwritten: with a delay of k cycles the arm is still
// following the command of k cycles ago. For a coordinate with a reference: those of its error, that is, less what the
// feedback adds.
template <std::size_t Cycles>
class CommandHistory {
 public:
  void reset() noexcept { values_.fill(0.0); }
  void push(double a) noexcept {
    head_ = (head_ + 1) % Cycles;
    values_[head_] = a;
  }
  // back = 1: the last one.
  [[nodiscard]] double at(std::size_t back) const noexcept { return values_[(head_ + Cycles + 1 - back) % Cycles]; }
  static constexpr std::size_t cycles = Cycles;

 private:
  std::array<double, Cycles> values_{};
  std::size_t head_ = 0;
};
using Commands = CommandHistory<8>;

// The state, or the error, `prediction` periods ahead: whole periods under commands that were given but do not act yet,
// the rest under the acceleration next_a that will be commanded.
[[nodiscard]] DYN_REALTIME Point predict(Point now, const Commands& commands, double next_a, double prediction,
                                         double period_s) noexcept;

// By how much feedback is scaled where a torque acts for hold_s, longer than a period: a velocity error that is fed
// back at this rate, 1/s, then changes by at most one half in that time.
[[nodiscard]] DYN_REALTIME double scale_by_hold(double rate_per_s, double hold_s, double period_s) noexcept;
// And how large p may be there: p / d stays at or below 1 / hold_s. From 2 / hold_s on a position error that is fed
// back grows, however small both gains are.
[[nodiscard]] DYN_REALTIME double stiffness_by_hold(double p, double d, double hold_s, double period_s) noexcept;

}  // namespace dyn::control
