// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by principal screws of inertia (paper 002, Laus, Simoni and Martins), symbols as in dyn_core/jsim/screw.hpp:
// columns on the screws and their products for W joints side by side.
#include "lanes/define_mass.hpp"
#include "lanes/screws.hpp"

namespace {

// X = S_C J, Y = X m/2, in the link's principal axes (paper 002, eqs 2-10, 28-31)
template <bool kSlides>
struct Screws {
  static constexpr int kRows = 6;
  static constexpr bool kUpper = true;
  DYN_INLINE static LinkScrews of(const Plan& plan, int l) { return screws_of(plan, l); }
  DYN_INLINE static void columns(const Plan& plan, const LinkScrews& link, int first, V* X, V* Y) {
    V3 w, v;
    joint_twist<kSlides>(plan, first, link.to_axes(load3(plan, Row::axis_x, first)),
                         link.to_axes(link.c - load3(plan, Row::origin_x, first)), w, v);
    const OnScrews J = on_screws(link, w, v);
    put(X, J);
    put(Y, J * link.weight);
  }
};

void mass_by_screws(const Plan& plan, double* M) {
  plan.slides ? sum_links<Screws<true>>(plan, M) : sum_links<Screws<false>>(plan, M);
}

}  // namespace

DYN_MASS_FORM(Screw, mass_by_screws)
