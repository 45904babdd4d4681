// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by pseudo-inertias (paper 000, Table 1), symbols as in dyn_core/jsim/pseudo_inertia.hpp:
//   M_ij = sum over l of tr(U_li J_l U_lj^T),  U_li = E_i T_l,   so  = tr(E_i (T_l J_l T_l^T) E_j^T)
// The pseudo-inertia is rotated to base axes once a link, about the link's origin: K = [S, h; h^T, m]. E_i = [[n], u]
// with u the velocity of the link's origin for a unit rate of joint i; products Y = E K and traces for W joints side by
// side, without the entries that are always 0.
#include "lanes/define_mass.hpp"
#include "lanes/link_products.hpp"

namespace {

enum : int { kPseudo_S = kWork_Y + 18, kPseudo_h = kPseudo_S + 6 };

// S = tr(I)/2 1 - I + m c c^T, c from the link's origin to its centre of mass; h = m c
DYN_INLINE void pseudo_inertias(const Plan& plan) {
  for (int l = 0; l < plan.bodies; l += W) {
    const V3 c = load3(plan, Row::arm_x, l), h = c * load(row(plan, Row::mass) + l);
    const Moments I = load6(plan, Row::inertia_xx, l);
    const V half = (I.xx + I.yy + I.zz) * all(0.5);
    store3(plan, kPseudo_h, l, h);
    store6(plan, kPseudo_S, l,
           {half - I.xx + h.x * c.x, half - I.yy + h.y * c.y, half - I.zz + h.z * c.z, h.x * c.y - I.xy,
            h.x * c.z - I.xz, h.y * c.z - I.yz});
  }
}

template <bool kSlides>
struct Poses {
  static constexpr int kRows = 6;
  static constexpr bool kUpper = true;
  struct Link {
    V3 o, h;
    V m;
    Moments S;
  };
  DYN_INLINE static Link of(const Plan& plan, int l) {
    return {spread3(plan, Row::origin_x, l), spread3(plan, kPseudo_h, l), all(row(plan, Row::mass)[l]),
            spread6(plan, kPseudo_S, l)};
  }
  // X = (n, u). tr(Y E_j^T) with Y = E K needs only differences of opposite entries of [n] S + u h^T, since [n_j] is
  // skew, and [n] h + m u
  DYN_INLINE static void columns(const Plan& plan, const Link& link, int first, V* X, V* Y) {
    V3 n, u;
    joint_twist<kSlides>(plan, first, load3(plan, Row::axis_x, first), link.o - load3(plan, Row::origin_x, first), n,
                         u);
    const Moments& S = link.S;
    const V3& h = link.h;
    const V xy = (n.y * S.yz - n.z * S.yy) + u.x * h.y, yx = (n.z * S.xx - n.x * S.xz) + u.y * h.x;
    const V xz = (n.y * S.zz - n.z * S.yz) + u.x * h.z, zx = (n.x * S.xy - n.y * S.xx) + u.z * h.x;
    const V yz = (n.z * S.xz - n.x * S.zz) + u.y * h.z, zy = (n.x * S.yy - n.y * S.xy) + u.z * h.y;
    put3(X, n);
    put3(X + 3, u);
    put3(Y, {zy - yz, xz - zx, yx - xy});
    put3(Y + 3, plus_cross(u * link.m, n, h));
  }
};

void mass_by_pseudo_inertias(const Plan& plan, double* M) {
  pseudo_inertias(plan);
  plan.slides ? sum_links<Poses<true>>(plan, M) : sum_links<Poses<false>>(plan, M);
}

}  // namespace

DYN_MASS_FORM(PseudoInertia, mass_by_pseudo_inertias)
