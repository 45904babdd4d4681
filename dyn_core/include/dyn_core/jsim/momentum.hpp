// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by generalized momentum: a method that paper 000 (Wang and Ju) compares its own with in Table 1. The number of
// operations is that of the table, which the tests count: full products of Jacobians, zeros included.
// double runs the lane form, src/jsim/momentum_lanes.cpp: the same products, zeros left out.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::jsim {

// M = sum over bodies l of  m_l Jp^T Jp + Jo^T I_l Jo,  with Jp and Jo (3 x n) the Jacobians of the body's centre of
// mass and of its orientation:  column k is  (n_k x (c_l - o_k), n_k)  for a revolute joint that supports l,
// (n_k, 0) for a prismatic one, 0 for a joint that does not support l.
template <class T>
class Momentum {
 public:
  static constexpr std::string_view name = "momentum";
  static constexpr std::string_view source = "000 Wang and Ju, Table 1 (generalized momentum)";
  static constexpr std::string_view lane_form = "src/jsim/momentum_lanes.cpp";
  static constexpr unsigned needs = needs_inertias;

  explicit Momentum(int capacity) : Jp_(capacity), Jo_(capacity), I_Jo_(capacity) {}

  // in: ws.origin, axis, com, inertia.  out: M, symmetric, in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> M) noexcept {
    DYN_EXPECTS(fits(tree, ws, M));
    const int n = tree.size;
    M.setZero();
    for (int l = 0; l < n; ++l) {
      build_jacobians(tree, ws, l);
      const T mass = T(tree.mass[l]);
      for (int k = 0; k < n; ++k) I_Jo_[k] = ws.inertia[l] * Jo_[k];
      for (int k = 0; k < n; ++k) {
        for (int u = 0; u < n; ++u) {
          M(u, k) += mass * Jp_[u].dot(Jp_[k]) + Jo_[u].dot(I_Jo_[k]);
        }
      }
    }
    for (int k = 0; k < n; ++k) {  // Jo_u . (I Jo_k) and Jo_k . (I Jo_u) round differently
      for (int u = 0; u < k; ++u) M(u, k) = M(k, u);
    }
  }

 private:
  void build_jacobians(const Tree& tree, const Workspace<T>& ws, int l) noexcept {
    for (int k = 0; k < tree.size; ++k) {
      Jp_[k].setZero();
      Jo_[k].setZero();
    }
    for (int k = l; k >= 0; k = tree.parent[k]) {
      const Vec3<T>& axis = ws.axis[k];
      if (tree.motion[k] == Motion::prismatic) {
        Jp_[k] = axis;
      } else {
        Jp_[k] = axis.cross(Vec3<T>(ws.com[l] - ws.origin[k]));
        Jo_[k] = axis;
      }
    }
  }

  std::vector<Vec3<T>> Jp_, Jo_;  // columns, of the current body
  std::vector<Vec3<T>> I_Jo_;
};

}  // namespace dyn::jsim
