// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dyn::sim {

// The progress along a move and its derivatives: s from 0 to 1.
struct Progress {
  double s = 0.0, rate = 0.0, acceleration = 0.0;
};

// s = x^3 (10 - 15 x + 6 x^2); the largest velocity is 15/8.
inline Progress quintic(double x, double duration_s) noexcept {
  const double y = 1.0 - x;
  return {x * x * x * (10.0 + x * (-15.0 + 6.0 * x)), 30.0 * x * x * y * y / duration_s,
          60.0 * x * y * (1.0 - 2.0 * x) / (duration_s * duration_s)};
}

}  // namespace dyn::sim
