// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Hardware whose state does not follow the torque: mock_components mirrors an effort and moves nothing; brakes that are
// on do the same. Told by states that stay what they are to the last bit for half a second while some joint gets
// a torque that neither gravity nor friction can balance. Loop's thread.
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

  // The coordinate that is pushed in vain, once after each reset(); -1 otherwise. Whether the drives carry gravity
  // themselves makes no difference: the effort must be too large with it and without it. `threshold(i)`: what a torque
  // must exceed to move the joint for sure; infinity where no torque is commanded.
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
