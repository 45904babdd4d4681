// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The only file that depends on the instruction set: V, a vector of W doubles, and the operations that C++ operators do
// not have (moving values across lanes, broadcasts, parts of a vector to and from memory). Everything is in an
// anonymous namespace and no inline code of the standard library is used: files compiled with different -m flags must
// not share a function, or the linker may keep the one that this machine cannot run.
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

#include "lanes/kernel_set.hpp"

#define DYN_INLINE [[gnu::always_inline]] inline

namespace {

constexpr int W = DYN_SIMD_WIDTH;
constexpr auto kKernelSet = static_cast<dyn::lanes::KernelSet>(W);
using V [[gnu::vector_size(8 * DYN_SIMD_WIDTH)]] = double;
using VI [[gnu::vector_size(8 * DYN_SIMD_WIDTH)]] = long long;
using VU [[gnu::vector_size(8 * DYN_SIMD_WIDTH), gnu::aligned(8), gnu::may_alias]] = double;
using Scalar [[gnu::may_alias]] = double;
using Bits [[gnu::may_alias]] = long long;

DYN_INLINE V all(double x) { return x - V{}; }
DYN_INLINE V load(const double* from) { return *reinterpret_cast<const VU*>(from); }
DYN_INLINE void store(double* to, V v) { *reinterpret_cast<VU*>(to) = v; }
// One lane of a vector that is in memory, in all lanes.
DYN_INLINE V spread(const V& v, int lane) { return all(reinterpret_cast<const Scalar*>(&v)[lane]); }
// Copies one number; the asm keeps the compiler from merging copies into a vector load, which would have to wait for
// the stores of its parts.
DYN_INLINE void copy_one(const double* from, double* to) {
  long long bits = *reinterpret_cast<const Bits*>(from);
  asm volatile("" : "+r"(bits));
  *reinterpret_cast<Bits*>(to) = bits;
}
// Makes the compiler spread lanes by loads, of which a processor executes more at a time than of shuffles.
template <class T>
DYN_INLINE void keep_in_memory(T& x) {
  asm volatile("" : "+m"(x));
}

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
// Lane i of the result is lane i - K of v; the first K lanes come from `fill`.
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
template <unsigned kMask>
DYN_INLINE V permuted(V v, VI lanes) {
  return _mm512_maskz_permutexvar_pd(static_cast<__mmask8>(kMask), reinterpret_cast<__m512i>(lanes), v);
}
DYN_INLINE void in_middle_order(const double* q, int n, V (&out)[1]) {
  out[0] = permuted<0b11110111>(load_first(q, n), VI{1, 2, 3, 0, 4, 5, 6, 0});
}
DYN_INLINE void before_middle_negated(V (&x)[1]) { x[0] = _mm512_mask_xor_pd(x[0], 0b111, x[0], all(-0.0)); }
template <int K>
DYN_INLINE void towards_middle(const V (&x)[1], V (&out)[1]) {
  out[0] = permuted<0xFF>(x[0], K == 1 ? VI{1, 2, 3, 3, 3, 4, 5, 6} : VI{2, 3, 3, 3, 3, 3, 4, 5});
}
DYN_INLINE void sums_from_middle(const V (&x)[1], V (&out)[1]) {
  out[0] = (permuted<0b11110111>(x[0], VI{0, 1, 2, 0, 3, 4, 5, 6}) +
            permuted<0b11100011>(x[0], VI{1, 2, 0, 0, 0, 3, 4, 5})) +
           permuted<0b11000001>(x[0], VI{2, 0, 0, 0, 0, 0, 3, 4});
}
DYN_INLINE bool any(VI mask) {
  return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask)) != 0;
}
DYN_INLINE bool any_nan(V x) { return _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q) != 0; }
// Lanes change places between two rows: every other one, every other two.
DYN_INLINE void swap_ones(V& a, V& b) {
  const V low = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
  b = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  a = low;
}
DYN_INLINE void swap_twos(V& a, V& b) {
  const V low = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
  b = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  a = low;
}
using Mask = __mmask8;
DYN_INLINE Mask last_bit(V x) { return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(x), _mm512_set1_epi64(1)); }
DYN_INLINE V choose(Mask mask, V yes, V no) { return _mm512_mask_blend_pd(mask, no, yes); }
DYN_INLINE bool any_beyond(V x, double limit) {
  return _mm512_cmp_pd_mask(_mm512_abs_pd(x), all(limit), _CMP_GT_OQ) != 0;
}
// Half a vector at a time from memory, which saves a step of shuffles.
DYN_INLINE V load_halves(const double* low, const double* high) {
  return _mm512_maskz_insertf64x4(0xFF, _mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high), 1);
}
DYN_INLINE void load_transposed(const double* from, long stride, int count, V (&r)[W]) {
  for (int i = 0; i < 4; ++i) {
    if (count == W) {
      r[i] = load_halves(from + i * stride, from + (i + 4) * stride);
      r[i + 4] = load_halves(from + i * stride + 4, from + (i + 4) * stride + 4);
    } else {
      const V low = load_first(from + i * stride, count), high = load_first(from + (i + 4) * stride, count);
      r[i] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11);
      r[i + 4] = __builtin_shufflevector(low, high, 4, 5, 6, 7, 12, 13, 14, 15);
    }
  }
  for (int i = 0; i < 8; i += 4) {
    swap_twos(r[i], r[i + 2]);
    swap_twos(r[i + 1], r[i + 3]);
  }
  for (int i = 0; i < 8; i += 2) swap_ones(r[i], r[i + 1]);
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
DYN_INLINE void in_middle_order(const double* q, int n, V (&out)[2]) {
  out[0] = load_first(q + 1, 3);
  out[1] = first_of(3, load_first(q + 4, n - 4), all(q[0]));
}
DYN_INLINE void before_middle_negated(V (&x)[2]) { x[0] = -x[0]; }
template <int K>
DYN_INLINE void towards_middle(const V (&x)[2], V (&out)[2]) {
  if constexpr (K == 1) {
    out[0] = __builtin_shufflevector(x[0], x[0], 1, 2, 3, 3);
    out[1] = __builtin_shufflevector(x[0], x[1], 3, 4, 5, 6);
  } else {
    out[0] = __builtin_shufflevector(x[0], x[0], 2, 3, 3, 3);
    out[1] = __builtin_shufflevector(x[0], x[1], 3, 3, 4, 5);
  }
}
DYN_INLINE void sums_from_middle(const V (&x)[2], V (&out)[2]);
DYN_INLINE bool any(VI mask) { return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)) != 0; }
DYN_INLINE bool any_nan(V x) { return _mm256_movemask_pd(_mm256_cmp_pd(x, x, _CMP_UNORD_Q)) != 0; }
using Mask = V;  // by its sign
DYN_INLINE Mask last_bit(V x) { return reinterpret_cast<V>(reinterpret_cast<VI>(x) << 63); }
DYN_INLINE V choose(Mask mask, V yes, V no) { return _mm256_blendv_pd(no, yes, mask); }
DYN_INLINE bool any_beyond(V x, double limit) {
  return _mm256_movemask_pd(_mm256_cmp_pd(_mm256_andnot_pd(all(-0.0), x), all(limit), _CMP_GT_OQ)) != 0;
}
DYN_INLINE void load_transposed(const double* from, long stride, int count, V (&r)[W]) {
  for (int i = 0; i < 4; ++i) r[i] = count == W ? load(from + i * stride) : load_first(from + i * stride, count);
  const V a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
  const V c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

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
DYN_INLINE bool any_nan(V x) { return any(x != x); }  // NOLINT(misc-redundant-expression): what NaN is
using Mask = VI;
DYN_INLINE Mask last_bit(V x) { return -(reinterpret_cast<VI>(x) & 1); }
DYN_INLINE V choose(Mask mask, V yes, V no) { return mask ? yes : no; }
DYN_INLINE bool any_beyond(V x, double limit) { return any((x > all(limit)) | (x < all(-limit))); }
DYN_INLINE void load_transposed(const double* from, long stride, int count, V (&r)[W]) {
  const V a = load_first(from, count), b = load_first(from + stride, count);
  r[0] = __builtin_shufflevector(a, b, 0, 2);
  r[1] = __builtin_shufflevector(a, b, 1, 3);
}

#endif

#if DYN_SIMD_WIDTH > 2
// For a chain of up to seven bodies relative to the fourth (middle.hpp), whose lane is 3; the lane after the seventh is
// free. in_middle_order: angles of joints 1 2 3, 0, 4 5 6, and of joint 0 in the free lane. towards_middle<K>: each
// lane gets the number of the K-th body towards the middle, and the middle's if there is none. sums_from_middle: x_k +
// .. + x_2 before the middle, x_3 + .. + x_{k-1} behind it.
#endif

// load_transposed: r[k] has the k-th number of each of W rows that lie `stride` apart, for k < count.

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

#if DYN_SIMD_WIDTH == 4
DYN_INLINE void sums_from_middle(const V (&x)[2], V (&out)[2]) {
  out[0] = sum_down(first_of(3, x[0], V{}));
  out[1] = sum_up(__builtin_shufflevector(x[0], x[1], 3, 4, 5, 6));
}
#endif

// What the lanes stand for: W bodies of a chain in one state ..
struct Bodies {
  static constexpr int bodies = W;  // in a block
  static constexpr bool aligned = true;
  DYN_INLINE static V constant(const double* from) { return load(from); }
  DYN_INLINE static V up(V x) { return sum_up(x); }
  DYN_INLINE static V down(V x) { return sum_down(x); }
  DYN_INLINE static V last(V x) { return ::last(x); }
  DYN_INLINE static V first(V x) { return ::first(x); }
};
// .. or W states of one body: then nothing is summed across lanes.
struct States {
  static constexpr int bodies = 1;
  static constexpr bool aligned = false;
  DYN_INLINE static V constant(const double* from) { return all(*from); }
  DYN_INLINE static V up(V x) { return x; }
  DYN_INLINE static V down(V x) { return x; }
  DYN_INLINE static V last(V x) { return x; }
  DYN_INLINE static V first(V x) { return x; }
};

}  // namespace
