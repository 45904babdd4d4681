// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// cos(q/2) and sin(q/2), up to a common sign (enough for the quaternion of a turn by q), to about 1 ulp.
// q/2 = k pi/2 + r. With fused multiply-add pi/2 is in two pieces; without, in three, the first two of 33 bits, so that
// k times them is exact for |k| < 2^20. Then the polynomials of the C library that came with 4.4BSD (fdlibm) on |r| <=
// pi/4, pairs of terms side by side. Larger angles go to libm.
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

DYN_INLINE V rest_of_quarters(V half, V k) {
#if DYN_SIMD_WIDTH > 2
  return mul_add(k, all(-6.12323399573676603587e-17), mul_add(k, all(-1.57079632679489655800e+00), half));
#else
  return ((half - k * all(1.57079632673412561417e+00)) - k * all(6.07710050630396597660e-11)) -
         k * all(2.02226624879595063154e-21);
#endif
}

// a + b z + c z^2 + d z^3 + e z^4 + f z^5
DYN_INLINE V polynomial(V z, V zz, double a, double b, double c, double d, double e, double f) {
  return (all(a) + all(b) * z) + zz * ((all(c) + all(d) * z) + zz * (all(e) + all(f) * z));
}

DYN_INLINE void half_angles(V q, V& c, V& s) {
  const V shift = all(6755399441055744.0);  // 1.5 * 2^52: adding it rounds to an integer in the low bits
  const V shifted = q * all(0.31830988618379067154) + shift;
  const Mask odd = last_bit(shifted);
  const V r = rest_of_quarters(q * all(0.5), shifted - shift);
  const V z = r * r, zz = z * z;
  const V sine = polynomial(z, zz, -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
                            2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10);
  const V cosine =
      polynomial(z, zz, 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
                 -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11);
  const V sin_r = r + (z * r) * sine;
  const V cos_r = (all(1.0) - z * all(0.5)) + zz * cosine;
  c = choose(odd, -sin_r, cos_r);
  s = choose(odd, cos_r, sin_r);
  if (__builtin_expect(any_beyond(q, kLargestAngle), 0)) {
    double angles[W], cosines[W], sines[W];
    store(angles, q);
    large_half_angles(angles, cosines, sines);
    c = load(cosines);
    s = load(sines);
  }
}

}  // namespace
