// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// C by Kronecker products, paper 004 (Truc, Quyen and Quang). Runs in the control loop: compute() does not allocate.
// double runs the lane form, src/coriolis/kronecker_lanes.cpp: entries dM_ij/dq_k of W joints i side by side, used for
// U and V at once.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/inertia_derivatives.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::coriolis {

// Eq 52:  C = 1/2 [ dM/dq (1 (x) v) + dM/dq (v (x) 1) - (dM/dq (v (x) 1))^T ] = 1/2 (U + V - V^T)
// dM/dq is n x n^2, entry (i, j n + k) = dM_ij/dq_k (Definition 2): n blocks side by side, B_j of size n x n with
// B_j(i, k) = dM_ij/dq_k. A Kronecker product acts on it block by block,
//   dM/dq (1 (x) v) = [B_1 v, ..., B_n v] = U,      dM/dq (v (x) 1) = v_1 B_1 + ... + v_n B_n = V,
// so one block at a time is held, and memory is n^2 instead of n^3.
template <class T>
class Kronecker {
 public:
  static constexpr std::string_view name = "kronecker";
  static constexpr std::string_view source = "paper 004 (Truc, Quyen and Quang), eq 52";
  static constexpr std::string_view lane_form = "src/coriolis/kronecker_lanes.cpp";
  static constexpr unsigned needs = InertiaDerivatives<T>::needs;

  explicit Kronecker(int capacity)
      : dM_dq_(capacity), block_(square(capacity)), U_(square(capacity)), V_(square(capacity)) {}

  // in: positions, inertias and v of ws.  out: C in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> C) noexcept {
    DYN_EXPECTS(fits(tree, ws, C));
    const int n = tree.size;
    const ConstVectorRef<T> v(ws.v.data(), n);
    MatrixRef<T> B = matrix_view(block_.data(), n, n);
    MatrixRef<T> U = matrix_view(U_.data(), n, n);
    MatrixRef<T> V = matrix_view(V_.data(), n, n);
    dM_dq_.prepare(tree, ws);
    V.setZero();
    for (int j = 0; j < n; ++j) {
      fill_block(tree, j, B);
      U.col(j) = B.lazyProduct(v);
      V += B * v[j];
    }
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) C(i, j) = (U(i, j) + V(i, j) - V(j, i)) * T(0.5);
    }
  }

 private:
  static int square(int n) { return n * n; }

  // B_j: columns j n .. j n + n - 1 of dM/dq. Only entries that the tree lets differ from 0 are computed.
  void fill_block(const Tree& tree, int j, MatrixRef<T>& B) noexcept {
    B.setZero();
    const auto row = [&](int i, int above, int below) {
      InertiaDerivatives<T>::for_each_beyond(tree, above, below,
                                             [&](int k) { B(i, k) = dM_dq_.at_bodies(tree, i, j, k); });
    };
    for (int i = tree.parent[j]; i >= 0; i = tree.parent[i]) row(i, i, j);
    for (int i = j; i < tree.subtree_end[j]; ++i) row(i, j, i);
  }

  InertiaDerivatives<T> dM_dq_;
  std::vector<T> block_, U_, V_;
};

}  // namespace dyn::coriolis
