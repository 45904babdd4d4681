// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by generalized momentum (paper 000, Table 1), symbols as in dyn_core/jsim/momentum.hpp: columns of Jacobians and
// their products for W joints side by side.
#include "lanes/define_mass.hpp"
#include "lanes/link_products.hpp"

namespace {

// X = (Jp, Jo), Y = (m Jp, I_l Jo)
template <bool kSlides>
DYN_INLINE void momentum_columns(const Plan& plan, int l) {
  const V3 c = spread3(plan, Row::com_x, l);
  const V m = all(row(plan, Row::mass)[l]);
  const Symmetric3<double> S = symmetric(plan, Row::inertia_xx, l);
  const Moments I{all(S.xx), all(S.yy), all(S.zz), all(S.xy), all(S.xz), all(S.yz)};
  for_joints_of(plan, l, [&](int first) {
    V3 Jo, Jp;
    joint_twist<kSlides>(plan, first, load3(plan, Row::axis_x, first), c - load3(plan, Row::origin_x, first), Jo, Jp);
    store3(plan, kWork_X, first, Jp);
    store3(plan, kWork_X + 3, first, Jo);
    store3(plan, kWork_Y, first, Jp * m);
    store3(plan, kWork_Y + 3, first, I * Jo);
  });
}

void mass_by_momentum(const Plan& plan, double* M) {
  plan.slides ? sum_links<6>(plan, M, [&](int l) { momentum_columns<true>(plan, l); })
              : sum_links<6>(plan, M, [&](int l) { momentum_columns<false>(plan, l); });
}

}  // namespace

DYN_MASS_FORM(Momentum, mass_by_momentum)
