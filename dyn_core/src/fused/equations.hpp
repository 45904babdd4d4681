// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The equations of one block: W bodies of a chain side by side, or one body in W states (L, simd.hpp). All in base
// axes, moments about a point P that is fixed in space: the current reference point of the segment's last body (moved
// along its axis), so that small links far from the base lose no digits. A twist (v, w) has v of the
// point of the body that is at P. Symbols as in coriolis/fused.hpp. kSlides: the model has prismatic joints (their
// bodies are point masses, all others have no mass; see plan.cpp).
#pragma once

#include "fused/kernel.hpp"
#include "lanes/rotations.hpp"

namespace {

using namespace dyn::fused;
using dyn::term_C;
using dyn::term_g;
using dyn::term_h;
using dyn::term_M;

template <class L>
DYN_INLINE V constant(const double* block, Constant which) {
  return L::constant(block + static_cast<int>(which) * L::bodies);
}

template <bool kSlides>
DYN_INLINE Quaternion orientations(const double* block, V q) {
  const V angle = kSlides ? q * constant<Bodies>(block, revolute) : q;
  return along_lanes({constant<Bodies>(block, parent_qw), constant<Bodies>(block, parent_qx),
                      constant<Bodies>(block, parent_qy), constant<Bodies>(block, parent_qz)},
                     angle);
}

// Axes of one body from those of the body before it, with turn.w and turn.x the cosine and sine of its angle.
DYN_INLINE void turned_axes(const V3* before, const AxisPermutation& permutation, const double* body,
                            const Quaternion& turn, Frame& f) {
  V3 ex, ey;
  if (permutation.applies) {
    ex = before[permutation.axis[0]] * all(permutation.sign[0]);
    ey = before[permutation.axis[1]] * all(permutation.sign[1]);
    f.ez = before[permutation.axis[2]] * all(permutation.sign[2]);
  } else {
    const auto column = [&](Constant first) {
      return before[0] * all(body[first]) + before[1] * all(body[first + 1]) + before[2] * all(body[first + 2]);
    };
    ex = column(turn_xx);
    ey = column(turn_xy);
    f.ez = column(turn_xz);
  }
  f.ex = ex * turn.w + ey * turn.x;
  f.ey = ey * turn.w - ex * turn.x;
}

// Reference points relative to the last one in the block: for each lane the sum of the offsets from it on.
template <class L, bool kSlides>
DYN_INLINE V3 offset_back(const double* block, V q, Frame& f) {
  V3 offset = f.ex * constant<L>(block, back_x) + f.ey * constant<L>(block, back_y);
  if constexpr (kSlides) {
    f.slide = q - q * constant<L>(block, revolute);
    offset = offset + f.ez * (constant<L>(block, back_z) - f.slide);
  }
  return sum_down<L>(offset);
}

struct Twist {
  V3 v, w;
};
DYN_INLINE Twist operator+(const Twist& a, const Twist& b) { return {a.v + b.v, a.w + b.w}; }
DYN_INLINE Twist operator*(const Twist& a, V s) { return {a.v * s, a.w * s}; }
template <class L>
DYN_INLINE Twist sum_up(const Twist& a) {
  return {sum_up<L>(a.v), sum_up<L>(a.w)};
}
template <class L>
DYN_INLINE Twist last(const Twist& a) {
  return {last<L>(a.v), last<L>(a.w)};
}
// Twist with its reference point moved to P + delta.
DYN_INLINE Twist moved(const Twist& a, const V3& delta) { return {a.v + cross(a.w, delta), a.w}; }

template <class L, bool kSlides>
DYN_INLINE Twist unit_twist(const double* block, const Frame& f) {
  const V3 Jv = cross(f.o, f.ez);
  if constexpr (!kSlides) return {Jv, f.ez};
  const V turns = constant<L>(block, revolute);
  return {Jv * turns + f.ez * (all(1.0) - turns), f.ez * turns};
}
// dJ = (w x Jv + v x Jw, w x Jw); of J v it is dJ v
DYN_INLINE Twist unit_twist_rate(const Twist& t, const Twist& J) {
  return {plus_cross(cross(t.w, J.v), t.v, J.w), cross(t.w, J.w)};
}

// The quantities that are summed over subtrees: first moment h, second moments G;
// linear momentum p, and A = sum of m xdot x^T, whose parts are Gdot = A + A^T and L, the axis of A^T - A.
struct Inertia {
  V3 h;
  Moments G;
};
struct Momentum {
  V3 p;
  Tensor A;
};
DYN_INLINE Inertia operator+(const Inertia& a, const Inertia& b) { return {a.h + b.h, a.G + b.G}; }
DYN_INLINE Momentum operator+(const Momentum& a, const Momentum& b) { return {a.p + b.p, a.A + b.A}; }
template <class L>
DYN_INLINE Inertia sum_down(const Inertia& a) {
  return {sum_down<L>(a.h), sum_down<L>(a.G)};
}
template <class L>
DYN_INLINE Momentum sum_down(const Momentum& a) {
  return {sum_down<L>(a.p), sum_down<L>(a.A)};
}
template <class L>
DYN_INLINE Inertia first(const Inertia& a) {
  return {first<L>(a.h), first<L>(a.G)};
}
template <class L>
DYN_INLINE Momentum first(const Momentum& a) {
  return {first<L>(a.p), first<L>(a.A)};
}

// First moment alone: h = R h_body (+ m c)
template <class L, bool kSlides>
DYN_INLINE V3 first_moment(const double* block, const Frame& f) {
  const V3 h = L::aligned ? f.ex * constant<L>(block, moment_x)
                          : f.ex * constant<L>(block, moment_x) + f.ey * constant<L>(block, moment_y);
  if constexpr (!kSlides) return h;
  return h + (f.o + f.ez * f.slide) * constant<L>(block, point_mass);
}

// G = R S R^T + h o^T + o h^T (+ m c c^T), S without its zz: two products of an axis with a vector, made symmetric.
template <class L, bool kSlides>
DYN_INLINE Inertia body_inertia(const double* block, const Frame& f) {
  const V hx = constant<L>(block, moment_x);
  const V3 a = ((f.ex * constant<L>(block, half_xx) + f.ey * constant<L>(block, second_xy)) +
                f.ez * constant<L>(block, second_xz)) +
               f.o * hx;
  V3 b = f.ey * constant<L>(block, half_yy) + f.ez * constant<L>(block, second_yz);
  V3 h = f.ex * hx;
  if constexpr (!L::aligned) {
    const V hy = constant<L>(block, moment_y);
    b = b + f.o * hy;
    h = h + f.ey * hy;
  }
  Inertia body{h, pairs(f.ex, a, f.ey, b)};
  if constexpr (kSlides) {
    const V3 c = f.o + f.ez * f.slide;
    const V3 mc = c * constant<L>(block, point_mass);
    body.h = body.h + mc;
    body.G = body.G + pair(c, mc * all(0.5));
  }
  return body;
}

// p = m v + w x h,  A = v h^T + [w] G
template <class L, bool kSlides>
DYN_INLINE Momentum body_momentum(const double* block, const Inertia& body, const Twist& t) {
  V3 p = cross(t.w, body.h);
  if constexpr (kSlides) p = p + t.v * constant<L>(block, point_mass);
  return {p, swept(body.G, body.h, t.v, t.w)};
}

// A wrench, momentum or the like: (force, moment about P).
struct Wrench {
  V3 f, n;
};
DYN_INLINE Wrench operator+(const Wrench& a, const Wrench& b) { return {a.f + b.f, a.n + b.n}; }
template <class L>
DYN_INLINE Wrench sum_down(const Wrench& a) {
  return {sum_down<L>(a.f), sum_down<L>(a.n)};
}
template <class L>
DYN_INLINE Wrench first(const Wrench& a) {
  return {first<L>(a.f), first<L>(a.n)};
}
// Wrench with its reference point moved from P to P - delta.
DYN_INLINE Wrench moved_back(const Wrench& a, const V3& delta) { return {a.f, a.n + cross(delta, a.f)}; }

// F = (m Jv + Jw x h, I Jw + h x Jv), of the composite body
template <bool kSlides>
DYN_INLINE Wrench inertial_wrench(V m, const Inertia& c, const Twist& J) {
  const V3 f = cross(J.w, c.h);
  return {kSlides ? f + J.v * m : f, plus_turned(cross(c.h, J.v), c.G, J.w)};
}

// Force and moment for a body's motion. Its points x are accelerated by b + A_w x x + w x (w x x), b = A_v + w x v:
//   f = m b + A_w x h + w x (w x h),  n = h x b + tr(G) A_w - G A_w + (G w) x w
// Terms with velocities alone are added first, since the accelerations are available last.
template <class L, bool kSlides>
DYN_INLINE Wrench body_wrench(const double* block, const Inertia& body, const Twist& t, const Twist& A) {
  const V3 wv = cross(t.w, t.v);
  const V3 f = plus_cross(cross(t.w, cross(t.w, body.h)), A.w, body.h);
  const V3 n = plus_turned(plus_cross(cross(body.h, wv), body.G * t.w, t.w), body.G, A.w) + cross(body.h, A.v);
  if constexpr (!kSlides) return {f, n};
  return {f + (A.v + wv) * constant<L>(block, point_mass), n};
}

// dF = (m dJv + dJw x h + Jw x p, I dJw + h x dJv + tr(A) Jw - A Jw),  D = p x Jv + tr(A) Jw - A^T Jw
template <bool kSlides>
DYN_INLINE void coriolis_wrench(V m, const Inertia& c, const Momentum& k, const Twist& J, const Twist& dJ, Wrench& dF,
                                V3& D) {
  dF = inertial_wrench<kSlides>(m, c, dJ);
  dF.f = plus_cross(dF.f, J.w, k.p);
  dF.n = plus_turned(dF.n, k.A, J.w);
  D = plus_turned_back(cross(k.p, J.v), k.A, J.w);
}

}  // namespace
