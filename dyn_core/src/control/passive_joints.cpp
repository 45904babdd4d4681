// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/passive_joints.hpp"

#include <cmath>
#include <iterator>

#include "dyn_core/precondition.hpp"

namespace dyn::control {

PassiveJoints::PassiveJoints(int max_coordinates)
    : passive_(max_coordinates),
      is_passive_(max_coordinates),
      A_(max_coordinates * max_coordinates),
      x_(max_coordinates) {}

void PassiveJoints::choose(const std::vector<bool>& actuated, int robot_coordinates, int n) noexcept {
  DYN_EXPECTS(robot_coordinates <= n && n <= std::ssize(x_) && std::ssize(actuated) >= robot_coordinates);
  count_ = 0;
  n_ = n;
  for (int i = 0; i < n; ++i) {
    is_passive_[i] = i >= robot_coordinates || !actuated[i];
    if (is_passive_[i]) passive_[count_++] = i;
  }
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
    for (int c = 0; c <= r; ++c) A_[r * count_ + c] = M(i, coordinate(c));
  }
  const int failed = factorise();
  if (failed >= 0) return Status::singular(coordinate(failed), A_[failed * count_ + failed]);
  substitute();
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
      A_[r * count_ + c] = sum;
    }
    trace += M(coordinate(r), coordinate(r)) * M(coordinate(r), coordinate(r));
  }
  // Where the arm cannot reach the swing (Mpa near 0) it should not try: 1 % of the mean Mpp^2 is added.
  for (int r = 0; r < count_; ++r) A_[r * count_ + r] += 1e-2 * trace / count_;
  if (factorise() >= 0) return;
  substitute();
  for (int j = 0; j < n_; ++j) {
    if (is_passive_[j]) continue;
    for (int r = 0; r < count_; ++r) a[j] += M(coordinate(r), j) * x_[r];
  }
}

int PassiveJoints::factorise() noexcept {
  for (int r = 0; r < count_; ++r) {
    for (int c = 0; c <= r; ++c) {
      double sum = A_[r * count_ + c];
      const double diagonal = sum;
      for (int k = 0; k < c; ++k) sum -= A_[r * count_ + k] * A_[c * count_ + k];
      if (r != c) {
        A_[r * count_ + c] = sum / A_[c * count_ + c];
      } else if (sum > 1e-13 * diagonal) {
        A_[r * count_ + c] = std::sqrt(sum);
      } else {
        A_[r * count_ + c] = sum;
        return r;
      }
    }
  }
  return -1;
}

void PassiveJoints::substitute() noexcept {
  for (int r = 0; r < count_; ++r) {
    for (int k = 0; k < r; ++k) x_[r] -= A_[r * count_ + k] * x_[k];
    x_[r] /= A_[r * count_ + r];
  }
  for (int r = count_ - 1; r >= 0; --r) {
    for (int k = r + 1; k < count_; ++k) x_[r] -= A_[k * count_ + r] * x_[k];
    x_[r] /= A_[r * count_ + r];
  }
}

}  // namespace dyn::control
