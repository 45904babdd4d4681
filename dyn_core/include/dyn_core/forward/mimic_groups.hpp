// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Mimic joints in the O(n) forward dynamics. The joints of the bodies that share one coordinate form a group. The
// recursions treat the joints of groups as *driven*: their accelerations are given, the forces that these require are
// computed (hybrid dynamics, Featherstone 2008, chapter 9). Driven joints need no pivot, so that their bodies may be
// massless. With x = G y the accelerations of the driven joints and F(load, x) the forces:
//   G^T F(0, G e_k) = column k of A,   (A + armature) y = tau - G^T F(load, 0)
// a small system with a row for each group; then the recursion once more with x = G y. O(n) a group.
#pragma once

#include <cmath>
#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/forward/pivot_scale.hpp"
#include "dyn_core/kinematics/workspace.hpp"

namespace dyn::forward {

template <class T>
class MimicGroups {
 public:
  explicit MimicGroups(int capacity)
      : acceleration(capacity),
        force(capacity),
        leader_(capacity),
        group_(capacity),
        coordinate_(capacity),
        matrix_((capacity / 2) * (capacity / 2)),
        rhs_(capacity),
        sum_(capacity) {}

  // One entry a body. The recursion reads the accelerations of driven joints and writes all others; it writes the
  // forces of driven joints.
  std::vector<T> acceleration, force;

  void find(const Tree& tree) noexcept {
    size_ = 0;
    for (int c = 0; c < tree.coordinates; ++c) leader_[c] = group_[c] = -1;
    for (int i = 0; i < tree.size; ++i) {
      int& leader = leader_[tree.coordinate[i]];
      if (leader < 0 && tree.ratio[i] == 1.0) leader = i;
    }
    if (!tree.has_mimic) return;
    for (int i = 0; i < tree.size; ++i) {
      const int c = tree.coordinate[i];
      if (leader_[c] == i || group_[c] >= 0) continue;
      coordinate_[size_] = c;
      group_[c] = size_++;
    }
  }

  [[nodiscard]] bool driven(const Tree& tree, int i) const noexcept {
    return size_ > 0 && group_[tree.coordinate[i]] >= 0;
  }

  // The first body that a coordinate moves with ratio 1.
  [[nodiscard]] int leader(int coordinate) const noexcept { return leader_[coordinate]; }

  [[nodiscard]] Status check(const Tree& tree, ConstVectorRef<T> tau) const noexcept {
    using std::isfinite;
    for (int c = 0; c < tree.coordinates; ++c) {
      if (!isfinite(tau[c])) return Status::not_finite(leader(c), static_cast<double>(tau[c]));
    }
    return {};
  }

  // recursion(bool loaded): one pass over the tree; loaded: with tau, gravity and velocities, else without all three.
  template <class Recursion>
  Status solve(const Tree& tree, const PivotScale<T>& scale, ConstVectorRef<T> tau, VectorRef<T> qdd,
               Recursion&& recursion) noexcept {
    if (size_ > 0) {
      clear_y();
      drive(tree);
      recursion(true);
      project(tree, sum_);
      for (int k = 0; k < size_; ++k) column(tree, k, recursion);
      for (int k = 0; k < size_; ++k) rhs_[k] = tau[coordinate_[k]] - sum_[k];
      const Status status = solve_groups(tree, scale);
      if (!status.ok()) return status;
      drive(tree);
    }
    recursion(true);
    for (int c = 0; c < tree.coordinates; ++c) qdd[c] = acceleration[leader(c)];
    return {};
  }

 private:
  T& matrix(int i, int j) noexcept { return matrix_[i * size_ + j]; }

  void clear_y() noexcept {
    for (int k = 0; k < size_; ++k) rhs_[k] = T(0.0);
  }

  // x = G y, y in rhs_
  void drive(const Tree& tree) noexcept {
    for (int i = 0; i < tree.size; ++i) {
      if (driven(tree, i)) acceleration[i] = T(tree.ratio[i]) * rhs_[group_[tree.coordinate[i]]];
    }
  }

  // G^T force
  void project(const Tree& tree, std::vector<T>& to) noexcept {
    for (int k = 0; k < size_; ++k) to[k] = T(0.0);
    for (int i = 0; i < tree.size; ++i) {
      if (driven(tree, i)) to[group_[tree.coordinate[i]]] += T(tree.ratio[i]) * force[i];
    }
  }

  template <class Recursion>
  void column(const Tree& tree, int k, Recursion&& recursion) noexcept {
    clear_y();
    rhs_[k] = T(1.0);
    drive(tree);
    recursion(false);
    project(tree, rhs_);
    for (int i = 0; i < size_; ++i) matrix(i, k) = rhs_[i];
    matrix(k, k) += T(tree.armature[coordinate_[k]]);
  }

  // L D L^T of the lower triangle; rhs becomes y.
  Status solve_groups(const Tree& tree, const PivotScale<T>& scale) noexcept {
    for (int k = 0; k < size_; ++k) {
      const T pivot = matrix(k, k);
      if (PivotScale<T>::vanishes(pivot, group_scale(tree, scale, k))) {
        return Status::singular(leader(coordinate_[k]), static_cast<double>(pivot));
      }
      for (int i = k + 1; i < size_; ++i) {
        const T l = matrix(i, k) / pivot;
        for (int j = k + 1; j <= i; ++j) matrix(i, j) -= l * matrix(j, k);
        rhs_[i] -= l * rhs_[k];
      }
    }
    for (int k = size_ - 1; k >= 0; --k) {
      for (int i = k + 1; i < size_; ++i) rhs_[k] -= matrix(i, k) * rhs_[i];
      rhs_[k] /= matrix(k, k);
    }
    return {};
  }

  T group_scale(const Tree& tree, const PivotScale<T>& scale, int k) const noexcept {
    T sum(0.0);
    for (int i = 0; i < tree.size; ++i) {
      if (tree.coordinate[i] == coordinate_[k]) sum += T(tree.ratio[i] * tree.ratio[i]) * scale.scale(tree, i);
    }
    return sum;
  }

  std::vector<int> leader_, group_;  // of a coordinate; -1: none
  std::vector<int> coordinate_;      // of a group
  int size_ = 0;                     // groups
  std::vector<T> matrix_, rhs_, sum_;
};

}  // namespace dyn::forward
