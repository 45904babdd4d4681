// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The inverse of a small symmetric positive definite matrix that fits into registers, by Gauss-Jordan elimination in
// place: pivots from the last row to the first, which are those of M = L^T D L. Row k becomes (row k) / p with 1/p in
// column k; any other row r_i - m_ik (row k)/p, with -m_ik/p in column k. Rounding is the same on both sides of the
// diagonal, so the result is symmetric to the bit.
#pragma once

#include "lanes/simd.hpp"

namespace {

template <int kRows>
constexpr int kRowVectors = (kRows + W - 1) / W;

// Lane k of a row of vectors, in all lanes.
template <int kLane>
DYN_INLINE V lane(V v) {
#if DYN_SIMD_WIDTH == 8
  return __builtin_shufflevector(v, v, kLane, kLane, kLane, kLane, kLane, kLane, kLane, kLane);
#elif DYN_SIMD_WIDTH == 4
  return __builtin_shufflevector(v, v, kLane, kLane, kLane, kLane);
#else
  return __builtin_shufflevector(v, v, kLane, kLane);
#endif
}

template <int kRows>
struct SmallMatrix {
  V r[kRows][kRowVectors<kRows>];
};

template <int kRows>
DYN_INLINE SmallMatrix<kRows> load_rows(const double* from, long stride) {
  SmallMatrix<kRows> m;
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int b = 0; b < kRowVectors<kRows>; ++b) {
      const int count = kRows - b * W < W ? kRows - b * W : W;
      m.r[i][b] = count == W ? load(from + i * stride + b * W) : load_first(from + i * stride + b * W, count);
    }
  }
  return m;
}
template <int kRows>
DYN_INLINE void store_rows(const SmallMatrix<kRows>& m, double* to, long stride) {
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int b = 0; b < kRowVectors<kRows>; ++b) {
      const int count = kRows - b * W < W ? kRows - b * W : W;
      double* at = to + i * stride + b * W;
      count == W ? store(at, m.r[i][b]) : store_first(at, m.r[i][b], count);
    }
  }
}

// One pivot; products do not wait for the division. mul_add, since the compiler must not choose which product is fused.
template <int kRows, int k>
DYN_INLINE void sweep_row(SmallMatrix<kRows>& m, double* pivots) {
  constexpr int block = k / W, at = k % W;
  const V pivot = lane<at>(m.r[k][block]);
  pivots[k] = pivot[0];
  const V inverse = all(1.0) / pivot;
  m.r[k][block][at] = 1.0;
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
    if (i == k) continue;
    const V mik = lane<at>(m.r[i][block]);
    m.r[i][block][at] = 0.0;
#pragma GCC unroll 4
    for (int b = 0; b < kRowVectors<kRows>; ++b) m.r[i][b] = mul_add(-(mik * m.r[k][b]), inverse, m.r[i][b]);
  }
#pragma GCC unroll 4
  for (int b = 0; b < kRowVectors<kRows>; ++b) m.r[k][b] = m.r[k][b] * inverse;
}

template <int kRows, int k = kRows - 1>
DYN_INLINE void sweep(SmallMatrix<kRows>& m, double* pivots) {
  sweep_row<kRows, k>(m, pivots);
  if constexpr (k > 0) sweep<kRows, k - 1>(m, pivots);
}

}  // namespace
