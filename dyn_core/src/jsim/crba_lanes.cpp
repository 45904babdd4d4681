// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by composite rigid bodies (Walker and Orin 1982), as dyn_core/jsim/crba.hpp, in base axes: composites about the
// bodies' origins as sums over lanes; the wrench of a composite is then moved to the origins of all ancestors at once,
// the joints that support it side by side.
#include "lanes/composites.hpp"
#include "lanes/define_mass.hpp"

namespace {

enum : int { kWork_n = kComposite_free, kWork_f = kWork_n + 3 };

// M_ij = z_j . (n_i + (o_i - o_j) x f_i), z_j . f_i where j slides
template <bool kSlides>
DYN_INLINE void crba_columns(const Plan& plan, double* M) {
  unit_wrenches<kSlides>(plan, Row::composite_h, Row::composite_I, kWork_n, kWork_f);
  for (int i = 0; i < plan.bodies; ++i) {
    const V3 n = spread3(plan, kWork_n, i), f = spread3(plan, kWork_f, i), o = spread3(plan, Row::origin_x, i);
    column_above(plan, i, M, [&](int first, int /*lanes*/) {
      V3 along = plus_cross(n, o - load3(plan, Row::origin_x, first), f);
      if constexpr (kSlides) {
        const V slides = load(row(plan, Row::slides) + first);
        along = along * (all(1.0) - slides) + f * slides;
      }
      return dot(load3(plan, Row::axis_x, first), along);
    });
  }
}

void mass_by_crba(const Plan& plan, double* M) {
  compose(plan);
  plan.slides ? crba_columns<true>(plan, M) : crba_columns<false>(plan, M);
  mirror(M, plan.bodies);
}

}  // namespace

DYN_MASS_FORM(Crba, mass_by_crba)
