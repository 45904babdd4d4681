// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The kernels for W states side by side, one a lane: the same passes as for one state, body after body. Inputs and
// outputs are [entry][W] here; to_lanes and from_lanes convert from and to states one after the other in memory.
#pragma once

#include "fused/kernel_body.hpp"

namespace {

// Row and column of body k of segment s, once its wrenches are known: their products with the twists of its ancestors.
template <unsigned kTerms>
DYN_INLINE void state_row(const Plan& plan, int s, int k, Rows rows, const Output& out) {
  const Bridge* bridges = static_cast<const Bridge*>(plan.bridges);
  const int j = plan.segment[s].first_body + k;
  state_columns<kTerms, true>(rows.J, rows.dJ, j, rows, j, plan.bodies, out);
  int bodies = k;
  for (int t = s;;) {
    const Chain chain = chain_of<States>(plan, t);
    for (int i = 0; i < bodies; ++i) {
      const State& b = chain.states[i];
      state_columns<kTerms, false>(b.rows.J, b.rows.dJ, chain.first_body + i, rows, j, plan.bodies, out);
    }
    if (!chain.parent) return;
    rows.F = moved_back(rows.F, bridges[t].delta);
    if constexpr ((kTerms & term_C) != 0) rows.dF = moved_back(rows.dF, bridges[t].delta);
    t = plan.segment[t].parent;
    bodies = plan.segment[t].bodies;
  }
}

// h = C v + g
DYN_INLINE void state_bias(const Plan& plan, const double* v, const Output& out) {
  for (int i = 0; i < plan.bodies; ++i) {
    V sum = load(out.g + static_cast<long>(i) * W);
    for (int j = 0; j < plan.bodies; ++j) {
      sum =
          mul_add(load(out.C + (static_cast<long>(j) * plan.bodies + i) * W), load(v + static_cast<long>(j) * W), sum);
    }
    store(out.h + static_cast<long>(i) * W, sum);
  }
}

template <unsigned kTerms, bool kSlides>
DYN_INLINE void state_body(const Plan& plan, const Chain& chain, int s, int k, Bridge& bridge, const Output& out) {
  State& b = chain.states[k];
  Rows rows;
  rows.J = b.rows.J;
  if constexpr ((kTerms & term_C) != 0) rows.dJ = b.rows.dJ;
  composites<States, kTerms, kSlides>(block_of<States>(chain, k), b, rows, bridge, false);
  const long at = static_cast<long>(chain.first_body + k) * W;
  const V g = kTerms != term_h ? gravity_torque(plan.gravity, rows.F) : V{};
  if constexpr ((kTerms & term_h) != 0) store(out.h + at, kTerms != term_h ? rows.torque + g : rows.torque);
  if constexpr (kTerms != term_h) {
    if (out.g) store(out.g + at, g);
  }
  if constexpr ((kTerms & (term_M | term_C)) != 0) state_row<kTerms>(plan, s, k, rows, out);
}

template <unsigned kTerms, bool kSlides>
void side_by_side(const Plan& plan, const double* q, const double* v, const Output& out) {
  outwards<States, kTerms, kSlides>(plan, q, v, nullptr);
  for (int s = plan.segments; s-- > 0;) {
    const Chain chain = chain_of<States>(plan, s);
    Bridge& bridge = static_cast<Bridge*>(plan.bridges)[s];
    for (int k = chain.blocks; k-- > 0;) state_body<kTerms, kSlides>(plan, chain, s, k, bridge, out);
    const V m = kSlides ? constant<States>(chain.constants, subtree_mass) : V{};
    if (chain.parent) hand_down<kTerms, kSlides>(bridge, m, *chain.parent);
  }
  if constexpr ((kTerms & term_C) != 0) {
    if (out.h) state_bias(plan, v, out);
  }
}

template <unsigned kTerms>
DYN_INLINE void by_joints(const Plan& plan, const double* q, const double* v, const Output& out) {
  plan.slides ? side_by_side<kTerms, true>(plan, q, v, out) : side_by_side<kTerms, false>(plan, q, v, out);
}

// NaN in the lanes of states that are not finite, else 0.
void find_not_finite(const Plan& plan, const double* q, const double* v, double* not_finite) {
  V sum{};
  for (int i = 0; i < plan.bodies * W; i += W) sum += all(0.0) * load(q + i) + all(0.0) * load(v + i);
  store(not_finite, sum);
}

void state_terms(const Plan& plan, const double* q, const double* v, const Output& out, double* not_finite) {
  find_not_finite(plan, q, v, not_finite);
  if (out.C) {
    out.M ? by_joints<term_M | term_C>(plan, q, v, out) : by_joints<term_C>(plan, q, v, out);
  } else if (out.h) {
    out.M ? by_joints<term_M | term_h>(plan, q, v, out) : by_joints<term_h>(plan, q, v, out);
    if (!out.M && out.g) by_joints<term_g>(plan, q, v, out);
  } else {
    out.M ? by_joints<term_M>(plan, q, v, out) : by_joints<term_g>(plan, q, v, out);
  }
}

// W by W numbers at a time.
void to_lanes(const double* states, int entries, double* lanes) {
  for (int e = 0; e < entries; e += W) {
    const int count = entries - e < W ? entries - e : W;
    V r[W];
    count == W ? load_transposed(states + e, entries, W, r) : load_transposed(states + e, entries, count, r);
    for (int i = 0; i < count; ++i) store(lanes + static_cast<long>(e + i) * W, r[i]);
  }
}

// `count` of the entries of W states.
DYN_INLINE void some_from_lanes(const double* lanes, int count, long entries, double* states) {
  if (count == 1) {
    for (int s = 0; s < W; ++s) states[s * entries] = lanes[s];
    return;
  }
  V r[W];
  load_transposed(lanes, W, W, r);
  if (count == W) {
    for (int s = 0; s < W; ++s) store(states + s * entries, r[s]);
  } else {
    for (int s = 0; s < W; ++s) store_first(states + s * entries, r[s], count);
  }
}

// Where all states lie alike, the first vectors may be shorter, so that all others are whole cache lines: half lines of
// W states that are a multiple of 4096 bytes apart would push each other out of the first-level cache.
DYN_INLINE int entries_before_line(const double* states, int entries) {
  if (W == 2 || entries % W != 0) return 0;
  const auto past = static_cast<int>(reinterpret_cast<unsigned long>(states) / sizeof(double) % W);
  return past > 0 ? W - past : 0;
}

void from_lanes(const double* lanes, int entries, double* states) {
  const int head = entries_before_line(states, entries);
  if (head > 0) some_from_lanes(lanes, head, entries, states);
  for (int e = head; e < entries; e += W) {
    some_from_lanes(lanes + static_cast<long>(e) * W, entries - e < W ? entries - e : W, entries, states + e);
  }
}

}  // namespace
