// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The only place that knows instruction sets: V, a vector of W doubles, and the few things that operators cannot say
// (moving values across lanes, broadcasts, parts of a vector to and from memory). Everything is in an anonymous
// namespace and nothing of the standard library's inline code is used: files compiled with different -m flags must not
// share a function, or the linker may keep the one that this machine cannot run.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#define DYN_SIMD_WIDTH 8
#elif defined(__AVX2__)
#include <immintrin.h>
#define DYN_SIMD_WIDTH 4
#else
#define DYN_SIMD_WIDTH 2
#endif

#define DYN_INLINE [[gnu::always_inline]] inline

namespace {

constexpr int W = DYN_SIMD_WIDTH;
using V [[gnu::vector_size(8 * DYN_SIMD_WIDTH)]] = double;
using VI [[gnu::vector_size(8 * DYN_SIMD_WIDTH)]] = long long;
using VU [[gnu::vector_size(8 * DYN_SIMD_WIDTH), gnu::aligned(8), gnu::may_alias]] = double;
using Scalar [[gnu::may_alias]] = double;

DYN_INLINE V all(double x) { return x - V{}; }
DYN_INLINE V load(const double* from) { return *reinterpret_cast<const VU*>(from); }
DYN_INLINE void store(double* to, V v) { *reinterpret_cast<VU*>(to) = v; }
// One lane of a vector that is in memory, in all lanes.
DYN_INLINE V spread(const V& v, int lane) { return all(reinterpret_cast<const Scalar*>(&v)[lane]); }

#if DYN_SIMD_WIDTH == 8
// The forms with a full mask: g++ 12 warns of its own header in the plain ones.

DYN_INLINE V mul_add(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
DYN_INLINE V load_first(const double* from, int count) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1U), from);
}
DYN_INLINE void store_first(double* to, V v, int count) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << count) - 1U), v);
}
// The first `count` lanes of a, the others of b.
DYN_INLINE V first_of(int count, V a, V b) {
  return _mm512_mask_blend_pd(static_cast<__mmask8>((1U << count) - 1U), b, a);
}
// Lane i of the result is lane i - K; lanes that come in are `fill`'s.
template <int K>
DYN_INLINE V up(V v, V fill) {
  return reinterpret_cast<V>(
      _mm512_maskz_alignr_epi64(0xFF, reinterpret_cast<__m512i>(v), reinterpret_cast<__m512i>(fill), 8 - K));
}
template <int K>
DYN_INLINE V down(V v, V fill) {
  return reinterpret_cast<V>(
      _mm512_maskz_alignr_epi64(0xFF, reinterpret_cast<__m512i>(fill), reinterpret_cast<__m512i>(v), K));
}
DYN_INLINE V last(V v) {
  return _mm512_maskz_permutexvar_pd(0xFF, reinterpret_cast<__m512i>(VI{7, 7, 7, 7, 7, 7, 7, 7}), v);
}
DYN_INLINE V first(V v) { return _mm512_maskz_broadcastsd_pd(0xFF, __builtin_shufflevector(v, v, 0, 1)); }
DYN_INLINE bool any(VI mask) {
  return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask)) != 0;
}

#elif DYN_SIMD_WIDTH == 4

DYN_INLINE V mul_add(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
alignas(32) constexpr long long kWindow[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
DYN_INLINE __m256i first_lanes(int count) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kWindow + 4 - count));
}
DYN_INLINE V load_first(const double* from, int count) { return _mm256_maskload_pd(from, first_lanes(count)); }
// Not by a masked store, which some processors do in microcode.
DYN_INLINE void store_first(double* to, V v, int count) {
  if (count == 4) return store(to, v);
  const __m128d low = _mm256_castpd256_pd128(v);
  if (count == 1) return _mm_storel_pd(to, low);
  _mm_storeu_pd(to, low);
  if (count == 3) _mm_storel_pd(to + 2, _mm256_extractf128_pd(v, 1));
}
DYN_INLINE V first_of(int count, V a, V b) {
  return _mm256_blendv_pd(b, a, reinterpret_cast<__m256d>(first_lanes(count)));
}
template <int K>
DYN_INLINE V up(V v, V fill) {
  if constexpr (K == 1) return __builtin_shufflevector(v, fill, 7, 0, 1, 2);
  return __builtin_shufflevector(v, fill, 6, 7, 0, 1);
}
template <int K>
DYN_INLINE V down(V v, V fill) {
  if constexpr (K == 1) return __builtin_shufflevector(v, fill, 1, 2, 3, 4);
  return __builtin_shufflevector(v, fill, 2, 3, 4, 5);
}
DYN_INLINE V last(V v) { return __builtin_shufflevector(v, v, 3, 3, 3, 3); }
DYN_INLINE V first(V v) { return __builtin_shufflevector(v, v, 0, 0, 0, 0); }
DYN_INLINE bool any(VI mask) { return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)) != 0; }

#else

DYN_INLINE V mul_add(V a, V b, V c) { return a * b + c; }
DYN_INLINE V load_first(const double* from, int count) { return count == 2 ? load(from) : V{from[0], 0.0}; }
DYN_INLINE void store_first(double* to, V v, int count) {
  to[0] = v[0];
  if (count == 2) to[1] = v[1];
}
DYN_INLINE V first_of(int count, V a, V b) {
  return count >= 2 ? a : count == 1 ? __builtin_shufflevector(a, b, 0, 3) : b;
}
template <int K>
DYN_INLINE V up(V v, V fill) {
  return __builtin_shufflevector(fill, v, 1, 2);
}
template <int K>
DYN_INLINE V down(V v, V fill) {
  return __builtin_shufflevector(v, fill, 1, 2);
}
DYN_INLINE V last(V v) { return __builtin_shufflevector(v, v, 1, 1); }
DYN_INLINE V first(V v) { return __builtin_shufflevector(v, v, 0, 0); }
DYN_INLINE bool any(VI mask) { return (mask[0] | mask[1]) != 0; }

#endif

// Sums over the lanes up to and with each one, and from each one on.
DYN_INLINE V sum_up(V x) {
  x += up<1>(x, V{});
  if constexpr (W >= 4) x += up<2>(x, V{});
  if constexpr (W >= 8) x += up<4>(x, V{});
  return x;
}
DYN_INLINE V sum_down(V x) {
  x += down<1>(x, V{});
  if constexpr (W >= 4) x += down<2>(x, V{});
  if constexpr (W >= 8) x += down<4>(x, V{});
  return x;
}

}  // namespace
