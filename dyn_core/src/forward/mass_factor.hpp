// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M = L^T D L from the tips to the base, so that the zeros between branches stay (Featherstone 2008, 6.5), and what
// follows from it: M x = b and M^-1. As dyn_core/forward/cholesky.hpp, but everything that does not depend on the state
// is prepared by the constructor, and the compiler knows the sizes of single chains of six and seven joints.
#pragma once

#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/forward/pivot_scale.hpp"

namespace dyn {

// Rows are bodies; with mimic joints they are coordinates, and M has no zeros that are known beforehand.
template <class T>
class MassFactor {
 public:
  explicit MassFactor(const Tree& tree)
      : rows_(tree.has_mimic ? tree.coordinates : tree.size),
        scale_(tree.size),
        L_(rows_ * rows_),
        inverse_L_(rows_ * rows_),
        pivot_(rows_),
        row_scale_(rows_),
        next_(rows_),
        body_(rows_, -1) {
    chain_ = !tree.has_mimic;
    for (int i = 0; i < tree.size; ++i) {
      const int r = tree.has_mimic ? tree.coordinate[i] : i;
      if (body_[r] < 0 && tree.ratio[i] == 1.0) body_[r] = i;
      next_[r] = tree.has_mimic ? r - 1 : tree.parent[i];
      chain_ = chain_ && next_[r] == r - 1;
      slides_ = slides_ || tree.motion[i] == Motion::prismatic;
    }
  }

  [[nodiscard]] int rows() const noexcept { return rows_; }
  // The next row on the way to the base (-1: none), and the first body that the row moves with ratio 1.
  [[nodiscard]] int next(int row) const noexcept { return next_[row]; }
  [[nodiscard]] int body(int row) const noexcept { return body_[row]; }
  [[nodiscard]] int coordinate(const Tree& tree, int row) const noexcept {
    return tree.has_mimic ? row : tree.coordinate[row];
  }
  // For M's lower triangle, row by row; factorize() overwrites it.
  [[nodiscard]] T* matrix() noexcept { return L_.data(); }

  // Do the scales depend on the state (prismatic joints), or on the inertias alone?
  [[nodiscard]] bool slides() const noexcept { return slides_; }
  // By row: the inertia with which its pivot is compared (forward/pivot_scale.hpp).
  DYN_REALTIME void find_scales(const Tree& tree, const Workspace<T>& ws) noexcept {
    scale_.update(tree, ws);
    for (T& s : row_scale_) s = T(0.0);
    for (int i = 0; i < tree.size; ++i) {
      const int r = tree.has_mimic ? tree.coordinate[i] : i;
      row_scale_[r] += T(tree.ratio[i] * tree.ratio[i]) * scale_.scale(tree, i);
    }
  }
  [[nodiscard]] const T* pivot_scales() const noexcept { return row_scale_.data(); }

  // M = L^T D L; b (where not null) becomes M^-1 b. Not ok where a pivot is not above `least` times its scale.
  DYN_REALTIME Status factorize(T* b, double least = forward::PivotScale<T>::tolerance) noexcept {
    int bad = -1;
    if (chain_ && rows_ == 7) {
      bad = eliminate<7>(b, T(least));
    } else if (chain_ && rows_ == 6) {
      bad = eliminate<6>(b, T(least));
    } else {
      bad = eliminate(b, T(least));
    }
    if (bad >= 0) return Status::singular(body_[bad], static_cast<double>(pivot_[bad]));
    return {};
  }

  // M^-1 = L^-1 D^-1 L^-T after factorize(); entry (i, j) is a sum over the joints before both.
  template <class Put>
  DYN_REALTIME void invert(Put&& put) noexcept {
    const int n = rows_;
    for (int k = 0; k < n; ++k) {  // rows of L^-1: e_k less L_ki times row i
      T* row = &inverse_L_[k * n];
      for (int i = 0; i < k; ++i) row[i] = T(0.0);
      row[k] = T(1.0);
      for (int i = next_[k]; i >= 0; i = next_[i]) {
        const T* before = &inverse_L_[i * n];
        for (int m = i; m >= 0; m = next_[m]) row[m] -= L(k, i) * before[m];
      }
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        T sum(0.0);
        for (int m = j; m >= 0; m = next_[m]) {
          sum += inverse_L_[i * n + m] * inverse_L_[j * n + m] / pivot_[m];
        }
        put(i, j, sum);
      }
    }
  }

 private:
  T& L(int row, int column) noexcept { return L_[row * rows_ + column]; }

  // For k from the last row: L_ki = M_ki / D_k, and M_ij -= L_ki M_kj for i, j on the way from k to the base, and
  // b_i -= L_ki b_k. Then b = L^-1 D^-1 b from the base outwards. Returns the row whose pivot is too small, or -1.
  int eliminate(T* b, T least) noexcept {
    for (int k = rows_ - 1; k >= 0; --k) {
      pivot_[k] = L(k, k);
      if (!(L(k, k) > least * row_scale_[k])) return k;
      for (int i = next_[k]; i >= 0; i = next_[i]) {
        const T l = L(k, i) / L(k, k);
        if (chain_) {
          T* row = &L(i, 0);
          const T* pivot_row = &L(k, 0);
          for (int j = 0; j <= i; ++j) row[j] -= l * pivot_row[j];
        } else {
          for (int j = i; j >= 0; j = next_[j]) L(i, j) -= l * L(k, j);
        }
        if (b) b[i] -= l * b[k];
        L(k, i) = l;
      }
    }
    if (!b) return -1;
    for (int k = 0; k < rows_; ++k) {
      b[k] /= pivot_[k];
      for (int i = next_[k]; i >= 0; i = next_[i]) b[k] -= L(k, i) * b[i];
    }
    return -1;
  }

  // The same for a chain of n joints, ordered so that products do not wait for the division.
  template <int n>
  int eliminate(T* b, T least) noexcept {
    T m[n][n], inverse[n], x[n];
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) m[i][j] = L_[i * n + j];
      x[i] = b ? b[i] : T(0.0);
    }
    int bad = -1;
#pragma GCC unroll 8
    for (int k = n - 1; k >= 0; --k) {
      pivot_[k] = m[k][k];
      if (!(m[k][k] > least * row_scale_[k]) && bad < 0) bad = k;
      inverse[k] = T(1.0) / m[k][k];
#pragma GCC unroll 8
      for (int i = 0; i < k; ++i) {
#pragma GCC unroll 8
        for (int j = 0; j <= i; ++j) m[i][j] -= (m[k][i] * m[k][j]) * inverse[k];
        x[i] -= (m[k][i] * x[k]) * inverse[k];
      }
    }
#pragma GCC unroll 8
    for (int k = 0; k < n; ++k) {
#pragma GCC unroll 8
      for (int i = 0; i < k; ++i) x[k] -= m[k][i] * x[i];
      x[k] *= inverse[k];
    }
    for (int k = 0; k < n; ++k) {
      if (b) b[k] = x[k];
      for (int i = 0; i < k; ++i) L_[k * n + i] = m[k][i] * inverse[k];
    }
    return bad;
  }

  int rows_;
  bool chain_ = false, slides_ = false;
  forward::PivotScale<T> scale_;
  std::vector<T> L_, inverse_L_, pivot_, row_scale_;
  std::vector<int> next_, body_;  // of a row: see next() and body()
};

}  // namespace dyn
