// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A = L L^T of a small symmetric positive definite matrix, and A x = b. Only the constructor allocates; runs on the
// loop's thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "dyn_core/realtime.hpp"

namespace dyn::control {

class CholeskyFactor {
 public:
  explicit CholeskyFactor(int most_rows)
      : entries_(static_cast<size_t>(most_rows) * static_cast<size_t>(most_rows)),
        inverse_diagonal_(static_cast<size_t>(most_rows)) {}

  DYN_REALTIME void resize(int rows) noexcept { rows_ = rows; }
  [[nodiscard]] int rows() const noexcept { return rows_; }
  // A's lower triangle, column <= row; factorise() overwrites it with L.
  [[nodiscard]] DYN_REALTIME double& entry(int row, int column) noexcept { return entries_[at(row, column)]; }
  [[nodiscard]] DYN_REALTIME double entry(int row, int column) const noexcept { return entries_[at(row, column)]; }

  // -1, or the first row whose pivot is not above 1e-13 of its diagonal entry; entry(row, row) is then that pivot.
  [[nodiscard]] DYN_REALTIME int factorise() noexcept {
    for (int r = 0; r < rows_; ++r) {
      double* const row = &entry(r, 0);
      for (int c = 0; c < r; ++c) row[c] = less_products(row[c], row, &entry(c, 0), c) * inverse_diagonal_[c];
      const double diagonal = row[r];
      const double pivot = less_products(diagonal, row, row, r);
      const bool regular = pivot > 1e-13 * diagonal;
      row[r] = regular ? std::sqrt(pivot) : pivot;
      if (!regular) return r;
      inverse_diagonal_[r] = 1.0 / row[r];
    }
    return -1;
  }

  // x: b, and then A^-1 b.
  DYN_REALTIME void solve(double* x) const noexcept { solve_from(0, x); }

  // x: a column of A^-1.
  DYN_REALTIME void inverse_column(int column, double* x) const noexcept {
    std::fill_n(x, rows_, 0.0);
    x[column] = 1.0;
    solve_from(column, x);
  }

 private:
  // b is zero before the row `first`.
  void solve_from(int first, double* x) const noexcept {
    for (int r = first; r < rows_; ++r) {
      x[r] = less_products(x[r], &entries_[at(r, first)], x + first, r - first) * inverse_diagonal_[r];
    }
    for (int r = rows_ - 1; r >= 0; --r) {
      x[r] *= inverse_diagonal_[r];
      const double* const row = &entries_[at(r, 0)];
      for (int k = 0; k < r; ++k) x[k] -= row[k] * x[r];
    }
  }
  // sum - a_0 b_0 - a_1 b_1 - ...
  [[nodiscard]] static double less_products(double sum, const double* a, const double* b, int count) noexcept {
    for (int k = 0; k < count; ++k) sum -= a[k] * b[k];
    return sum;
  }
  [[nodiscard]] size_t at(int row, int column) const noexcept {
    const int index = row * rows_ + column;
    return static_cast<size_t>(index);
  }

  std::vector<double> entries_, inverse_diagonal_;
  int rows_ = 0;
};

}  // namespace dyn::control
