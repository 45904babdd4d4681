// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// 3-vectors and symmetric 3x3 matrices of one body, for the recursions from body to body.
#pragma once

#include "positions.hpp"

namespace {

struct Scalar3 {
  double x, y, z;
};
DYN_INLINE Scalar3 operator+(const Scalar3& a, const Scalar3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
DYN_INLINE Scalar3 operator-(const Scalar3& a, const Scalar3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
DYN_INLINE Scalar3 operator*(const Scalar3& a, double s) { return {a.x * s, a.y * s, a.z * s}; }
DYN_INLINE double dot(const Scalar3& a, const Scalar3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DYN_INLINE Scalar3 cross(const Scalar3& a, const Scalar3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

struct Symmetric {
  double xx, yy, zz, xy, xz, yz;
};
DYN_INLINE Symmetric operator+(const Symmetric& a, const Symmetric& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
DYN_INLINE Scalar3 operator*(const Symmetric& S, const Scalar3& a) {
  return {S.xx * a.x + S.xy * a.y + S.xz * a.z, S.xy * a.x + S.yy * a.y + S.yz * a.z,
          S.xz * a.x + S.yz * a.y + S.zz * a.z};
}
// S - a b^T where that is symmetric
DYN_INLINE Symmetric less_product(const Symmetric& S, const Scalar3& a, const Scalar3& b) {
  return {S.xx - a.x * b.x, S.yy - a.y * b.y, S.zz - a.z * b.z, S.xy - a.x * b.y, S.xz - a.x * b.z, S.yz - a.y * b.z};
}

DYN_INLINE Scalar3 scalars(const PaperPlan& plan, int name, int body) {
  const double* from = row(plan, name) + body;
  return {from[0], from[plan.stride], from[2L * plan.stride]};
}
DYN_INLINE void put_scalars(const PaperPlan& plan, int name, int body, const Scalar3& v) {
  double* to = row(plan, name) + body;
  to[0] = v.x;
  to[plan.stride] = v.y;
  to[2L * plan.stride] = v.z;
}
DYN_INLINE Symmetric symmetric(const PaperPlan& plan, int name, int body) {
  const double* from = row(plan, name) + body;
  const long stride = plan.stride;
  return {from[0], from[stride], from[2 * stride], from[3 * stride], from[4 * stride], from[5 * stride]};
}
DYN_INLINE void put_symmetric(const PaperPlan& plan, int name, int body, const Symmetric& S) {
  double* to = row(plan, name) + body;
  const double parts[6] = {S.xx, S.yy, S.zz, S.xy, S.xz, S.yz};
  for (int c = 0; c < 6; ++c) to[static_cast<long>(c) * plan.stride] = parts[c];
}

}  // namespace
