// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// 3-vectors and symmetric 3x3 matrices, W of them side by side.
#pragma once

#include "simd.hpp"

namespace {

struct V3 {
  V x, y, z;
};

DYN_INLINE V3 operator+(const V3& a, const V3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
DYN_INLINE V3 operator-(const V3& a, const V3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
DYN_INLINE V3 operator*(const V3& a, V s) { return {a.x * s, a.y * s, a.z * s}; }
DYN_INLINE V dot(const V3& a, const V3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DYN_INLINE V3 cross(const V3& a, const V3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
DYN_INLINE V3 last(const V3& a) { return {last(a.x), last(a.y), last(a.z)}; }
DYN_INLINE V3 first(const V3& a) { return {first(a.x), first(a.y), first(a.z)}; }
DYN_INLINE V3 sum_up(const V3& a) { return {sum_up(a.x), sum_up(a.y), sum_up(a.z)}; }
DYN_INLINE V3 sum_down(const V3& a) { return {sum_down(a.x), sum_down(a.y), sum_down(a.z)}; }
DYN_INLINE V3 spread(const V3& a, int lane) { return {spread(a.x, lane), spread(a.y, lane), spread(a.z, lane)}; }

// A body's second moments G about a point, kept as the rotational inertia acts, I x = tr(G) x - G x:
// xx, yy, zz are the diagonal of I (xx = Gyy + Gzz), xy, xz, yz are those of G.
struct Moments {
  V xx, yy, zz, xy, xz, yz;
};

DYN_INLINE V3 operator*(const Moments& I, const V3& a) {
  return {I.xx * a.x - I.xy * a.y - I.xz * a.z, I.yy * a.y - I.xy * a.x - I.yz * a.z,
          I.zz * a.z - I.xz * a.x - I.yz * a.y};
}
DYN_INLINE Moments operator+(const Moments& a, const Moments& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
DYN_INLINE Moments sum_down(const Moments& a) {
  return {sum_down(a.xx), sum_down(a.yy), sum_down(a.zz), sum_down(a.xy), sum_down(a.xz), sum_down(a.yz)};
}
DYN_INLINE Moments first(const Moments& a) {
  return {first(a.xx), first(a.yy), first(a.zz), first(a.xy), first(a.xz), first(a.yz)};
}
// G = a b^T + b a^T
DYN_INLINE Moments pair(const V3& a, const V3& b) {
  const V xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z;
  return {(yy + zz) + (yy + zz), (xx + zz) + (xx + zz), (xx + yy) + (xx + yy),
          a.x * b.y + a.y * b.x, a.x * b.z + a.z * b.x, a.y * b.z + a.z * b.y};
}
// G = a b^T + b a^T + c d^T + d c^T
DYN_INLINE Moments pairs(const V3& a, const V3& b, const V3& c, const V3& d) {
  const V xx = a.x * b.x + c.x * d.x, yy = a.y * b.y + c.y * d.y, zz = a.z * b.z + c.z * d.z;
  const V yz = yy + zz, xz = xx + zz, xy = xx + yy;
  return {yz + yz,
          xz + xz,
          xy + xy,
          a.x * b.y + a.y * b.x + c.x * d.y + c.y * d.x,
          a.x * b.z + a.z * b.x + c.x * d.z + c.z * d.x,
          a.y * b.z + a.z * b.y + c.y * d.z + c.z * d.y};
}
// d/dt of second moments about a fixed point: Gdot = v h^T + h v^T + [w] G + G [w]^T
DYN_INLINE Moments rate(const Moments& I, const V3& h, const V3& v, const V3& w) {
  const V xx = v.x * h.x + w.y * I.xz - w.z * I.xy;
  const V yy = v.y * h.y + w.z * I.xy - w.x * I.yz;
  const V zz = v.z * h.z + w.x * I.yz - w.y * I.xz;
  const V yz = yy + zz, xz = xx + zz, xy = xx + yy;
  return {yz + yz,
          xz + xz,
          xy + xy,
          v.x * h.y + h.x * v.y + w.y * I.yz - w.x * I.xz + w.z * (I.yy - I.xx),
          v.x * h.z + h.x * v.z + w.x * I.xy - w.z * I.yz + w.y * (I.xx - I.zz),
          v.y * h.z + h.y * v.z + w.z * I.xz - w.y * I.xy + w.x * (I.zz - I.yy)};
}

}  // namespace
