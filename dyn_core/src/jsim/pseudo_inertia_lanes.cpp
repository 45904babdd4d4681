// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by pseudo-inertias (paper 000, Table 1), symbols as in dyn_core/jsim/pseudo_inertia.hpp: derivatives of poses and
// their products for W joints side by side, without the entries that are always 0.
#include "lanes/define_mass.hpp"
#include "lanes/link_products.hpp"

namespace {

// X = U_l, Y = U_l J_l: the twelve entries that are not 0 of each
template <bool kSlides>
DYN_INLINE void pose_columns(const Plan& plan, int l) {
  const double* J = link_of(plan, l) + Link::pseudo;  // by columns
  const V3 o = spread3(plan, Row::origin_x, l);
  const V3 frame[3] = {spread3(plan, Row::frame_x, l), spread3(plan, Row::frame_y, l), spread3(plan, Row::axis_x, l)};
  for_joints_of(plan, l, [&](int first) {
    V3 U[4], n;
    joint_twist<kSlides>(plan, first, load3(plan, Row::axis_x, first), o - load3(plan, Row::origin_x, first), n, U[3]);
    for (int k = 0; k < 3; ++k) U[k] = cross(n, frame[k]);
    for (int k = 0; k < 4; ++k) {
      store3(plan, kWork_X + 3 * k, first, U[k]);
      store3(plan, kWork_Y + 3 * k, first,
             (U[0] * all(J[4 * k]) + U[1] * all(J[4 * k + 1])) + (U[2] * all(J[4 * k + 2]) + U[3] * all(J[4 * k + 3])));
    }
  });
}

void mass_by_pseudo_inertias(const Plan& plan, double* M) {
  plan.slides ? sum_links<12>(plan, M, [&](int l) { pose_columns<true>(plan, l); })
              : sum_links<12>(plan, M, [&](int l) { pose_columns<false>(plan, l); });
}

}  // namespace

DYN_MASS_FORM(PseudoInertia, mass_by_pseudo_inertias)
