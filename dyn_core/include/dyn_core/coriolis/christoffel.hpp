// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// C entry by entry from the Christoffel symbols of the whole M: paper 002 (Laus, Simoni and Martins), eq 35, the
// textbook form. Runs in the control loop: compute() does not allocate.
// double runs the lane form, src/coriolis/christoffel_lanes.cpp: each dM_ij/dq_k, of W joints i side by side,
// contributes to the three entries of C that it appears in.
#pragma once

#include <string_view>

#include "dyn_core/kinematics/inertia_derivatives.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::coriolis {

// Eq 35:  C_ij = sum_k c_ijk v_k,   c_ijk = 1/2 (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i)
// In a tree c_ijk is 0 unless i, j and k lie on one line of ancestors, so the sums run over such triples only.
template <class T>
class Christoffel {
 public:
  static constexpr std::string_view name = "christoffel";
  static constexpr std::string_view source = "paper 002 (Laus, Simoni and Martins), eq 35";
  static constexpr std::string_view lane_form = "src/coriolis/christoffel_lanes.cpp";
  static constexpr unsigned needs = InertiaDerivatives<T>::needs;

  explicit Christoffel(int capacity) : dM_dq_(capacity) {}

  // in: positions, inertias and v of ws.  out: C in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> C) noexcept {
    DYN_EXPECTS(fits(tree, ws, C));
    dM_dq_.prepare(tree, ws);
    C.setZero();
    for (int i = 0; i < tree.size; ++i) {
      for (int j = i; j >= 0; j = tree.parent[j]) {
        InertiaDerivatives<T>::for_each_beyond(tree, -1, i, [&](int k) {
          const T& rate = ws.v[k];
          C(i, j) += symbol(tree, i, j, k) * rate;
          if (i != j) C(j, i) += symbol(tree, j, i, k) * rate;
        });
      }
    }
  }

 private:
  // c_ijk, of the first kind
  [[nodiscard]] T symbol(const Tree& tree, int i, int j, int k) const noexcept {
    return (dM_dq_.at_bodies(tree, i, j, k) + dM_dq_.at_bodies(tree, i, k, j) - dM_dq_.at_bodies(tree, j, k, i)) *
           T(0.5);
  }

  InertiaDerivatives<T> dM_dq_;
};

}  // namespace dyn::coriolis
