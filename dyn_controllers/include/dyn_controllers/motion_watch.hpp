// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Detects hardware whose state does not follow the torque, such as mock_components, which mirrors an effort and moves
// nothing, or brakes that are on: states stay the same to the last bit for half a second while some joint gets a torque
// that neither gravity nor friction can balance. Loop's thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "dyn_core/error.hpp"

namespace dyn_controllers {

class MotionWatch {
 public:
  explicit MotionWatch(std::size_t coordinates) : last_q_(coordinates, 0.0) {}

  DYN_REALTIME void reset() noexcept {
    pushed_s_ = 0.0;
    told_ = false;
  }

  // The coordinate whose torque has no effect, once after each reset(); -1 otherwise. The effort must be too large both
  // with and without gravity, so that it does not matter whether the drives compensate gravity themselves.
  // `threshold(i)`: a torque above it is sure to move the joint; infinity if no torque is commanded.
  template <class Threshold>
  DYN_REALTIME int note(std::span<const double> q, std::span<const double> effort, std::span<const double> gravity,
                        const Threshold& threshold, double period_s) noexcept {
    bool moved = false;
    int pushed = -1;
    for (std::size_t i = 0; i < last_q_.size(); ++i) {
      moved = moved || q[i] != last_q_[i];
      last_q_[i] = q[i];
      const double least = std::min(std::abs(effort[i]), std::abs(effort[i] - gravity[i]));
      if (pushed < 0 && least > threshold(i)) pushed = static_cast<int>(i);
    }
    pushed_s_ = moved || pushed < 0 ? 0.0 : pushed_s_ + period_s;
    constexpr double patience_s = 0.5;
    if (told_ || pushed_s_ < patience_s) return -1;
    told_ = true;
    return pushed;
  }

 private:
  std::vector<double> last_q_;
  double pushed_s_ = 0.0;
  bool told_ = false;
};

}  // namespace dyn_controllers
