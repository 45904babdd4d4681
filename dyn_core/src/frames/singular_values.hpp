// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Singular values of a 6 x n Jacobian by one-sided Jacobi rotations (Hestenes): pairs of rows are rotated until all
// rows are orthogonal; their lengths are then the singular values, small ones to full relative precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "dyn_core/error.hpp"

namespace dyn {

class SingularValues {
 public:
  explicit SingularValues(int columns) : rows_(6 * (columns + 6)) {}

  struct Range {
    double least, largest;
  };
  // Of J, 6 x n, column-major, n at most the constructor's. With n < 6 the least is 0, but for rounding.
  DYN_REALTIME Range range(const double* J, int n) noexcept {
    std::copy_n(J, 6 * n, rows_.data());
    make_orthogonal(n, n);
    Range range{std::sqrt(product(0, 0, n)), 0.0};
    for (int a = 0; a < 6; ++a) {
      const double length = std::sqrt(product(a, a, n));
      range = {std::min(range.least, length), std::max(range.largest, length)};
    }
    return range;
  }
  // The same with the left singular vectors, the rows of `turn` (6 x 6, column-major), and the squares of the singular
  // values, in no order.
  DYN_REALTIME Range decompose(const double* J, int n, double* turn, double* squares) noexcept {
    std::copy_n(J, 6 * n, rows_.data());
    double* const beside = rows_.data() + 6L * n;  // the unit matrix, to which the same rotations are applied
    std::fill_n(beside, 36, 0.0);
    for (int k = 0; k < 6; ++k) beside[7 * k] = 1.0;
    make_orthogonal(n, n + 6);
    std::copy_n(beside, 36, turn);
    Range range{product(0, 0, n), 0.0};
    for (int a = 0; a < 6; ++a) {
      squares[a] = product(a, a, n);
      range = {std::min(range.least, squares[a]), std::max(range.largest, squares[a])};
    }
    return {std::sqrt(range.least), std::sqrt(range.largest)};
  }

 private:
  // Rows of the first n columns; `all` columns are turned.
  void make_orthogonal(int n, int all) noexcept {
    constexpr int most_sweeps = 30;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      bool turned = false;
      for (int a = 0; a < 6; ++a) {
        for (int b = a + 1; b < 6; ++b) turned = turn(a, b, n, all) || turned;
      }
      if (!turned) break;
    }
  }
  [[nodiscard]] double product(int a, int b, int n) const noexcept {
    double sum = 0.0;
    for (int k = 0; k < n; ++k) sum += rows_[6 * k + a] * rows_[6 * k + b];
    return sum;
  }
  // Makes two rows orthogonal; false where they are.
  bool turn(int a, int b, int n, int all) noexcept {
    constexpr double orthogonal = 1e-15;
    const double aa = product(a, a, n), bb = product(b, b, n), ab = product(a, b, n);
    if (!(std::abs(ab) > orthogonal * std::sqrt(aa * bb))) return false;
    const double ratio = (bb - aa) / (2.0 * ab);
    const double t = (ratio >= 0.0 ? 1.0 : -1.0) / (std::abs(ratio) + std::sqrt(1.0 + ratio * ratio));
    const double c = 1.0 / std::sqrt(1.0 + t * t), s = c * t;
    for (int k = 0; k < all; ++k) {
      double* column = rows_.data() + 6L * k;
      const double x = column[a], y = column[b];
      column[a] = c * x - s * y;
      column[b] = s * x + c * y;
    }
    return true;
  }

  std::vector<double> rows_;  // as J: column-major
};

}  // namespace dyn
