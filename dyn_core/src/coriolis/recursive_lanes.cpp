// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// C in O(n d) after Echeandia and Wensing, symbols as in dyn_core/coriolis/recursive.hpp, in base axes and each body
// about its own origin. There N = S - [L]/2 with S symmetric, and a shift by l adds  (l.p) 1 - (p l^T + l p^T)/2  to S
// and l x p to L; so the composites are sums over lanes. F1, F2 and F3 are multiplied with the twists of all ancestors
// at once.
#include "lanes/composites.hpp"
#include "lanes/define_rates.hpp"
#include "lanes/twists.hpp"

namespace {

enum : int {
  kOwn_L = kComposite_free,  // a body's own
  kOwn_S = kOwn_L + 3,       // six rows
  kWork_p = kOwn_S + 6,      // composite: momentum,
  kWork_L = kWork_p + 3,     // its moment,
  kWork_S = kWork_L + 3,     // and S
  kWork_dw = kOwn_L,         // dS = V x S of the joints; replaces L and S of the bodies
  kWork_dv = kOwn_L + 3,
};

// ([w] I - I [w]) / 2 - (h v^T + v h^T)/2 + (h.v) 1
DYN_INLINE Moments body_S(const V3& w, const V3& v, const V3& h, const Moments& I) {
  const V half = all(0.5), hv = dot(h, v);
  return {(w.y * I.xz - w.z * I.xy) - h.x * v.x + hv,
          (w.z * I.xy - w.x * I.yz) - h.y * v.y + hv,
          (w.x * I.yz - w.y * I.xz) - h.z * v.z + hv,
          half * ((w.z * (I.xx - I.yy) + w.y * I.yz - w.x * I.xz) - (h.x * v.y + h.y * v.x)),
          half * ((w.y * (I.zz - I.xx) + w.x * I.xy - w.z * I.yz) - (h.x * v.z + h.z * v.x)),
          half * ((w.x * (I.yy - I.zz) + w.z * I.xz - w.y * I.xy) - (h.y * v.z + h.z * v.y))};
}
DYN_INLINE Moments shift_of_S(const V3& l, const V3& p) {
  const V half = all(0.5), x = l.x * p.x, y = l.y * p.y, z = l.z * p.z;
  return {y + z,
          x + z,
          x + y,
          -half * (l.x * p.y + l.y * p.x),
          -half * (l.x * p.z + l.z * p.x),
          -half * (l.y * p.z + l.z * p.y)};
}

DYN_INLINE void compose_rates(const Plan& plan) {
  const auto own = [&](int i) {
    const V3 w = load3(plan, Row::omega_x, i), v = load3(plan, Row::velocity_x, i), h = load3(plan, kWork_h, i);
    const Moments I = load6(plan, kWork_I, i);
    store3(plan, kOwn_L, i, I * w + cross(h, v));
    store6(plan, kOwn_S, i, body_S(w, v, h, I));
    return numbers(v * load(row(plan, Row::mass) + i) + cross(w, h));
  };
  for (int i = 0; i < plan.bodies; i += W) {
    const Numbers<3> p = own(i);
    store3(plan, kWork_S, i, vector(p));
  }
  sum_subtrees<3>(
      plan, kWork_p, [&](int i) { return numbers(load3(plan, kWork_S, i)); },
      [](int, int, const Numbers<3>&, const Numbers<3>&) {});
  sum_subtrees<3>(
      plan, kComposite_sums,
      [&](int i) {
        return numbers(load3(plan, kOwn_L, i) + cross(load3(plan, Row::step_x, i), load3(plan, kWork_p, i)));
      },
      [&](int i, int lanes, const Numbers<3>&, const Numbers<3>& beyond) {
        store_own(plan, kWork_L, i, lanes, numbers(load3(plan, kOwn_L, i) + vector(beyond)));
      });
  sum_subtrees<6>(
      plan, kComposite_sums,
      [&](int i) {
        return numbers(load6(plan, kOwn_S, i) + shift_of_S(load3(plan, Row::step_x, i), load3(plan, kWork_p, i)));
      },
      [&](int i, int lanes, const Numbers<6>&, const Numbers<6>& beyond) {
        store_own(plan, kWork_S, i, lanes, numbers(load6(plan, kOwn_S, i) + moments(beyond)));
      });
}

// dS = V x S: (w x z, v x z) where the joint turns, (0, w x z) where it slides.
template <bool kSlides>
DYN_INLINE void joint_rates(const Plan& plan) {
  for (int i = 0; i < plan.bodies; i += W) {
    const V3 z = load3(plan, Row::axis_x, i), wz = cross(load3(plan, Row::omega_x, i), z);
    V3 dw = wz, dv = cross(load3(plan, Row::velocity_x, i), z);
    if constexpr (kSlides) {
      const V slides = load(row(plan, Row::slides) + i), turns = all(1.0) - slides;
      dw = wz * turns;
      dv = dv * turns + wz * slides;
    }
    store3(plan, kWork_dw, i, dw);
    store3(plan, kWork_dv, i, dv);
  }
}

struct Force {
  V3 n, f;
};
DYN_INLINE Force in_all_lanes(const Vector3<double>& n, const Vector3<double>& f) {
  return {{all(n.x), all(n.y), all(n.z)}, {all(f.x), all(f.y), all(f.z)}};
}
struct Forces {
  Force F1, F2;
  V3 F3;  // a moment
};

// Of joint j:  F1 = Ic dS + Bc S,  F2 = Ic S,  F3 = Bc^T S
DYN_INLINE Forces forces_of(const Plan& plan, int j) {
  const Vector3<double> z = scalars(plan, Row::axis_x, j), h = scalars(plan, Row::composite_h, j);
  const Vector3<double> p = scalars(plan, kWork_p, j), L = scalars(plan, kWork_L, j);
  const Vector3<double> dw = scalars(plan, kWork_dw, j), dv = scalars(plan, kWork_dv, j);
  const Symmetric3<double> I = symmetric(plan, Row::composite_I, j);
  const double m = row(plan, Row::mass_subtree)[j];
  Vector3<double> n1 = I * dw + cross(h, dv), f1 = dv * m + cross(dw, h);
  if (row(plan, Row::slides)[j] != 0.0) {
    const Vector3<double> F3 = cross(p, z);
    return {in_all_lanes(n1, f1), in_all_lanes(cross(h, z), z * m), in_all_lanes(F3, F3).n};
  }
  const Vector3<double> Sz = symmetric(plan, kWork_S, j) * z, half_Lz = cross(L, z) * 0.5;
  const Vector3<double> F3 = Sz + half_Lz;
  n1 = n1 + (Sz - half_Lz);
  f1 = f1 + cross(z, p);
  return {in_all_lanes(n1, f1), in_all_lanes(I * z, cross(z, h)), in_all_lanes(F3, F3).n};
}

// Above the diagonal C_ij = S_i . F1; below it C_ji = dS_i . F2 + S_i . F3, which is stored transposed first.
template <bool kSlides>
DYN_INLINE void columns(const Plan& plan, double* C) {
  double* below = square(plan, 0);
  if (plan.segments > 1) clear_square(plan, 0);  // entries that are zero by structure
  for (int j = 0; j < plan.bodies; ++j) {
    const Forces F = forces_of(plan, j);
    const V3 o = spread3(plan, Row::origin_x, j);
    column_above(plan, j, C, [&](int first, int lanes) {
      const V3 z = load3(plan, Row::axis_x, first), r = o - load3(plan, Row::origin_x, first);
      const V3 n1 = plus_cross(F.F1.n, r, F.F1.f), n2 = plus_cross(F.F2.n, r, F.F2.f);
      V above = dot(z, n1), F3 = dot(z, F.F3);
      if constexpr (kSlides) {
        const V slides = load(row(plan, Row::slides) + first), turns = all(1.0) - slides;
        above = above * turns + dot(z, F.F1.f) * slides;
        F3 = F3 * turns;
      }
      const V under = pairing(load3(plan, kWork_dw, first), n2, load3(plan, kWork_dv, first), F.F2.f) + F3;
      store_lanes(below + static_cast<long>(j) * plan.bodies + first, under, lanes);
      return above;
    });
  }
  mirror(below, C, plan.bodies);
}

template <bool kSlides>
DYN_INLINE void recursive(const Plan& plan, const Rates& rates, double* C) {
  take_rates(plan, rates);
  find_omegas<kSlides>(plan);
  find_velocities<kSlides>(plan);
  compose(plan);
  compose_rates(plan);
  joint_rates<kSlides>(plan);
  columns<kSlides>(plan, C);
}

void coriolis_by_recursion(const Plan& plan, const Rates& rates, double* C) {
  plan.slides ? recursive<true>(plan, rates, C) : recursive<false>(plan, rates, C);
}

}  // namespace

DYN_RATES_FORM(coriolis, Recursive, coriolis_by_recursion)
