// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Reading and writing a Plan (plan.hpp): its rows for W bodies side by side (load3, store3), for one body in all lanes
// (spread3) and for one body by itself (scalars, symmetric, for recursions from body to body); its constants by blocks.
#pragma once

#include "lanes/plan.hpp"
#include "lanes/rotations.hpp"

namespace {

using dyn::lanes::Fixed;
using dyn::lanes::Plan;
using dyn::lanes::Row;
using dyn::lanes::Segment;

// Of a segment, all lanes alike: its last body's pose, and the sums of the segments below it (jsim/gdahj_lanes.cpp).
struct SegmentEnd {
  Quaternion orientation;
  V3 origin;
  V3 h, b;
  Tensor D;
};

DYN_INLINE SegmentEnd* ends_of(const Plan& plan) { return static_cast<SegmentEnd*>(plan.bridges); }
DYN_INLINE double* row(const Plan& plan, int name) { return plan.rows + static_cast<long>(name) * plan.stride; }
DYN_INLINE V3 load3(const Plan& plan, int name, int body) {
  const double* from = row(plan, name) + body;
  return {load(from), load(from + plan.stride), load(from + 2L * plan.stride)};
}
DYN_INLINE V3 spread3(const Plan& plan, int name, int body) {
  const double* from = row(plan, name) + body;
  return {all(from[0]), all(from[plan.stride]), all(from[2L * plan.stride])};
}
DYN_INLINE void store3(const Plan& plan, int name, int body, const V3& v) {
  double* to = row(plan, name) + body;
  store(to, v.x);
  store(to + plan.stride, v.y);
  store(to + 2L * plan.stride, v.z);
}
DYN_INLINE Moments load6(const Plan& plan, int name, int body) {
  const double* from = row(plan, name) + body;
  const long stride = plan.stride;
  return {load(from),
          load(from + stride),
          load(from + 2 * stride),
          load(from + 3 * stride),
          load(from + 4 * stride),
          load(from + 5 * stride)};
}
DYN_INLINE Moments spread6(const Plan& plan, int name, int body) {
  const double* from = row(plan, name) + body;
  const long stride = plan.stride;
  return {all(from[0]),          all(from[stride]),     all(from[2 * stride]),
          all(from[3 * stride]), all(from[4 * stride]), all(from[5 * stride])};
}
DYN_INLINE void store6(const Plan& plan, int name, int body, const Moments& I) {
  double* to = row(plan, name) + body;
  const V parts[6] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
  for (int c = 0; c < 6; ++c) store(to + static_cast<long>(c) * plan.stride, parts[c]);
}
DYN_INLINE V fixed(const double* block, int name) { return load(block + static_cast<long>(name) * W); }
DYN_INLINE V3 fixed3(const double* block, int name) {
  return {fixed(block, name), fixed(block, name + 1), fixed(block, name + 2)};
}
DYN_INLINE const double* block_of(const Plan& plan, const Segment& s, int k) {
  return plan.constants + static_cast<long>(s.first_block + k) * (static_cast<int>(Fixed::count) * W);
}
DYN_INLINE int lanes_of(const Segment& s, int k) {
  const int left = s.bodies - k * W;
  return left < W ? left : W;
}

DYN_INLINE Vector3<double> scalars(const Plan& plan, int name, int body) {
  const double* from = row(plan, name) + body;
  return {from[0], from[plan.stride], from[2L * plan.stride]};
}
DYN_INLINE void put_scalars(const Plan& plan, int name, int body, const Vector3<double>& v) {
  double* to = row(plan, name) + body;
  to[0] = v.x;
  to[plan.stride] = v.y;
  to[2L * plan.stride] = v.z;
}
DYN_INLINE Symmetric3<double> symmetric(const Plan& plan, int name, int body) {
  const double* from = row(plan, name) + body;
  const long stride = plan.stride;
  return {from[0], from[stride], from[2 * stride], from[3 * stride], from[4 * stride], from[5 * stride]};
}
DYN_INLINE void put_symmetric(const Plan& plan, int name, int body, const Symmetric3<double>& S) {
  double* to = row(plan, name) + body;
  const double parts[6] = {S.xx, S.yy, S.zz, S.xy, S.xz, S.yz};
  for (int c = 0; c < 6; ++c) to[static_cast<long>(c) * plan.stride] = parts[c];
}

}  // namespace
