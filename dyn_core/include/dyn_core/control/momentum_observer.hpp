// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// External torques without a sensor, from the generalised momentum p = M v. With pdot = tau + C^T v - g + tau_ext
// (which needs Mdot = C + C^T, so a C whose Mdot - 2C is skew),
//   r = K (p - p0 - int(tau + C^T v - g + r) dt),   rdot = K (tau_ext - r):
// a first-order filtered tau_ext. When the model changes or is ramped, p jumps by dM v without any torque: p0 follows
// (rebase), or the jump would appear as an external torque. Runs on the loop's thread. In
// src/control/stages/observer.cpp.
#pragma once

#include <span>
#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/numeric/types.hpp"

namespace dyn::control {

class MomentumObserver {
 public:
  explicit MomentumObserver(int max_coordinates);

  // M, C: n x n, the vectors: n entries, n at most max_coordinates; update() must have the n of the call before it.
  DYN_REALTIME void reset(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& v) noexcept;
  // The model has changed between two cycles: `jump` = dM v, the momentum step due to that. Coordinates from `kept` on
  // belong to other joints now and start anew at the momentum M v.
  DYN_REALTIME void rebase(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& v,
                           const ConstVectorRef<double>& jump, int kept) noexcept;
  // In place of rebase() where the momentum step is not known (a chain was detached): keeps the residuals of the first
  // `kept` coordinates; update() must not be called in this cycle.
  DYN_REALTIME void carry_over(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& v, double gain_per_s,
                               int kept) noexcept;
  // Renumbers: coordinate i continues the previous coordinate from[i], or is new, with residual 0, where from[i] < 0.
  // rebase() or carry_over() must be the next call.
  DYN_REALTIME void reorder(std::span<const int> from) noexcept;
  // One period (above 0) in which `tau` acted; M, C, g at the state at its end. gain_per_s: at least 0.
  DYN_REALTIME void update(const ConstMatrixRef<double>& M, const ConstMatrixRef<double>& C,
                           const ConstVectorRef<double>& g, const ConstVectorRef<double>& v,
                           const ConstVectorRef<double>& tau, double gain_per_s, double period_s) noexcept;
  [[nodiscard]] ConstVectorRef<double> residual() const noexcept { return {r_.data(), n_}; }

 private:
  void set_size(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& v) noexcept;

  std::vector<double> momentum_;  // expected: p0 + integral
  std::vector<double> rate_;      // tau + C^T v - g of the last cycle
  std::vector<double> r_, before_;
  int n_ = 0;
  bool has_rate_ = false;
};

}  // namespace dyn::control
