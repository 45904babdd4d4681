// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Inverse dynamics by frame injection, paper 003 (Safeea, Neto and Bearee), eqs 4-17, symbols as in
// dyn_core/inverse/injection.hpp: the transfers of joint j to W links side by side, from the nearest joint to the base.
// A joint that does not support a link transfers nothing: its rates are 0 in that lane.
#include "inverse/body_wrenches.hpp"
#include "lanes/define_rates.hpp"

namespace {

// Of W links, so far.
struct Transfers {
  V3 acceleration, moment, vr, wr;
};

DYN_INLINE void inject(const V3& k, const V3& p, V qd, V qdd, const Moments& I, V trace, Transfers& t) {
  const V3 w = k * qd, k_p = cross(k, p), velocity = k_p * qd, Ik = I * k;
  const V3 Lw = (k * trace - (Ik + Ik)) * qd;                                            // (14)
  t.acceleration = plus_cross(t.acceleration + k_p * qdd, w, velocity + (t.vr + t.vr));  // (11)
  t.moment = plus_cross(t.moment + Ik * qdd, Lw, w * all(0.5) + t.wr);                   // (17)
  t.vr = t.vr + velocity;                                                                // (10)
  t.wr = t.wr + w;                                                                       // (16)
}
DYN_INLINE void inject_prismatic(const V3& k, V qd, V qdd, Transfers& t) {
  t.acceleration = t.acceleration + k * qdd;
  t.vr = t.vr + k * qd;
}

// x in the links first .. first + W that joint j supports, 0 in the others.
DYN_INLINE V where_supported(const Plan& plan, int j, int first, double x) {
  const int skipped = j - first, end = plan.subtree_end[j] - first;
  V value = all(x);
  if (end < W) value = first_of(end, value, V{});
  return skipped > 0 ? first_of(skipped, V{}, value) : value;
}

void inverse_by_injection(const Plan& plan, const Rates& rates, double* tau) {
  const V3 zero{}, upwards{all(-rates.gravity[0]), all(-rates.gravity[1]), all(-rates.gravity[2])};
  for (int first = 0; first < plan.bodies; first += W) {
    const int end = first + W < plan.bodies ? first + W : plan.bodies;
    const Moments I = load6(plan, Row::inertia_xx, first);
    const V trace = I.xx + I.yy + I.zz;
    const V3 c = load3(plan, Row::com_x, first);
    Transfers t{upwards, zero, zero, zero};
    for (int j = end - 1; j >= 0; --j) {
      if (plan.subtree_end[j] <= first) continue;
      const V qd = where_supported(plan, j, first, rates.v[j]), qdd = where_supported(plan, j, first, rates.a[j]);
      const V3 k = spread3(plan, Row::axis_x, j);
      if (row(plan, Row::slides)[j] != 0.0) {
        inject_prismatic(k, qd, qdd, t);
      } else {
        inject(k, c - spread3(plan, Row::origin_x, j), qd, qdd, I, trace, t);
      }
    }
    store3(plan, kBody_f, first, t.acceleration * load(row(plan, Row::mass) + first));
    store3(plan, kBody_n, first, t.moment);
  }
  project(plan, tau);
}

}  // namespace

DYN_RATES_FORM(inverse, Injection, inverse_by_injection)
