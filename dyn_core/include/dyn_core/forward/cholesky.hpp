// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics by forming M and factorizing it: the non-recursive counterpart in paper 001 (Mohan and Saha), M by
// its eq 29. The factorization starts at the tips, so that the zeros between branches stay (Featherstone 2008, 6.5).
// double runs lane forms for robots without mimic joints: M by src/jsim/denoc_lanes.cpp, C v + g by the kernels of
// `fused`, then the same factorization with sizes known to the compiler.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/forward/bias_by_rnea.hpp"
#include "dyn_core/forward/pivot_scale.hpp"
#include "dyn_core/jsim/denoc.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::forward {

// M = L^T D L with L lower triangular, unit diagonal;  M qdd = tau - (C v + g). Rows are bodies; with mimic joints M is
// projected, G^T M G with q_body = G q + offset, and rows are coordinates.
template <class T>
class Cholesky : public BiasByRnea<Cholesky<T>, T> {
 public:
  static constexpr std::string_view name = "cholesky";
  static constexpr std::string_view source = "paper 001 (Mohan and Saha), eq 29 and Cholesky";
  static constexpr std::string_view lane_form = "src/jsim/denoc_lanes.cpp";
  static constexpr unsigned needs = needs_trigonometry;

  explicit Cholesky(int capacity)
      : BiasByRnea<Cholesky, T>(capacity),
        jsim_(capacity),
        scale_(capacity),
        bodies_(capacity * capacity),
        projected_(capacity * capacity),
        rhs_(capacity),
        row_scale_(capacity),
        row_(capacity),
        row_body_(capacity),
        next_(capacity) {}

  // compute() with a given bias C v + g, by body.
  DYN_REALTIME Status solve(const Tree& tree, const Workspace<T>& ws, ConstVectorRef<T> bias, ConstVectorRef<T> tau,
                            VectorRef<T> qdd) noexcept {
    const MatrixRef<T> bodies = matrix_view(bodies_.data(), tree.size, tree.size);
    jsim_.compute(tree, ws, bodies);
    return solve_given(tree, ws, bodies, bias, tau, qdd);
  }

  // The same with M in body order given too; its lower triangle is overwritten.
  DYN_REALTIME Status solve_given(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> bodies, ConstVectorRef<T> bias,
                                  ConstVectorRef<T> tau, VectorRef<T> qdd) noexcept {
    using std::isfinite;
    number_rows(tree);
    const int n = tree.coordinates;
    for (int r = 0; r < n; ++r) {
      const T& torque = tau[tree.coordinate[row_body_[r]]];
      if (!isfinite(torque)) return Status::not_finite(row_body_[r], static_cast<double>(torque));
      rhs_[r] = torque;
      row_scale_[r] = T(0.0);
    }
    scale_.update(tree, ws);
    MatrixRef<T> M = matrix_view(tree.has_mimic ? projected_.data() : bodies.data(), n, n);
    if (tree.has_mimic) project(tree, bodies, M);
    for (int i = 0; i < tree.size; ++i) {
      const int r = row_[i];
      if (tree.has_mimic) {
        rhs_[r] -= T(tree.ratio[i]) * bias[i];
        row_scale_[r] += T(tree.ratio[i] * tree.ratio[i]) * scale_.scale(tree, i);
      } else {
        rhs_[r] -= bias[i];
        row_scale_[r] = scale_.scale(tree, i);
      }
    }
    for (int r = 0; r < n; ++r) {
      const double armature = tree.armature[tree.coordinate[row_body_[r]]];
      if (armature > 0.0) M(r, r) += T(armature);
    }
    if (const Status status = factorize(M); !status.ok()) return status;
    substitute(M);
    for (int r = 0; r < n; ++r) qdd[tree.coordinate[row_body_[r]]] = rhs_[r];
    return {};
  }

 private:
  // row_: of each body; row_body_: of each row, the body with ratio 1; next_: of each row, the next one towards the
  // base in which M may have an entry: the parent's; with mimic joints the row before.
  void number_rows(const Tree& tree) noexcept {
    for (int r = 0; r < tree.coordinates; ++r) row_body_[r] = -1;
    for (int i = 0; i < tree.size; ++i) {
      const int r = tree.has_mimic ? tree.coordinate[i] : i;
      row_[i] = r;
      if (row_body_[r] < 0 && tree.ratio[i] == 1.0) row_body_[r] = i;
      if (!tree.has_mimic) next_[i] = tree.parent[i];
    }
    if (!tree.has_mimic) return;
    for (int r = 0; r < tree.coordinates; ++r) next_[r] = r - 1;
  }

  // Lower triangle of G^T M G.
  static void project(const Tree& tree, const MatrixRef<T>& bodies, MatrixRef<T>& M) noexcept {
    M.setZero();
    for (int j = 0; j < tree.size; ++j) {
      for (int i = 0; i < tree.size; ++i) {
        if (tree.coordinate[i] < tree.coordinate[j]) continue;
        M(tree.coordinate[i], tree.coordinate[j]) += T(tree.ratio[i] * tree.ratio[j]) * bodies(i, j);
      }
    }
  }

  // For k from the last row: L_ki = M_ki / D_k, and M_ij -= L_ki M_kj for i, j on the way from k to the base.
  Status factorize(MatrixRef<T>& M) noexcept {
    for (int k = static_cast<int>(M.rows()) - 1; k >= 0; --k) {
      const T pivot = M(k, k);
      if (PivotScale<T>::vanishes(pivot, row_scale_[k])) {
        return Status::singular(row_body_[k], static_cast<double>(pivot));
      }
      for (int i = next_[k]; i >= 0; i = next_[i]) {
        const T l = M(k, i) / pivot;
        for (int j = i; j >= 0; j = next_[j]) M(i, j) -= l * M(k, j);
        M(k, i) = l;
      }
    }
    return {};
  }

  // L^T y = rhs, D z = y, L qdd = z
  void substitute(const MatrixRef<T>& M) noexcept {
    const int n = static_cast<int>(M.rows());
    for (int k = n - 1; k >= 0; --k) {
      for (int i = next_[k]; i >= 0; i = next_[i]) rhs_[i] -= M(k, i) * rhs_[k];
    }
    for (int k = 0; k < n; ++k) {
      rhs_[k] /= M(k, k);
      for (int i = next_[k]; i >= 0; i = next_[i]) rhs_[k] -= M(k, i) * rhs_[i];
    }
  }

  jsim::Denoc<T> jsim_;
  PivotScale<T> scale_;
  std::vector<T> bodies_, projected_, rhs_, row_scale_;
  std::vector<int> row_, row_body_, next_;
};

}  // namespace dyn::forward
