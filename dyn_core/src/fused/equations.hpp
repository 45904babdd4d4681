// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The equations of one block: W bodies of a chain side by side. All in base axes, moments about a point P that is fixed
// in space: where the last body of the segment has its reference point (slid along its axis) just now, so that small
// links far from the base keep their digits. A twist (v, w) has v of the point of the body that is at P. Symbols as in
// coriolis/fused.hpp. kSlides: the model has prismatic joints (their bodies are points with mass, all others have none;
// see plan.cpp).
#pragma once

#include "kernel.hpp"
#include "sincos.hpp"
#include "vec3.hpp"

namespace {

using namespace dyn::fused;

DYN_INLINE V constant(const double* block, Constant which) { return load(block + static_cast<int>(which) * W); }

struct Quaternion {
  V w, x, y, z;
};
DYN_INLINE Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z, a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x};
}
DYN_INLINE Quaternion last(const Quaternion& a) { return {last(a.w), last(a.x), last(a.y), last(a.z)}; }
template <int K>
DYN_INLINE Quaternion up(const Quaternion& a) {
  return {up<K>(a.w, all(1.0)), up<K>(a.x, V{}), up<K>(a.y, V{}), up<K>(a.z, V{})};
}

struct Frame {
  V3 ex, ey, ez;  // axes of the body frame; ez is the joint's
  V3 o;           // reference point from P: on a revolute joint's axis, at a prismatic body's centre of mass for q = 0
  V slide;        // of prismatic joints, m
};

// Orientations of the bodies in the block's own chain: E_i = E_1 .. E_i by doubling steps, then behind `before`.
template <bool kSlides>
DYN_INLINE Quaternion orientations(const double* block, V q) {
  V c, s;
  half_angles(kSlides ? q * constant(block, revolute) : q, c, s);
  const V tw = constant(block, parent_qw), tx = constant(block, parent_qx);
  const V ty = constant(block, parent_qy), tz = constant(block, parent_qz);
  Quaternion e{tw * c - tz * s, tx * c + ty * s, ty * c - tx * s, tz * c + tw * s};
  e = up<1>(e) * e;
  if constexpr (W >= 4) e = up<2>(e) * e;
  if constexpr (W >= 8) e = up<4>(e) * e;
  return e;
}

DYN_INLINE void axes(const Quaternion& e, Frame& f) {
  const V x2 = e.x + e.x, y2 = e.y + e.y, z2 = e.z + e.z;
  const V xx = e.x * x2, yy = e.y * y2, zz = e.z * z2, one = all(1.0);
  f.ex = {one - (yy + zz), e.x * y2 + e.w * z2, e.x * z2 - e.w * y2};
  f.ey = {e.x * y2 - e.w * z2, one - (xx + zz), e.y * z2 + e.w * x2};
  f.ez = {e.x * z2 + e.w * y2, e.y * z2 - e.w * x2, one - (xx + yy)};
}

// Sum over the lanes from each one on of the way from one reference point to the next.
template <bool kSlides>
DYN_INLINE V3 way_to_the_end(const double* block, V q, Frame& f) {
  V along = constant(block, next_z);
  if constexpr (kSlides) {
    f.slide = q - q * constant(block, revolute);
    along += f.slide;
  }
  return sum_down(f.ex * constant(block, next_x) + f.ey * constant(block, next_y) + f.ez * along);
}

struct Twist {
  V3 v, w;
};
DYN_INLINE Twist operator+(const Twist& a, const Twist& b) { return {a.v + b.v, a.w + b.w}; }
DYN_INLINE Twist operator*(const Twist& a, V s) { return {a.v * s, a.w * s}; }
DYN_INLINE Twist sum_up(const Twist& a) { return {sum_up(a.v), sum_up(a.w)}; }
DYN_INLINE Twist last(const Twist& a) { return {last(a.v), last(a.w)}; }
// The same motion, said for the point at P + delta.
DYN_INLINE Twist moved(const Twist& a, const V3& delta) { return {a.v + cross(a.w, delta), a.w}; }

template <bool kSlides>
DYN_INLINE Twist unit_twist(const double* block, const Frame& f) {
  const V3 Jv = cross(f.o, f.ez);
  if constexpr (!kSlides) return {Jv, f.ez};
  const V turns = constant(block, revolute);
  return {Jv * turns + f.ez * (all(1.0) - turns), f.ez * turns};
}
// dJ = (w x Jv + v x Jw, w x Jw)
DYN_INLINE Twist unit_twist_rate(const Twist& t, const Twist& J) {
  return {cross(t.w, J.v) + cross(t.v, J.w), cross(t.w, J.w)};
}

// What is summed over subtrees.
struct Inertia {
  V3 h;
  Moments I;
};
struct Momentum {
  V3 p, L;
  Moments Idot;
};
DYN_INLINE Inertia operator+(const Inertia& a, const Inertia& b) { return {a.h + b.h, a.I + b.I}; }
DYN_INLINE Momentum operator+(const Momentum& a, const Momentum& b) { return {a.p + b.p, a.L + b.L, a.Idot + b.Idot}; }
DYN_INLINE Inertia sum_down(const Inertia& a) { return {sum_down(a.h), sum_down(a.I)}; }
DYN_INLINE Momentum sum_down(const Momentum& a) { return {sum_down(a.p), sum_down(a.L), sum_down(a.Idot)}; }
DYN_INLINE Inertia first(const Inertia& a) { return {first(a.h), first(a.I)}; }
DYN_INLINE Momentum first(const Momentum& a) { return {first(a.p), first(a.L), first(a.Idot)}; }

// First moment alone: h = R h_body (+ m c)
template <bool kSlides>
DYN_INLINE V3 first_moment(const double* block, const Frame& f) {
  const V3 h = f.ex * constant(block, moment_x) + f.ey * constant(block, moment_y);
  if constexpr (!kSlides) return h;
  return h + (f.o + f.ez * f.slide) * constant(block, point_mass);
}

// G = R S R^T + h o^T + o h^T (+ m c c^T), S without its zz: two products of an axis with a vector, made symmetric.
template <bool kSlides>
DYN_INLINE Inertia body_inertia(const double* block, const Frame& f) {
  const V hx = constant(block, moment_x), hy = constant(block, moment_y);
  const V3 a = f.ex * constant(block, half_xx) + f.ey * constant(block, second_xy) + f.ez * constant(block, second_xz) +
               f.o * hx;
  const V3 b = f.ey * constant(block, half_yy) + f.ez * constant(block, second_yz) + f.o * hy;
  Inertia body{f.ex * hx + f.ey * hy, pairs(f.ex, a, f.ey, b)};
  if constexpr (kSlides) {
    const V3 c = f.o + f.ez * f.slide;
    const V3 mc = c * constant(block, point_mass);
    body.h = body.h + mc;
    body.I = body.I + pair(c, mc * all(0.5));
  }
  return body;
}

// p = m v + w x h,  L = I w + h x v
template <bool kSlides>
DYN_INLINE V3 linear_momentum(V m, const Inertia& body, const Twist& t) {
  return kSlides ? t.v * m + cross(t.w, body.h) : cross(t.w, body.h);
}
DYN_INLINE V3 angular_momentum(const Inertia& body, const Twist& t) { return body.I * t.w + cross(body.h, t.v); }

template <bool kSlides>
DYN_INLINE Momentum body_momentum(const double* block, const Inertia& body, const Twist& t) {
  const V m = kSlides ? constant(block, point_mass) : V{};
  return {linear_momentum<kSlides>(m, body, t), angular_momentum(body, t), rate(body.I, body.h, t.v, t.w)};
}

// A force or its likes: (linear, about P).
struct Wrench {
  V3 f, n;
};
DYN_INLINE Wrench operator+(const Wrench& a, const Wrench& b) { return {a.f + b.f, a.n + b.n}; }
DYN_INLINE Wrench sum_down(const Wrench& a) { return {sum_down(a.f), sum_down(a.n)}; }
DYN_INLINE Wrench first(const Wrench& a) { return {first(a.f), first(a.n)}; }
// The same wrench about P - delta, where its moments were about P.
DYN_INLINE Wrench moved_back(const Wrench& a, const V3& delta) { return {a.f, a.n + cross(delta, a.f)}; }

// F = (m Jv + Jw x h, I Jw + h x Jv), of the composite body
template <bool kSlides>
DYN_INLINE Wrench inertial_wrench(V m, const Inertia& c, const Twist& J) {
  const V3 f = cross(J.w, c.h);
  return {kSlides ? f + J.v * m : f, c.I * J.w + cross(c.h, J.v)};
}

// Force and moment that a body's motion takes: f = m A_v + A_w x h + w x p,  n = I A_w + h x A_v + w x L + v x p
template <bool kSlides>
DYN_INLINE Wrench body_wrench(const double* block, const Inertia& body, const Twist& t, const Twist& A) {
  const V m = kSlides ? constant(block, point_mass) : V{};
  const V3 p = linear_momentum<kSlides>(m, body, t), L = angular_momentum(body, t);
  const Wrench still = inertial_wrench<kSlides>(m, body, A);
  return {still.f + cross(t.w, p), still.n + cross(t.w, L) + cross(t.v, p)};
}

// dF = (m dJv + dJw x h + Jw x p, I dJw + h x dJv + (Idot Jw + Jw x L)/2),  D = p x Jv + (Idot Jw - Jw x L)/2
template <bool kSlides>
DYN_INLINE void coriolis_wrench(V m, const Inertia& c, const Momentum& k, const Twist& J, const Twist& dJ, Wrench& dF,
                                V3& D) {
  const V3 spin = (k.Idot * J.w) * all(0.5), turn = cross(J.w, k.L) * all(0.5);
  dF = inertial_wrench<kSlides>(m, c, dJ);
  dF.f = dF.f + cross(J.w, k.p);
  dF.n = dF.n + (spin + turn);
  D = cross(k.p, J.v) + (spin - turn);
}

}  // namespace
