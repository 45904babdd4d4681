// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Moves of numbers between a few vectors and memory, by shuffles in registers.
#pragma once

#include "lanes/simd.hpp"

namespace {

#if DYN_SIMD_WIDTH == 4
DYN_INLINE void swap_ones(V& a, V& b) {
  const V low = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  b = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  a = low;
}
#endif

// From six rows of W numbers to their W columns of six, one after the other.
DYN_INLINE void columns_of_six(V (&r)[6]) {
#if DYN_SIMD_WIDTH == 2
  const V x[6] = {r[0], r[1], r[2], r[3], r[4], r[5]};
  for (int i = 0; i < 3; ++i) {
    r[i] = __builtin_shufflevector(x[2 * i], x[2 * i + 1], 0, 2);
    r[i + 3] = __builtin_shufflevector(x[2 * i], x[2 * i + 1], 1, 3);
  }
#else
  // Pairs of numbers: of columns 0, 2, .. in a, c and e, of columns 1, 3, .. in b, d and f.
  for (int i = 0; i < 6; i += 2) swap_ones(r[i], r[i + 1]);
  const V a = r[0], b = r[1], c = r[2], d = r[3], e = r[4], f = r[5];
#if DYN_SIMD_WIDTH == 4
  const auto front = [](V x, V y) { return __builtin_shufflevector(x, y, 0, 1, 4, 5); };
  const auto back = [](V x, V y) { return __builtin_shufflevector(x, y, 2, 3, 6, 7); };
  r[0] = front(a, c);
  r[1] = front(e, b);
  r[2] = front(d, f);
  r[3] = back(a, c);
  r[4] = back(e, b);
  r[5] = back(d, f);
#else
  const auto front = [](V x, V y) { return __builtin_shufflevector(x, y, 0, 1, 8, 9, 2, 3, 10, 11); };
  const auto back = [](V x, V y) { return __builtin_shufflevector(x, y, 4, 5, 12, 13, 6, 7, 14, 15); };
  const auto put = [](V ac, V eb, V df, V* to) {
    to[0] = __builtin_shufflevector(ac, eb, 0, 1, 2, 3, 8, 9, 10, 11);
    to[1] = __builtin_shufflevector(df, ac, 0, 1, 2, 3, 12, 13, 14, 15);
    to[2] = __builtin_shufflevector(eb, df, 4, 5, 6, 7, 12, 13, 14, 15);
  };
  put(front(a, c), front(e, b), front(d, f), r);
  put(back(a, c), back(e, b), back(d, f), r + 3);
#endif
#endif
}

// The last lanes of four vectors.
DYN_INLINE void store_last(double* to, V a, V b, V c, V d) {
#if DYN_SIMD_WIDTH == 2
  store(to, __builtin_shufflevector(a, b, 1, 3));
  store(to + 2, __builtin_shufflevector(c, d, 1, 3));
#else
  swap_ones(a, b);
  swap_ones(c, d);
  using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
  *reinterpret_cast<Four*>(to) = __builtin_shufflevector(b, d, W - 2, W - 1, 2 * W - 2, 2 * W - 1);
#endif
}

}  // namespace
