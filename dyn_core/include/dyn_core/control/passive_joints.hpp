// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Passive joints, which have no motor (paper 002: a payload on a joint of its own). With a: actuated, p: passive,
//   [Maa Map; Mpa Mpp] [aa; ap] + [ha; hp] = [tau; 0],
// partial feedback linearisation of the actuated ones: choose aa, then ap = -Mpp^-1 (Mpa aa + hp), tau = Maa aa + Map
// ap + ha. Runs on the loop's thread.
#pragma once

#include <span>
#include <vector>

#include "dyn_core/control/cholesky_factor.hpp"
#include "dyn_core/error.hpp"
#include "dyn_core/numeric/types.hpp"

namespace dyn::control {

class PassiveJoints {
 public:
  explicit PassiveJoints(int max_coordinates);

  // Which of the n coordinates, at most max_coordinates, are passive: those of payloads, from robot_coordinates on, and
  // those that are not actuated. The calls below take matrices n x n and vectors of n entries.
  DYN_REALTIME void choose(const std::vector<bool>& actuated, int robot_coordinates, int n) noexcept;
  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] std::span<const int> coordinates() const noexcept {
    return {passive_.data(), static_cast<size_t>(count_)};
  }

  // in: entries of a for actuated coordinates.  out: those of passive ones. Singular if Mpp is.
  DYN_REALTIME Status solve_accelerations(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& h,
                                          VectorRef<double> a) noexcept;

  // Anti-swing: adds to the actuated accelerations the least change that adds -damping * v to the passive ones,
  //   Mpa da = damping Mpp vp  =>  da = Mpa^T (Mpa Mpa^T + eps)^-1 damping Mpp vp.
  DYN_REALTIME void damp_swing(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& v, double damping,
                               VectorRef<double> a) noexcept;

 private:
  [[nodiscard]] int coordinate(int k) const noexcept { return passive_[k]; }

  std::vector<int> passive_;
  std::vector<bool> is_passive_;
  CholeskyFactor A_;  // of count x count
  std::vector<double> x_;
  int count_ = 0;
  int n_ = 0;
};

}  // namespace dyn::control
