// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// cos(q/2) and sin(q/2), up to a common sign (enough for the quaternion of a turn by q), to about 1 ulp.
// q/2 = k pi/2 + r. With fused multiply-add pi/2 is in two pieces; without, in three, the first two of 33 bits, so that
// k times them is exact for |k| < 2^20. Then the polynomials of fdlibm (4.4BSD) on |r| <= pi/4, pairs of terms side by
// side. Angles beyond kLargestAngle go to libm.
#pragma once

#include "lanes/simd.hpp"

namespace dyn::lanes {
extern const double
    kSineCosine[18];  // kernel_sets.cpp: read from there, or each number would get a cache line of its own
}

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
  return mul_add(k, all(dyn::lanes::kSineCosine[15]), mul_add(k, all(dyn::lanes::kSineCosine[14]), half));
#else
  return ((half - k * all(1.57079632673412561417e+00)) - k * all(6.07710050630396597660e-11)) -
         k * all(2.02226624879595063154e-21);
#endif
}

// t[0] + t[1] z + .. + t[5] z^5
DYN_INLINE V polynomial(V z, V zz, const double* t) {
  return (all(t[0]) + all(t[1]) * z) + zz * ((all(t[2]) + all(t[3]) * z) + zz * (all(t[4]) + all(t[5]) * z));
}

DYN_INLINE void half_angles(V q, V& c, V& s) {
  const double* t = dyn::lanes::kSineCosine;
  const V shift = all(t[13]);  // adding it rounds to an integer in the low bits
  const V shifted = q * all(t[12]) + shift;
  const Mask odd = last_bit(shifted);
  const V half = q * all(t[17]);
  const V r = rest_of_quarters(half, shifted - shift);
  const V z = r * r, zz = z * z;
  const V sine = polynomial(z, zz, t), cosine = polynomial(z, zz, t + 6);
  const V sin_r = r + (z * r) * sine;
  const V cos_r = (all(t[16]) - z * all(t[17])) + zz * cosine;
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
