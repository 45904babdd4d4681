// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M of this project's own `fused`. double runs the lane form, src/fused/: M, C, g and h by one pass, in the same axes.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/fused_form.hpp"
#include "dyn_core/kinematics/chain_points.hpp"
#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::jsim {

// This project's own: everything in base axes, moments about one point P a chain (chain_points.hpp), so that composite
// inertias are plain sums along it. One body: mass m, first moment h = m c with c seen from P, second moment about P
// G = S + m c c^T with S = tr(I)/2 - I. The rotational inertia acts as I x = tr(G) x - G x. From a chain to its
// parent chain, P = P' + d:  h' = h + m d,  G' = G + h d^T + d h^T + m d d^T;  a force (f, n) has n' = n + d x f there.
template <class T>
class Fused : public FusedForm {
 public:
  static constexpr std::string_view source = "dyn_control docs/algorithms.md";
  static constexpr unsigned needs = needs_inertias;

  explicit Fused(int capacity) : points_(capacity), mass_(capacity), h_(capacity), G_(capacity) {}

  // in: ws.R, origin, axis, com, inertia.  out: M, symmetric, in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> M) noexcept {
    DYN_EXPECTS(fits(tree, ws, M));
    points_.update(tree, ws);
    sum_subtrees(tree, ws);
    M.setZero();
    for (int i = 0; i < tree.size; ++i) {
      const Twist Ji = unit_twist(tree, ws, i);
      // F = (m Jv + Jw x h, I Jw + h x Jv)
      const Vec3<T> force = Ji.linear * mass_[i] + Ji.angular.cross(h_[i]);
      Vec3<T> moment = Ji.angular * G_[i].trace() - G_[i] * Ji.angular + h_[i].cross(Ji.linear);
      for (int j = i; j >= 0; j = tree.parent[j]) {
        const Twist Jj = unit_twist(tree, ws, j);
        M(i, j) = M(j, i) = force.dot(Jj.linear) + moment.dot(Jj.angular);  // M_ij = F_i . J_j
        if (points_.starts_chain(tree, j)) moment += points_.offset(j).cross(force);
      }
    }
  }

 private:
  struct Twist {
    Vec3<T> linear, angular;  // of the point of the body that is at P
  };

  Twist unit_twist(const Tree& tree, const Workspace<T>& ws, int i) const noexcept {
    if (tree.motion[i] == Motion::prismatic) return {ws.axis[i], Vec3<T>::Zero()};
    return {(ws.origin[i] - points_.point(i)).cross(ws.axis[i]), ws.axis[i]};
  }

  void sum_subtrees(const Tree& tree, const Workspace<T>& ws) noexcept {
    for (int i = 0; i < tree.size; ++i) {
      const Vec3<T> c = ws.com[i] - points_.point(i);
      mass_[i] = T(tree.mass[i]);
      h_[i] = c * mass_[i];
      G_[i] = Mat3<T>::Identity() * (ws.inertia[i].trace() * T(0.5)) - ws.inertia[i] + h_[i] * c.transpose();
    }
    for (int i = tree.size; i-- > 0;) {
      if (tree.parent[i] < 0) continue;
      const int p = tree.parent[i];
      mass_[p] += mass_[i];
      h_[p] += h_[i];
      G_[p] += G_[i];
      if (points_.starts_chain(tree, i)) {
        const Vec3<T>& d = points_.offset(i);
        const Vec3<T> md = d * mass_[i];
        h_[p] += md;
        G_[p] += h_[i] * d.transpose() + d * (h_[i] + md).transpose();
      }
    }
  }

  ChainPoints<T> points_;
  std::vector<T> mass_;
  std::vector<Vec3<T>> h_;
  std::vector<Mat3<T>> G_;
};

}  // namespace dyn::jsim
