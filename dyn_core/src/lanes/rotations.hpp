// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Orientations of W bodies of a chain side by side: quaternions, their products along the lanes, and the axes that they
// stand for.
#pragma once

#include "lanes/sincos.hpp"
#include "lanes/vec3.hpp"

namespace {

struct Quaternion {
  V w, x, y, z;
};
// Sums paired for a short chain of dependent operations, since the product of rotations is on the critical path.
DYN_INLINE Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {(a.w * b.w - a.x * b.x) - (a.y * b.y + a.z * b.z), (a.w * b.x + a.x * b.w) + (a.y * b.z - a.z * b.y),
          (a.w * b.y + a.y * b.w) + (a.z * b.x - a.x * b.z), (a.w * b.z + a.z * b.w) + (a.x * b.y - a.y * b.x)};
}
template <class L>
DYN_INLINE Quaternion last(const Quaternion& a) {
  return {L::last(a.w), L::last(a.x), L::last(a.y), L::last(a.z)};
}
template <int K>
DYN_INLINE Quaternion up(const Quaternion& a) {
  return {up<K>(a.w, all(1.0)), up<K>(a.x, V{}), up<K>(a.y, V{}), up<K>(a.z, V{})};
}
struct Frame {
  V3 ex, ey, ez;  // axes of the body frame; ez is the joint's
  V3 o;           // reference point from P: on a revolute joint's axis, at a prismatic body's centre of mass for q = 0
  V slide;        // of prismatic joints, m
};

// Orientations of the bodies relative to the body before their block, from those of the joint frames and the angles:
// products over the lanes by doubling steps.
DYN_INLINE Quaternion along_lanes(const Quaternion& t, V angle) {
  V c, s;
  half_angles(angle, c, s);
  Quaternion e{t.w * c - t.z * s, t.x * c + t.y * s, t.y * c - t.x * s, t.z * c + t.w * s};
  e = up<1>(e) * e;
  if constexpr (W >= 4) e = up<2>(e) * e;
  if constexpr (W >= 8) e = up<4>(e) * e;
  return e;
}
DYN_INLINE void axes(const Quaternion& e, Frame& f) {
  const V x2 = e.x + e.x, y2 = e.y + e.y, z2 = e.z + e.z;
  const V xx = e.x * x2, yy = e.y * y2, one = all(1.0);
  f.ex = {(one - yy) - e.z * z2, e.x * y2 + e.w * z2, e.x * z2 - e.w * y2};
  f.ey = {e.x * y2 - e.w * z2, (one - xx) - e.z * z2, e.y * z2 + e.w * x2};
  f.ez = {e.x * z2 + e.w * y2, e.y * z2 - e.w * x2, (one - xx) - yy};
}

// v from the body's axes to those of the base
DYN_INLINE V3 in_base(const Frame& f, const V3& v) { return f.ex * v.x + f.ey * v.y + f.ez * v.z; }

}  // namespace
