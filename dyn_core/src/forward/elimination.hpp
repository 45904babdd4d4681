// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Joints are eliminated from the articulated inertia one by one, from the tips, then accelerations are computed from
// the base: the lane forms of forward/denoc.hpp and forward/aba.hpp, in base axes, each body about its own origin, so
// that no inertia is rotated. Symbols are paper 001's (Mohan and Saha), eqs 30-37: Mhat is n = I w + H a, f = H^T w +
// A a with A and I symmetric; eliminating a joint is an update of rank one. Loaded: with bias forces and velocity
// products of the bodies, as in Featherstone's algorithm; otherwise they are in phi = tau - (C v + g).
#pragma once

#include "forward/elimination_kernel.hpp"
#include "lanes/body_moments.hpp"

namespace {

using dyn::forward::Pivot;

enum : int {                // loaded: of a body and its joint
  kWork_pn = kWork_free,    // bias force: moment about the origin,
  kWork_pf = kWork_pn + 3,  // force
  kWork_cw = kWork_pf + 3,  // acceleration by velocity products: angular,
  kWork_ca = kWork_cw + 3,  // linear
};

struct Articulated {
  Symmetric3<double> A, I;
  Vector3<double> Hx, Hy, Hz;  // rows
  Vector3<double> n, f;        // eta, about the same point
};
DYN_INLINE Articulated operator+(const Articulated& a, const Articulated& b) {
  return {a.A + b.A, a.I + b.I, a.Hx + b.Hx, a.Hy + b.Hy, a.Hz + b.Hz, a.n + b.n, a.f + b.f};
}

// Results of the inward pass for the outward pass; `sum`: over the children so far, for bodies with several.
struct Eliminated {
  Vector3<double> n, f;  // psi
  double phitilde;
  Vector3<double> w, a;  // mu, with the joint's own part
  Articulated sum;
};

// The body's own inertia; in a loaded elimination its bias force too.
template <bool kLoaded>
DYN_INLINE void add_own(const Plan& plan, int i, Articulated& b) {
  const double m = row(plan, Row::mass)[i];
  const Vector3<double> h = scalars(plan, kWork_h, i);
  b.A.xx += m;
  b.A.yy += m;
  b.A.zz += m;
  b.I = b.I + symmetric(plan, kWork_I, i);
  b.Hx = {b.Hx.x, b.Hx.y - h.z, b.Hx.z + h.y};
  b.Hy = {b.Hy.x + h.z, b.Hy.y, b.Hy.z - h.x};
  b.Hz = {b.Hz.x - h.y, b.Hz.y + h.x, b.Hz.z};
  if constexpr (kLoaded) {
    b.n = b.n + scalars(plan, kWork_pn, i);
    b.f = b.f + scalars(plan, kWork_pf, i);
  }
}

// Mbar = Mhat - psihat psi^T  (34);  eta + psi phihat  (32)
DYN_INLINE void take_joint(Articulated& b, const Vector3<double>& n, const Vector3<double>& f, const Eliminated& e,
                           double phihat) {
  b.I = less_product(b.I, n, e.n);
  b.A = less_product(b.A, f, e.f);
  b.Hx = b.Hx - e.f * n.x;
  b.Hy = b.Hy - e.f * n.y;
  b.Hz = b.Hz - e.f * n.z;
  b.n = b.n + e.n * phihat;
  b.f = b.f + e.f * phihat;
}

// A^T Mbar A and A^T eta with A a shift by l:  H' = H + [l] A,  I' = I - H [l] + [l] H'^T,  n' = n + l x f
DYN_INLINE Articulated shifted(const Articulated& b, const Vector3<double>& l) {
  const Vector3<double> Ax{b.A.xx, b.A.xy, b.A.xz}, Ay{b.A.xy, b.A.yy, b.A.yz}, Az{b.A.xz, b.A.yz, b.A.zz};
  Articulated to{
      b.A, b.I, b.Hx + Az * l.y - Ay * l.z, b.Hy + Ax * l.z - Az * l.x, b.Hz + Ay * l.x - Ax * l.y, b.n + cross(l, b.f),
      b.f};
  const Vector3<double> x = cross(l, b.Hx), y = cross(l, b.Hy);
  const Vector3<double> to_x = cross(l, to.Hx), to_y = cross(l, to.Hy), to_z = cross(l, to.Hz);
  to.I.xx += x.x + to_x.x;
  to.I.yy += y.y + to_y.y;
  to.I.zz += (l.x * b.Hz.y - l.y * b.Hz.x) + to_z.z;
  to.I.xy += x.y + to_y.x;
  to.I.xz += x.z + to_z.x;
  to.I.yz += y.z + to_z.y;
  return to;
}

// p + (I, H; H^T, A) c
DYN_INLINE void add_velocity_products(const Plan& plan, int i, Articulated& b) {
  const Vector3<double> w = scalars(plan, kWork_cw, i), a = scalars(plan, kWork_ca, i);
  b.n = b.n + b.I * w + Vector3<double>{dot(b.Hx, a), dot(b.Hy, a), dot(b.Hz, a)};
  b.f = b.f + b.Hx * w.x + b.Hy * w.y + b.Hz * w.z + b.A * a;
}

// (31)-(35) from the tips. A body's first child comes right after it, so that its sum stays in registers.
template <bool kLoaded>
DYN_INLINE Pivot eliminate(const Plan& plan, const double* phi, const double* armature, const double* floor,
                           Eliminated* bodies) {
  Articulated b{};
  for (int i = plan.bodies; i-- > 0;) {
    Eliminated& e = bodies[i];
    const int end = plan.subtree_end[i];
    if (i + 1 == end) b = Articulated{};
    if (i + 1 != end && plan.subtree_end[i + 1] != end) b = b + e.sum;
    add_own<kLoaded>(plan, i, b);
    const Vector3<double> z = scalars(plan, Row::axis_x, i);
    const bool turns = row(plan, Row::slides)[i] == 0.0;
    const Vector3<double> n =
        turns ? b.I * z : Vector3<double>{dot(b.Hx, z), dot(b.Hy, z), dot(b.Hz, z)};  // psihat = Mhat p
    const Vector3<double> f = turns ? b.Hx * z.x + b.Hy * z.y + b.Hz * z.z : b.A * z;
    const double mhat = (turns ? dot(n, z) : dot(f, z)) + armature[i];  // (33)
    if (!(mhat > floor[i])) return {i, mhat};
    const double inverse = 1.0 / mhat;
    const double phihat = phi[i] - (turns ? dot(b.n, z) : dot(b.f, z));  // (31)
    e.n = n * inverse;
    e.f = f * inverse;
    e.phitilde = phihat * inverse;  // (35)
    const int p = plan.parent[i];
    if (p < 0) continue;
    take_joint(b, n, f, e, phihat);
    if constexpr (kLoaded) add_velocity_products(plan, i, b);
    b = shifted(b, scalars(plan, Row::origin_x, i) - scalars(plan, Row::origin_x, p));
    if (p + 1 == i) continue;
    Articulated& sum = bodies[p].sum;
    sum = plan.subtree_end[i] == plan.subtree_end[p] ? b : sum + b;  // the last child is met first
  }
  return {-1, 0.0};
}

// (36), (37)
template <bool kLoaded>
DYN_INLINE void accelerate(const Plan& plan, const double* gravity, Eliminated* bodies, double* qdd) {
  for (int i = 0; i < plan.bodies; ++i) {
    Eliminated& e = bodies[i];
    const int p = plan.parent[i];
    Vector3<double> w{0.0, 0.0, 0.0}, a = w;
    if constexpr (kLoaded) a = {-gravity[0], -gravity[1], -gravity[2]};
    if (p >= 0) {
      w = bodies[p].w;
      a = bodies[p].a + cross(w, scalars(plan, Row::origin_x, i) - scalars(plan, Row::origin_x, p));
    }
    if constexpr (kLoaded) {
      w = w + scalars(plan, kWork_cw, i);
      a = a + scalars(plan, kWork_ca, i);
    }
    const Vector3<double> z = scalars(plan, Row::axis_x, i);
    qdd[i] = e.phitilde - (dot(e.n, w) + dot(e.f, a));
    if (row(plan, Row::slides)[i] == 0.0) {
      w = w + z * qdd[i];
    } else {
      a = a + z * qdd[i];
    }
    e.w = w;
    e.a = a;
  }
}

}  // namespace
