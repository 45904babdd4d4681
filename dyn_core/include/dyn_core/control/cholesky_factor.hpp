// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A = L L^T of a small symmetric positive definite matrix, and A x = b. Only the constructor allocates; runs on the
// loop's thread.
#pragma once

#include <cmath>
#include <vector>

#include "dyn_core/realtime.hpp"

namespace dyn::control {

class CholeskyFactor {
 public:
  explicit CholeskyFactor(int most_rows) : entries_(static_cast<size_t>(most_rows) * static_cast<size_t>(most_rows)) {}

  DYN_REALTIME void resize(int rows) noexcept { rows_ = rows; }
  [[nodiscard]] int rows() const noexcept { return rows_; }
  // A's lower triangle, column <= row; factorise() overwrites it with L.
  [[nodiscard]] DYN_REALTIME double& entry(int row, int column) noexcept { return entries_[at(row, column)]; }
  [[nodiscard]] DYN_REALTIME double entry(int row, int column) const noexcept { return entries_[at(row, column)]; }

  // -1, or the first row whose pivot is not above 1e-13 of its diagonal entry; entry(row, row) is then that pivot.
  [[nodiscard]] DYN_REALTIME int factorise() noexcept {
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c <= r; ++c) {
        double sum = entry(r, c);
        const double diagonal = sum;
        for (int k = 0; k < c; ++k) sum -= entry(r, k) * entry(c, k);
        if (r != c) {
          entry(r, c) = sum / entry(c, c);
        } else if (sum > 1e-13 * diagonal) {
          entry(r, c) = std::sqrt(sum);
        } else {
          entry(r, c) = sum;
          return r;
        }
      }
    }
    return -1;
  }

  // x: b, and then A^-1 b.
  DYN_REALTIME void solve(double* x) const noexcept {
    for (int r = 0; r < rows_; ++r) {
      for (int k = 0; k < r; ++k) x[r] -= entry(r, k) * x[k];
      x[r] /= entry(r, r);
    }
    for (int r = rows_ - 1; r >= 0; --r) {
      for (int k = r + 1; k < rows_; ++k) x[r] -= entry(k, r) * x[k];
      x[r] /= entry(r, r);
    }
  }

 private:
  [[nodiscard]] size_t at(int row, int column) const noexcept {
    const int index = row * rows_ + column;
    return static_cast<size_t>(index);
  }

  std::vector<double> entries_;
  int rows_ = 0;
};

}  // namespace dyn::control
