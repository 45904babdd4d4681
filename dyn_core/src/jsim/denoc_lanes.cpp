// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by paper 001 (Mohan and Saha), eqs 28, 29, symbols as in dyn_core/jsim/denoc.hpp, everything in base axes and each
// body about its own origin: a twist propagation A is then a shift, A_ij (w, a) = (w, a + w x (o_i - o_j)), and Mtilde
// is a mass, a first moment and a symmetric 3x3 matrix. The recursion (28) goes body by body, the products (29) have
// the joints that support i side by side.
#include "lanes/composites.hpp"
#include "lanes/define_mass.hpp"

namespace {

enum : int {
  kWork_n = kWork_free,      // Mtilde_i p_i: moment about the body's origin
  kWork_f = kWork_free + 3,  // and force
};

struct Rigid {
  Vector3<double> h;
  Symmetric3<double> I;
};
DYN_INLINE Rigid rigid_at(const Plan& plan, int i) { return {scalars(plan, kWork_h, i), symmetric(plan, kWork_I, i)}; }
DYN_INLINE void put_rigid(const Plan& plan, int i, const Rigid& b) {
  put_scalars(plan, kWork_h, i, b.h);
  put_symmetric(plan, kWork_I, i, b.I);
}
DYN_INLINE Rigid operator+(const Rigid& a, const Rigid& b) { return {a.h + b.h, a.I + b.I}; }
// A^T M A with A a shift by l:  h' = h + m l,  I' = I + 2 (e . l) 1 - e l^T - l e^T,  e = h + m l / 2
DYN_INLINE Rigid shifted(const Rigid& b, double m, const Vector3<double>& l) {
  const Vector3<double> ml = l * m, e = b.h + ml * 0.5;
  const double xx = e.x * l.x, yy = e.y * l.y, zz = e.z * l.z;
  return {b.h + ml,
          {b.I.xx + 2.0 * (yy + zz), b.I.yy + 2.0 * (xx + zz), b.I.zz + 2.0 * (xx + yy), b.I.xy - e.x * l.y - e.y * l.x,
           b.I.xz - e.x * l.z - e.z * l.x, b.I.yz - e.y * l.z - e.z * l.y}};
}

// (28). A body's first child comes right after it, so that its sum stays in registers.
DYN_INLINE void recursion(const Plan& plan) {
  Rigid child{};
  for (int i = plan.bodies; i-- > 0;) {
    Rigid b = rigid_at(plan, i);
    if (i + 1 < plan.subtree_end[i]) b = b + child;
    put_rigid(plan, i, b);
    const int p = plan.parent[i];
    if (p < 0) continue;
    const Vector3<double> l = scalars(plan, Row::origin_x, i) - scalars(plan, Row::origin_x, p);
    child = shifted(b, row(plan, Row::mass_subtree)[i], l);
    if (p + 1 != i) put_rigid(plan, p, rigid_at(plan, p) + child);
  }
}

// (29): p_i^T Mtilde_i A_ij p_j
template <bool kSlides>
DYN_INLINE void denoc_columns(const Plan& plan, double* M) {
  for (int i = 0; i < plan.bodies; ++i) {
    const V3 n = spread3(plan, kWork_n, i), f = spread3(plan, kWork_f, i), o = spread3(plan, Row::origin_x, i);
    column_above(plan, i, M, [&](int first, int /*lanes*/) {
      V3 w = load3(plan, Row::axis_x, first);
      const V3 z = w;
      if constexpr (kSlides) w = w * (all(1.0) - load(row(plan, Row::slides) + first));
      V3 a = cross(w, o - load3(plan, Row::origin_x, first));
      if constexpr (kSlides) a = a + (z - w);
      return pairing(n, w, f, a);
    });
  }
}

void mass_by_denoc(const Plan& plan, double* M) {
  own_inertias(plan);
  recursion(plan);
  if (plan.slides) {
    unit_wrenches<true>(plan, kWork_h, kWork_I, kWork_n, kWork_f);  // Mtilde_i p_i
    denoc_columns<true>(plan, M);
  } else {
    unit_wrenches<false>(plan, kWork_h, kWork_I, kWork_n, kWork_f);
    denoc_columns<false>(plan, M);
  }
  mirror(M, plan.bodies);
}

}  // namespace

DYN_MASS_FORM(Denoc, mass_by_denoc)
