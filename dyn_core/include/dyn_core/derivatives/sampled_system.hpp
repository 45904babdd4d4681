// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The robot as a sampled linear system about a state, for LQR, model predictive control, observers: with the deviations
// dx = (dq, dv) and a torque that is held over each period T,
//   dx_k+1 = A dx_k + B dtau_k,   A = exp(F T),  B = (integral of exp(F s), s from 0 to T) G
//   F = [0, 1; dqdd/dq, dqdd/dv],  G = [0; dqdd/dtau]
// Exact for the linear system; about a moving state F is taken as constant over the period. The constructor allocates
// all memory; update() is real-time safe.
#pragma once

#include <vector>

#include "dyn_core/derivatives.hpp"

namespace dyn {

class SampledSystem {
 public:
  explicit SampledSystem(int coordinates);

  // From the last update_forward() of the derivatives; their model must have so many coordinates. NaN where F is not
  // finite.
  DYN_REALTIME void update(const Derivatives& derivatives, double period_s) noexcept;
  [[nodiscard]] ConstMatrixRef<double> A() const noexcept;  // 2n x 2n
  [[nodiscard]] ConstMatrixRef<double> B() const noexcept;  // 2n x n

 private:
  int n_;
  std::vector<double> A_, B_, F_, G_, integral_, work_;
};

}  // namespace dyn
