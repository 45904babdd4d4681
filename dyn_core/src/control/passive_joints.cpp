// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/passive_joints.hpp"

#include <iterator>

#include "dyn_core/precondition.hpp"

namespace dyn::control {

PassiveJoints::PassiveJoints(int max_coordinates)
    : passive_(max_coordinates), is_passive_(max_coordinates), A_(max_coordinates), x_(max_coordinates) {}

void PassiveJoints::choose(const std::vector<bool>& actuated, int robot_coordinates, int n) noexcept {
  DYN_EXPECTS(robot_coordinates <= n && n <= std::ssize(x_) && std::ssize(actuated) >= robot_coordinates);
  count_ = 0;
  n_ = n;
  for (int i = 0; i < n; ++i) {
    is_passive_[i] = i >= robot_coordinates || !actuated[i];
    if (is_passive_[i]) passive_[count_++] = i;
  }
  A_.resize(count_);
}

Status PassiveJoints::solve_accelerations(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& h,
                                          VectorRef<double> a) noexcept {
  DYN_EXPECTS(M.rows() == n_ && M.cols() == n_ && h.size() == n_ && a.size() == n_);
  if (count_ == 0) return {};
  for (int r = 0; r < count_; ++r) {
    const int i = coordinate(r);
    double rhs = -h[i];
    for (int j = 0; j < n_; ++j) {
      if (!is_passive_[j]) rhs -= M(i, j) * a[j];
    }
    x_[r] = rhs;
    for (int c = 0; c <= r; ++c) A_.entry(r, c) = M(i, coordinate(c));
  }
  const int failed = A_.factorise();
  if (failed >= 0) return Status::singular(coordinate(failed), A_.entry(failed, failed));
  A_.solve(x_.data());
  for (int r = 0; r < count_; ++r) a[coordinate(r)] = x_[r];
  return {};
}

void PassiveJoints::damp_swing(const ConstMatrixRef<double>& M, const ConstVectorRef<double>& v, double damping,
                               VectorRef<double> a) noexcept {
  DYN_EXPECTS(M.rows() == n_ && M.cols() == n_ && v.size() == n_ && a.size() == n_ && damping >= 0.0);
  if (count_ == 0 || damping == 0.0) return;
  double trace = 0.0;
  for (int r = 0; r < count_; ++r) {
    double rhs = 0.0;
    for (int c = 0; c < count_; ++c) rhs += damping * M(coordinate(r), coordinate(c)) * v[coordinate(c)];
    x_[r] = rhs;
    for (int c = 0; c <= r; ++c) {
      double sum = 0.0;
      for (int j = 0; j < n_; ++j) {
        if (!is_passive_[j]) sum += M(coordinate(r), j) * M(coordinate(c), j);
      }
      A_.entry(r, c) = sum;
    }
    trace += M(coordinate(r), coordinate(r)) * M(coordinate(r), coordinate(r));
  }
  // eps, so that da stays small where the arm cannot influence the swing (Mpa near 0): 1 % of the mean Mpp^2.
  for (int r = 0; r < count_; ++r) A_.entry(r, r) += 1e-2 * trace / count_;
  if (A_.factorise() >= 0) return;
  A_.solve(x_.data());
  for (int j = 0; j < n_; ++j) {
    if (is_passive_[j]) continue;
    for (int r = 0; r < count_; ++r) a[j] += M(coordinate(r), j) * x_[r];
  }
}

}  // namespace dyn::control
