// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A sensor that hangs says the same number for ever, which is finite and believed. It is found out where position and
// velocity of a joint stay what they are to the last bit and cannot be true:
//   - the velocity says that the joint has moved on, and the position says that it has not; or
//   - the torque that should accelerate it has changed by more than friction may hide for as long, and nothing of that
//     is to be seen.
// An arm at rest, with whatever it carries or leans on, is none of the two, and neither is a joint that stands while
// others move. Runs on the loop's thread. In src/control/cycle.cpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "dyn_core/error.hpp"

namespace dyn::control {

class StateWatch {
 public:
  explicit StateWatch(std::size_t max_coordinates) : joints_(max_coordinates) {}

  DYN_REALTIME void reset() noexcept {
    for (Joint& joint : joints_) joint = {};
  }
  // Notes the state of joint i; true where it is the one before, to the last bit. Otherwise the joint is not frozen.
  [[nodiscard]] DYN_REALTIME bool repeats(std::size_t i, double q, double v) noexcept;
  // After a repetition: true where joint i is frozen, the same for longer than `timeout_s` (0: never said), and it
  // cannot be. `push`: the last commanded effort, less what keeps the joint where it is; `moving_effort`: a change of
  // it by this much moves the joint for sure.
  [[nodiscard]] DYN_REALTIME bool note(std::size_t i, double push, double moving_effort, double step_s,
                                       double timeout_s) noexcept;
  // As the last note() said.
  [[nodiscard]] DYN_REALTIME bool frozen(std::size_t i) const noexcept { return joints_[i].frozen; }

 private:
  struct Joint {
    double q = NAN, v = NAN;
    double push_before = 0.0;  // at the first repetition
    double same_s = 0.0, pushed_s = 0.0;
    bool frozen = false;
  };
  std::vector<Joint> joints_;
};

}  // namespace dyn::control
