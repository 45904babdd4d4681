// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// cos(q/2) and sin(q/2), up to a common sign (enough for the quaternion of a turn by q), to about 1 ulp.
// q/2 = k pi/2 + r with pi/2 in three pieces, the first two of 33 bits, so that k times them is exact for |k| < 2^20;
// then the polynomials of the C library that came with 4.4BSD (fdlibm) on |r| <= pi/4. Larger angles go to libm.
#pragma once

#include "simd.hpp"

namespace {

constexpr double kLargestAngle = 2e6;

[[gnu::noinline, gnu::cold]] void large_half_angles(const double* q, double* c, double* s) {
  for (int i = 0; i < W; ++i) {
    c[i] = __builtin_cos(0.5 * q[i]);
    s[i] = __builtin_sin(0.5 * q[i]);
  }
}

DYN_INLINE void half_angles(V q, V& c, V& s) {
  const V shift = all(6755399441055744.0);  // 1.5 * 2^52: adding it rounds to an integer in the low bits
  const V shifted = q * all(0.31830988618379067154) + shift;
  const V k = shifted - shift;
  const VI odd = -(reinterpret_cast<VI>(shifted) & 1);
  const V r = ((all(0.5) * q - k * all(1.57079632673412561417e+00)) - k * all(6.07710050630396597660e-11)) -
              k * all(2.02226624879595063154e-21);
  const V z = r * r;
  const V ps = all(8.33333333332248946124e-03) +
               z * (all(-1.98412698298579493134e-04) +
                    z * (all(2.75573137070700676789e-06) +
                         z * (all(-2.50507602534068634195e-08) + z * all(1.58969099521155010221e-10))));
  const V sin_r = r + (z * r) * (all(-1.66666666666666324348e-01) + z * ps);
  const V pc = all(4.16666666666666019037e-02) +
               z * (all(-1.38888888888741095749e-03) +
                    z * (all(2.48015872894767294178e-05) +
                         z * (all(-2.75573143513906633035e-07) +
                              z * (all(2.08757232129817482790e-09) + z * all(-1.13596475577881948265e-11)))));
  const V half_z = all(0.5) * z;
  const V w = all(1.0) - half_z;
  const V cos_r = w + (((all(1.0) - w) - half_z) + z * z * pc);
  c = odd ? -sin_r : cos_r;
  s = odd ? cos_r : sin_r;
  const VI large = (q > all(kLargestAngle)) | (q < all(-kLargestAngle));
  if (__builtin_expect(any(large), 0)) {
    double angles[W], cosines[W], sines[W];
    store(angles, q);
    large_half_angles(angles, cosines, sines);
    c = load(cosines);
    s = load(sines);
  }
}

}  // namespace
