// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by generalized momentum (paper 000, Table 1), symbols as in dyn_core/jsim/momentum.hpp: columns of Jacobians and
// their products for W joints side by side.
#include "lanes/define_mass.hpp"
#include "lanes/link_products.hpp"

namespace {

// X = (Jp, Jo), Y = (m Jp, I_l Jo)
template <bool kSlides>
struct Momenta {
  static constexpr int kRows = 6;
  static constexpr bool kUpper = true;
  struct Link {
    V3 c;
    V m;
    Moments I;
  };
  DYN_INLINE static Link of(const Plan& plan, int l) {
    return {spread3(plan, Row::com_x, l), all(row(plan, Row::mass)[l]), spread6(plan, Row::inertia_xx, l)};
  }
  DYN_INLINE static void columns(const Plan& plan, const Link& link, int first, V* X, V* Y) {
    V3 Jo, Jp;
    joint_twist<kSlides>(plan, first, load3(plan, Row::axis_x, first), link.c - load3(plan, Row::origin_x, first), Jo,
                         Jp);
    put3(X, Jp);
    put3(X + 3, Jo);
    put3(Y, Jp * link.m);
    put3(Y + 3, link.I * Jo);
  }
};

void mass_by_momentum(const Plan& plan, double* M) {
  plan.slides ? sum_links<Momenta<true>>(plan, M) : sum_links<Momenta<false>>(plan, M);
}

}  // namespace

DYN_MASS_FORM(Momentum, mass_by_momentum)
