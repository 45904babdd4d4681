// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/velocity_guard.hpp"

#include <algorithm>
#include <cmath>

namespace dyn::control {
namespace {
constexpr int sweeps = 32;
constexpr double close_enough = 1e-6;  // of an acceleration, relative, and in rad/s^2 or m/s^2
}  // namespace

VelocityGuard::VelocityGuard(int max_coordinates)
    : joints_(max_coordinates), M_(max_coordinates), a_(max_coordinates), Minv_(max_coordinates * max_coordinates) {}

bool VelocityGuard::hold(const ConstMatrixRef<double>& M, VectorRef<double> tau) noexcept {
  n_ = static_cast<size_t>(tau.size());
  if (!factorise(M)) return false;
  const auto entry = [](size_t i) { return static_cast<Eigen::Index>(i); };
  for (size_t i = 0; i < n_; ++i) a_[i] = joints_[i].prescribed ? 0.0 : tau[entry(i)] - joints_[i].bias;
  M_.solve(a_.data());
  bool within = true;
  for (size_t i = 0; i < n_; ++i) within = within && excess(i) == 0.0;
  if (within) return false;
  invert();
  for (int sweep = 0; sweep < sweeps && !within; ++sweep) {
    within = true;
    for (size_t i = 0; i < n_; ++i) {
      if (excess(i) == 0.0) continue;
      within = false;
      brake(i, tau);
    }
  }
  return true;
}

// By how much the acceleration is out of its bounds, 0 if it is not.
double VelocityGuard::excess(size_t i) const noexcept {
  const VelocityGuardJoint& joint = joints_[i];
  const double over = a_[i] > joint.a_upper ? a_[i] - joint.a_upper : std::min(0.0, a_[i] - joint.a_lower);
  return std::abs(over) > close_enough * (1.0 + std::abs(a_[i])) ? over : 0.0;
}

// By its own torque; the rest by the other joints, in proportion to how much each accelerates this one.
void VelocityGuard::brake(size_t i, VectorRef<double>& tau) noexcept {
  const double* const column = Minv_.data() + i * n_;
  change(i, -excess(i) / column[i], tau);
  const double left = excess(i);
  if (left == 0.0) return;
  double sum = 0.0;
  for (size_t j = 0; j < n_; ++j) {
    const double range = joints_[j].effort_upper - joints_[j].effort_lower;
    if (j != i && std::isfinite(range)) sum += column[j] * column[j] * range * range;
  }
  if (!(sum > 0.0)) return;
  for (size_t j = 0; j < n_; ++j) {
    const double range = joints_[j].effort_upper - joints_[j].effort_lower;
    if (j != i && std::isfinite(range)) change(j, -left * column[j] * range * range / sum, tau);
  }
}

// Changes tau_j by `wanted`, as far as its effort limits allow.
void VelocityGuard::change(size_t j, double wanted, VectorRef<double>& tau) noexcept {
  double& effort = tau[j];
  const double lower = std::min(effort, joints_[j].effort_lower), upper = std::max(effort, joints_[j].effort_upper);
  const double changed = std::clamp(effort + wanted, lower, upper);
  const double done = changed - effort;
  effort = changed;  // not effort + done, which rounding may take beyond the limit
  for (size_t k = 0; k < n_; ++k) a_[k] += Minv_[j * n_ + k] * done;
}

bool VelocityGuard::factorise(const ConstMatrixRef<double>& M) noexcept {
  const int n = static_cast<int>(n_);
  M_.resize(n);
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c <= r; ++c) {
      const bool apart = joints_[r].prescribed || joints_[c].prescribed;
      M_.entry(r, c) = !apart ? M(r, c) : r == c ? 1.0 : 0.0;
    }
  }
  return M_.factorise() < 0;
}

void VelocityGuard::invert() noexcept {
  for (int i = 0; i < M_.rows(); ++i) M_.inverse_column(i, Minv_.data() + i * M_.rows());
}

}  // namespace dyn::control
