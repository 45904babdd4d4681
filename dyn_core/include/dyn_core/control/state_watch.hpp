// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Detects sensors that are frozen: they return the same finite numbers for ever. A joint is frozen where position and
// velocity do not change by a single bit although they must:
//   - the velocity is not zero, so the position should have changed by more than 5e-3 rad or m; or
//   - for the whole timeout the torque that should accelerate the joint has differed by more than friction can balance
//     from what it was when that began.
// Neither holds for an arm at rest, loaded or in contact, nor for a joint that stands while others move. Runs on the
// loop's thread. In src/control/cycle.cpp.
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
  // Call once a cycle. A state that is not the previous one to the last bit is not frozen.
  DYN_REALTIME void see(std::size_t i, double q, double v, double step_s) noexcept;
  // Call after see() where the state is the same. True where joint i is frozen for longer than `timeout_s` (0: never).
  // `push`: the last commanded effort, less what keeps the joint where it is; `moving_effort`: a change of `push` that
  // must move it.
  [[nodiscard]] DYN_REALTIME bool note(std::size_t i, double push, double moving_effort, double step_s,
                                       double timeout_s) noexcept;
  [[nodiscard]] DYN_REALTIME bool is_same(std::size_t i) const noexcept { return joints_[i].same_s > 0.0; }
  // The result of the last note().
  [[nodiscard]] DYN_REALTIME bool frozen(std::size_t i) const noexcept { return joints_[i].frozen; }
  // Whether the state is frozen, or has been the same for longer than `timeout_s` (0: never): together with a joint
  // that is frozen it may be too, at a velocity that does not show it yet.
  [[nodiscard]] DYN_REALTIME bool may_be_frozen(std::size_t i, double timeout_s) const noexcept {
    return frozen(i) || (timeout_s > 0.0 && joints_[i].same_s > timeout_s);
  }

 private:
  struct Joint {
    double q = NAN, v = NAN;
    double push_before = NAN;  // in the first note()
    double same_s = 0.0, pushed_s = 0.0;
    bool frozen = false;
  };
  std::vector<Joint> joints_;
};

}  // namespace dyn::control
