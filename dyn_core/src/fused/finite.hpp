// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes/simd.hpp"

namespace {

// Are all n numbers of q, v and a finite? 0 x is 0 where x is finite, else NaN.
DYN_INLINE bool all_finite(int n, const double* q, const double* v, const double* a) {
  V sum{};
  for (int i = 0; i < n; i += W) {
    const int lanes = n - i < W ? n - i : W;
    const V zero = all(0.0);
    sum = mul_add(zero, load_first(q + i, lanes),
                  mul_add(zero, load_first(v + i, lanes), mul_add(zero, load_first(a + i, lanes), sum)));
  }
  return !any_nan(sum);
}

}  // namespace
