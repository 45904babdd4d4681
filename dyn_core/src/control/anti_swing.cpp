// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/anti_swing.hpp"

#include <algorithm>

#include "dyn_core/kinematics/kinematics.hpp"

namespace dyn::control {

AntiSwing::AntiSwing(int max_bodies, int max_coordinates)
    : ws_(max_bodies),
      rate_(max_coordinates),
      J_(max_coordinates),
      coupling_(max_coordinates * max_coordinates),
      body_(max_coordinates) {}

void AntiSwing::damp(const Tree& tree, const ConstVectorRef<double>& q, const ConstVectorRef<double>& v,
                     const ConstMatrixRef<double>& M, double damping, PassiveJoints& passive,
                     const VectorRef<double>& a) noexcept {
  const int n = static_cast<int>(v.size());
  if (passive.count() == 0 || tree.size > ws_.capacity) return;
  spread_positions(tree, q.data(), ws_);
  spread_rates(tree, v.data(), ws_.v);
  update_kinematics(tree, ws_, needs_velocities);
  for (int i = tree.size - 1; i >= 0; --i) body_[tree.coordinate[i]] = i;  // a rotor stands behind its joint's body

  const MatrixRef<double> coupling(coupling_.data(), n, n, Eigen::OuterStride<>(n));
  for (int c = 0; c < n; ++c) {
    rate_[c] = v[c];
    for (int r = 0; r < n; ++r) coupling_[c * n + r] = M(r, c);
  }
  for (const int p : passive.coordinates()) {
    const int b = body_[p];
    if (tree.motion[b] != Motion::revolute) continue;
    rate_[p] = ws_.omega[b].dot(ws_.axis[b]);
    std::fill_n(J_.data(), n, 0.0);
    for (int j = tree.parent[b]; j >= 0; j = tree.parent[j]) {
      const int u = j;
      if (tree.motion[u] == Motion::revolute) J_[tree.coordinate[u]] += tree.ratio[u] * ws_.axis[b].dot(ws_.axis[u]);
    }
    for (int c = 0; c < n; ++c) {
      for (const int r : passive.coordinates()) coupling_[c * n + r] -= M(r, p) * J_[c];
    }
  }
  // damp_swing() reads Mpp from the same matrix: the columns of passive joints get M itself, without the term Mpp J.
  for (const int r : passive.coordinates()) {
    for (const int c : passive.coordinates()) coupling_[c * n + r] = M(r, c);
  }
  passive.damp_swing({coupling.data(), n, n, Eigen::OuterStride<>(n)}, {rate_.data(), n}, damping, a);
}

}  // namespace dyn::control
