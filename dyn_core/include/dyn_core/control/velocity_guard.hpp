// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Changes torques that would drive a joint beyond its velocity limit, for every law, also where effort limits of other
// joints are active. With the torque tau the next velocities are
//   v + T M^-1 (tau - h + tau_external).
// Where one of them leaves its bounds, tau is changed as little as possible (least |da|_M, Gauss): each joint
// brakes itself, and where its effort limit is too small for that, the others help. Within the bounds tau is unchanged,
// to the bit. Runs on the loop's thread.
#pragma once

#include <vector>

#include "dyn_core/control/cholesky_factor.hpp"
#include "dyn_core/error.hpp"
#include "dyn_core/numeric/types.hpp"

namespace dyn::control {

// Of one coordinate, in this cycle. SI units of the joint.
struct VelocityGuardJoint {
  double bias = 0.0;                              // h - tau_external
  double effort_lower = 0.0, effort_upper = 0.0;  // both 0: nothing drives it
  double a_lower = 0.0, a_upper = 0.0;            // accelerations that keep its velocity in bounds; infinite: none
  bool prescribed = false;                        // another controller moves it: its acceleration is taken as 0
};

class VelocityGuard {
 public:
  explicit VelocityGuard(int max_coordinates);

  // By coordinate; to be set before hold().
  [[nodiscard]] DYN_REALTIME VelocityGuardJoint& joint(int i) noexcept { return joints_[i]; }
  // True where tau, of n coordinates, was changed. A singular M changes nothing.
  DYN_REALTIME bool hold(const ConstMatrixRef<double>& M, VectorRef<double> tau) noexcept;

 private:
  [[nodiscard]] bool factorise(const ConstMatrixRef<double>& M) noexcept;
  [[nodiscard]] double excess(size_t i) const noexcept;
  void invert() noexcept;
  void change(size_t j, double wanted, VectorRef<double>& tau) noexcept;
  void brake(size_t i, VectorRef<double>& tau) noexcept;

  size_t n_ = 0;
  std::vector<VelocityGuardJoint> joints_;
  CholeskyFactor M_;
  std::vector<double> a_;     // M^-1 (tau - bias)
  std::vector<double> Minv_;  // by columns
};

}  // namespace dyn::control
