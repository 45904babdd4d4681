// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// 3-vectors and 3x3 matrices: of one body (N = double), or W of them side by side (N = V). L says what the lanes stand
// for (Bodies or States, simd.hpp).
#pragma once

#include "lanes/simd.hpp"

namespace {

template <class N>
struct Vector3 {
  N x, y, z;
};
using V3 = Vector3<V>;

template <class N>
DYN_INLINE Vector3<N> operator+(const Vector3<N>& a, const Vector3<N>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class N>
DYN_INLINE Vector3<N> operator-(const Vector3<N>& a, const Vector3<N>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class N>
DYN_INLINE Vector3<N> operator*(const Vector3<N>& a, N s) {
  return {a.x * s, a.y * s, a.z * s};
}
template <class N>
DYN_INLINE N dot(const Vector3<N>& a, const Vector3<N>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class N>
DYN_INLINE Vector3<N> cross(const Vector3<N>& a, const Vector3<N>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// a . b + c . d, as of a wrench and a twist, and sum + a . b
DYN_INLINE V pairing(const V3& a, const V3& b, const V3& c, const V3& d) {
  V sum = a.x * b.x;
  sum = mul_add(a.y, b.y, sum);
  sum = mul_add(a.z, b.z, sum);
  sum = mul_add(c.x, d.x, sum);
  sum = mul_add(c.y, d.y, sum);
  return mul_add(c.z, d.z, sum);
}
DYN_INLINE V plus_dot(const V3& a, const V3& b, V sum) {
  return mul_add(a.z, b.z, mul_add(a.y, b.y, mul_add(a.x, b.x, sum)));
}
// sum + a x b, ordered for a b that is available last
DYN_INLINE V3 plus_cross(const V3& sum, const V3& a, const V3& b) {
  return {(sum.x + a.y * b.z) - a.z * b.y, (sum.y + a.z * b.x) - a.x * b.z, (sum.z + a.x * b.y) - a.y * b.x};
}
template <class L>
DYN_INLINE V3 last(const V3& a) {
  return {L::last(a.x), L::last(a.y), L::last(a.z)};
}
template <class L>
DYN_INLINE V3 first(const V3& a) {
  return {L::first(a.x), L::first(a.y), L::first(a.z)};
}
template <class L>
DYN_INLINE V3 sum_up(const V3& a) {
  return {L::up(a.x), L::up(a.y), L::up(a.z)};
}
template <class L>
DYN_INLINE V3 sum_down(const V3& a) {
  return {L::down(a.x), L::down(a.y), L::down(a.z)};
}
DYN_INLINE V3 spread(const V3& a, int lane) { return {spread(a.x, lane), spread(a.y, lane), spread(a.z, lane)}; }

template <class N>
struct Symmetric3 {
  N xx, yy, zz, xy, xz, yz;
};
using Moments = Symmetric3<V>;  // second moments G = sum of m x x^T about a point, and other symmetric matrices

template <class N>
DYN_INLINE Symmetric3<N> operator+(const Symmetric3<N>& a, const Symmetric3<N>& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
template <class L>
DYN_INLINE Moments sum_down(const Moments& a) {
  return {L::down(a.xx), L::down(a.yy), L::down(a.zz), L::down(a.xy), L::down(a.xz), L::down(a.yz)};
}
template <class L>
DYN_INLINE Moments first(const Moments& a) {
  return {L::first(a.xx), L::first(a.yy), L::first(a.zz), L::first(a.xy), L::first(a.xz), L::first(a.yz)};
}
template <class N>
DYN_INLINE Vector3<N> operator*(const Symmetric3<N>& G, const Vector3<N>& a) {
  return {G.xx * a.x + G.xy * a.y + G.xz * a.z, G.xy * a.x + G.yy * a.y + G.yz * a.z,
          G.xz * a.x + G.yz * a.y + G.zz * a.z};
}
// S - a b^T where that is symmetric
template <class N>
DYN_INLINE Symmetric3<N> less_product(const Symmetric3<N>& S, const Vector3<N>& a, const Vector3<N>& b) {
  return {S.xx - a.x * b.x, S.yy - a.y * b.y, S.zz - a.z * b.z, S.xy - a.x * b.y, S.xz - a.x * b.z, S.yz - a.y * b.z};
}
// I a with the rotational inertia I = tr(G) - G
DYN_INLINE V3 turned(const Moments& G, const V3& a) {
  return {(G.yy + G.zz) * a.x - G.xy * a.y - G.xz * a.z, (G.xx + G.zz) * a.y - G.xy * a.x - G.yz * a.z,
          (G.xx + G.yy) * a.z - G.xz * a.x - G.yz * a.y};
}
// sum + I a, ordered for a G that is available last: one step for the diagonal of I, one for the sum
DYN_INLINE V3 plus_turned(const V3& sum, const Moments& G, const V3& a) {
  return {mul_add(G.yy + G.zz, a.x, (sum.x - G.xy * a.y) - G.xz * a.z),
          mul_add(G.xx + G.zz, a.y, (sum.y - G.xy * a.x) - G.yz * a.z),
          mul_add(G.xx + G.yy, a.z, (sum.z - G.xz * a.x) - G.yz * a.y)};
}
// G = a b^T + b a^T
DYN_INLINE Moments pair(const V3& a, const V3& b) {
  const V xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z;
  return {xx + xx, yy + yy, zz + zz, a.x * b.y + a.y * b.x, a.x * b.z + a.z * b.x, a.y * b.z + a.z * b.y};
}
// G = a b^T + b a^T + c d^T + d c^T, ordered for a b that is available last
DYN_INLINE Moments pairs(const V3& a, const V3& b, const V3& c, const V3& d) {
  const V3 aa = a + a, cc = c + c;
  return {cc.x * d.x + aa.x * b.x,
          cc.y * d.y + aa.y * b.y,
          cc.z * d.z + aa.z * b.z,
          mul_add(a.y, b.x, mul_add(a.x, b.y, c.x * d.y + c.y * d.x)),
          mul_add(a.z, b.x, mul_add(a.x, b.z, c.x * d.z + c.z * d.x)),
          mul_add(a.z, b.y, mul_add(a.y, b.z, c.y * d.z + c.z * d.y))};
}

// Any 3x3 matrix, by rows.
struct Tensor {
  V3 x, y, z;
};
DYN_INLINE Tensor operator+(const Tensor& a, const Tensor& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
DYN_INLINE V3 operator*(const Tensor& a, const V3& b) { return {dot(a.x, b), dot(a.y, b), dot(a.z, b)}; }
// sum + tr(A) b - A b, and with A^T
DYN_INLINE V3 plus_turned(const V3& sum, const Tensor& A, const V3& b) {
  return {sum.x + (A.y.y + A.z.z) * b.x - A.x.y * b.y - A.x.z * b.z,
          sum.y + (A.x.x + A.z.z) * b.y - A.y.x * b.x - A.y.z * b.z,
          sum.z + (A.x.x + A.y.y) * b.z - A.z.x * b.x - A.z.y * b.y};
}
DYN_INLINE V3 plus_turned_back(const V3& sum, const Tensor& A, const V3& b) {
  return {sum.x + (A.y.y + A.z.z) * b.x - A.y.x * b.y - A.z.x * b.z,
          sum.y + (A.x.x + A.z.z) * b.y - A.x.y * b.x - A.z.y * b.z,
          sum.z + (A.x.x + A.y.y) * b.z - A.x.z * b.x - A.y.z * b.y};
}
DYN_INLINE Tensor outer(const V3& a, const V3& b) { return {b * a.x, b * a.y, b * a.z}; }
template <class L>
DYN_INLINE Tensor sum_down(const Tensor& a) {
  return {sum_down<L>(a.x), sum_down<L>(a.y), sum_down<L>(a.z)};
}
template <class L>
DYN_INLINE Tensor first(const Tensor& a) {
  return {first<L>(a.x), first<L>(a.y), first<L>(a.z)};
}
// Velocities times positions of a body that moves with (v, w): sum of m xdot x^T = v h^T + [w] G
DYN_INLINE Tensor swept(const Moments& G, const V3& h, const V3& v, const V3& w) {
  return {
      {v.x * h.x + w.y * G.xz - w.z * G.xy, v.x * h.y + w.y * G.yz - w.z * G.yy, v.x * h.z + w.y * G.zz - w.z * G.yz},
      {v.y * h.x + w.z * G.xx - w.x * G.xz, v.y * h.y + w.z * G.xy - w.x * G.yz, v.y * h.z + w.z * G.xz - w.x * G.zz},
      {v.z * h.x + w.x * G.xy - w.y * G.xx, v.z * h.y + w.x * G.yy - w.y * G.xy, v.z * h.z + w.x * G.yz - w.y * G.xz}};
}

}  // namespace
