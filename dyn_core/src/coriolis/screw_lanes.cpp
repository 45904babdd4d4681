// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// C link by link, paper 002 (Laus, Simoni and Martins), eqs 21 and 35, symbols as in dyn_core/coriolis/screw.hpp. The
// sums over k of eq 35 are taken first: dJ_x/dq_k is J_x x J_k for k beyond x, so that with the twists T_l of the link
// and T_x of body x (both with the link's centre of mass as reference point) and Mbar of eq 10
//   C_xy = 1/2 [ (J_x x T_l) . Mbar J_y + J_x . Mbar (J_y x (T_l - 2 T_y)) + (J_x x J_y) . Mbar T_l ]
// for all joints x, y that support the link: a product Y^T X, with X and Y made for W joints side by side.
#include "lanes/define_rates.hpp"
#include "lanes/screws.hpp"
#include "lanes/twists.hpp"

namespace {

struct Twist {
  V3 w, v;
};
DYN_INLINE Twist cross(const Twist& a, const Twist& b) {
  return {cross(a.w, b.w), plus_cross(cross(a.w, b.v), a.v, b.w)};
}
DYN_INLINE Twist less_twice(const Twist& a, const Twist& b) { return {a.w - (b.w + b.w), a.v - (b.v + b.v)}; }
// A body's twist with the link's centre of mass as reference point, in the link's principal axes.
DYN_INLINE Twist at_link(const LinkScrews& s, const V3& w, const V3& v, const V3& o) {
  return {s.to_axes(w), s.to_axes(plus_cross(v, w, s.c - o))};
}
// X = (S_C (J x T_l), S_C J, J),  Y = (S_C J, S_C (J x (T_l - 2 T)), J x* P) halved, with P = (L, p) = Mbar T_l
template <bool kSlides>
struct ScrewRates {
  static constexpr int kRows = 18;
  static constexpr bool kUpper = false;
  struct Link {
    LinkScrews screws;
    Twist twist;
    V3 L, p;
  };
  DYN_INLINE static Link of(const Plan& plan, int l) {
    const LinkScrews s = screws_of(plan, l);
    const Twist twist =
        at_link(s, spread3(plan, Row::omega_x, l), spread3(plan, Row::velocity_x, l), spread3(plan, Row::origin_x, l));
    const OnScrews momentum = on_screws(s, twist.w, twist.v) * s.weight;
    return {s, twist, scaled(momentum.positive - momentum.negative, s.radii),
            (momentum.positive + momentum.negative) * s.heavy};
  }
  DYN_INLINE static void columns(const Plan& plan, const Link& link, int first, V* X, V* Y) {
    const LinkScrews& s = link.screws;
    const V3 o = load3(plan, Row::origin_x, first);
    const V half_weight = s.weight * all(0.5);
    Twist J;
    joint_twist<kSlides>(plan, first, s.to_axes(load3(plan, Row::axis_x, first)), s.to_axes(s.c - o), J.w, J.v);
    const Twist body = at_link(s, load3(plan, Row::omega_x, first), load3(plan, Row::velocity_x, first), o);
    const Twist change = cross(J, link.twist), other = cross(J, less_twice(link.twist, body));
    const OnScrews SJ = on_screws(s, J.w, J.v);
    put(X, on_screws(s, change.w, change.v));
    put(X + 6, SJ);
    put3(X + 12, J.w);
    put3(X + 15, J.v);
    put(Y, SJ * half_weight);
    put(Y + 6, on_screws(s, other.w, other.v) * half_weight);
    put3(Y + 12, plus_cross(cross(J.w, link.L), J.v, link.p) * all(0.5));
    put3(Y + 15, cross(J.w, link.p) * all(0.5));
  }
};

template <bool kSlides>
DYN_INLINE void link_by_link(const Plan& plan, const Rates& rates, double* C) {
  take_rates(plan, rates);
  find_omegas<kSlides>(plan);
  find_velocities<kSlides>(plan);
  sum_links<ScrewRates<kSlides>>(plan, C);
}

void coriolis_by_screws(const Plan& plan, const Rates& rates, double* C) {
  plan.slides ? link_by_link<true>(plan, rates, C) : link_by_link<false>(plan, rates, C);
}

}  // namespace

DYN_RATES_FORM(coriolis, Screw, coriolis_by_screws)
