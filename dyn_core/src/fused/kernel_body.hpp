// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The kernels for one state at a time, part of fused_lanes.cpp: one for trees of any shape, and one with all sizes
// known to the compiler for single chains of six and seven revolute joints.
#pragma once

#include "fused/chains.hpp"

namespace {

template <unsigned kTerms, bool kSlides>
DYN_INLINE void inwards(const Chain& chain, Bridge& bridge) {
  for (int k = chain.blocks; k-- > 0;) {
    composites<Bodies, kTerms, kSlides>(block_of<Bodies>(chain, k), chain.states[k], chain.states[k].rows, bridge,
                                        false);
  }
  const V m = kSlides ? first(constant<Bodies>(chain.constants, subtree_mass)) : V{};
  if (chain.parent) hand_down<kTerms, kSlides>(bridge, m, *chain.parent);
}

// Columns of a block's bodies against its ancestors: blocks before it in its own chain, then chain by chain towards the
// base, the reference point of the wrenches moved from P to P.
template <unsigned kTerms>
DYN_INLINE void ancestor_columns(const Plan& plan, int s, int k, const Output& out) {
  const Chain own = chain_of<Bodies>(plan, s);
  const Bridge* bridges = static_cast<const Bridge*>(plan.bridges);
  Rows rows = own.states[k].rows;
  int blocks = k;
  for (int t = s;;) {
    const Chain chain = chain_of<Bodies>(plan, t);
    for (int j = 0; j < blocks; ++j) {
      cross_columns<kTerms>(chain.states[j].rows, rows, plan.bodies, chain.first_body + j * W, lanes_of(chain, j),
                            own.first_body + k * W, lanes_of(own, k), out);
    }
    if (!chain.parent) return;
    rows.F = moved_back(rows.F, bridges[t].delta);
    if constexpr ((kTerms & term_C) != 0) rows.dF = moved_back(rows.dF, bridges[t].delta);
    t = plan.segment[t].parent;
    blocks = plan.segment[t].blocks;
  }
}

// One lane of three vectors that are in memory, in all lanes.
DYN_INLINE V3 spread_all(const V3& x, int lane) { return {spread(x.x, lane), spread(x.y, lane), spread(x.z, lane)}; }

// All columns of a single chain, one after the other from top to end: as large matrices lie in memory, so that the
// processor fetches their lines by itself, and what stays the same in a column stays in registers.
template <unsigned kTerms>
DYN_INLINE void columns_in_order(const Plan& plan, const Chain& chain, const Output& out) {
  const int n = plan.bodies;
  for (int j = 0; j < n; ++j) {
    const int own = j / W, lane = j % W;
    const Rows& rows = chain.states[own].rows;
    double* const M = (kTerms & term_M) != 0 ? out.M + static_cast<long>(j) * n : nullptr;
    double* const C = (kTerms & term_C) != 0 ? out.C + static_cast<long>(j) * n : nullptr;
    const V3 f = spread_all(rows.F.f, lane), moment = spread_all(rows.F.n, lane);
    const V3 df = spread_all(rows.dF.f, lane), dmoment = spread_all(rows.dF.n, lane);
    for (int k = 0; k < own; ++k) {
      const Twist& J = chain.states[k].rows.J;
      if constexpr ((kTerms & term_M) != 0) store(M + k * W, pairing(f, J.v, moment, J.w));
      if constexpr ((kTerms & term_C) != 0) store(C + k * W, pairing(df, J.v, dmoment, J.w));
    }
    const int lanes = lanes_of(chain, own);
    if constexpr ((kTerms & term_M) != 0) {
      store_first(M + own * W, first_of(lane + 1, mass_above(rows, rows, lane), mass_below(rows, rows, lane)), lanes);
    }
    if constexpr ((kTerms & term_C) != 0) {
      store_first(C + own * W, first_of(lane + 1, coriolis_above(rows, rows, lane), coriolis_below(rows, rows, lane)),
                  lanes);
    }
    const V3 v = spread_all(rows.J.v, lane), w = spread_all(rows.J.w, lane);
    const V3 dv = spread_all(rows.dJ.v, lane), dw = spread_all(rows.dJ.w, lane);
    for (int k = own + 1; k < chain.blocks; ++k) {
      const Rows& lower = chain.states[k].rows;
      const int count = lanes_of(chain, k);
      if constexpr ((kTerms & term_M) != 0) store_first(M + k * W, pairing(lower.F.f, v, lower.F.n, w), count);
      if constexpr ((kTerms & term_C) != 0) {
        store_first(C + k * W, plus_dot(lower.D, w, pairing(lower.F.f, dv, lower.F.n, dw)), count);
      }
    }
  }
}

// h = C v + g, block of rows by block of rows.
void bias(const Plan& plan, const double* v, const Output& out) {
  const int n = plan.bodies;
  for (int i = 0; i < n; i += W) {
    const int lanes = n - i < W ? n - i : W;
    V sum = load_first(out.g + i, lanes);
    for (int j = 0; j < n; ++j) {
      sum = mul_add(load_first(out.C + static_cast<long>(j) * n + i, lanes), all(v[j]), sum);
    }
    store_first(out.h + i, sum, lanes);
  }
}

template <unsigned kTerms, bool kSlides>
void tree(const Plan& plan, const double* q, const double* v, const double* a, const Output& out) {
  outwards<Bodies, kTerms, kSlides>(plan, q, v, a);
  for (int s = plan.segments; s-- > 0;) {
    inwards<kTerms, kSlides>(chain_of<Bodies>(plan, s), static_cast<Bridge*>(plan.bridges)[s]);
  }
  for (int s = 0; s < plan.segments; ++s) {
    const Chain chain = chain_of<Bodies>(plan, s);
    for (int k = 0; k < chain.blocks; ++k) {
      const Rows& rows = chain.states[k].rows;
      const int first = chain.first_body + k * W, lanes = lanes_of(chain, k);
      const V g = kTerms != term_h ? gravity_torque(plan.gravity, rows.F) : V{};
      if constexpr ((kTerms & term_h) != 0) {
        store_first(out.h + first, kTerms != term_h ? rows.torque + g : rows.torque, lanes);
      }
      if constexpr (kTerms != term_h) {
        if (out.g) store_first(out.g + first, g, lanes);
      }
      if constexpr ((kTerms & (term_M | term_C)) != 0) {
        if (plan.segments == 1) continue;
        own_columns<kTerms>(rows, plan.bodies, first, lanes, out);
        ancestor_columns<kTerms>(plan, s, k, out);
      }
    }
  }
  if constexpr ((kTerms & (term_M | term_C)) != 0) {
    if (plan.segments == 1) columns_in_order<kTerms>(plan, chain_of<Bodies>(plan, 0), out);
  }
  if constexpr ((kTerms & term_C) != 0) {
    if (out.h) bias(plan, v, out);
  }
}

// One chain of kBodies revolute joints.
template <unsigned kTerms, int kBodies>
void chain(const Plan& plan, const double* q, const double* v, const double* a, const Output& out) {
  constexpr int blocks = (kBodies + W - 1) / W;
  State states[blocks];
  Bridge bridge;
  const Chain c{plan.constants, nullptr, states, 0, kBodies, blocks, nullptr, nullptr};
  const V3 g0 = chain_frames<blocks, kTerms != term_M>(plan, c, q, bridge);
  motions<Bodies, kTerms, false>(c, v, a, g0, bridge);
#pragma GCC unroll 4
  for (int i = 0; i < blocks; ++i) {
    const int k = blocks - 1 - i;
    composites<Bodies, kTerms, false>(block_of<Bodies>(c, k), states[k], states[k].rows, bridge, i == 0);
  }
  V h[blocks];
#pragma GCC unroll 4
  for (int k = 0; k < blocks; ++k) {
    if constexpr (kTerms != term_h && kTerms != term_M) {
      h[k] = gravity_torque(g0, states[k].rows.F);
      if (out.g) store_first(out.g + k * W, h[k], lanes_of(c, k));
    }
    if constexpr ((kTerms & term_h) != 0) {
      const V torque = states[k].rows.torque;
      store_first(out.h + k * W, kTerms != term_h ? torque + h[k] : torque, lanes_of(c, k));
    }
  }
  if constexpr ((kTerms & (term_M | term_C)) == 0) return;
  Spread of[blocks];
#pragma GCC unroll 4
  for (int k = 0; k < blocks; ++k) {
    const Rows& rows = states[k].rows;
    of[k].F = rows.F;
    if constexpr ((kTerms & term_M) != 0) keep_in_memory(of[k].F);
    if constexpr ((kTerms & term_C) != 0) {
      of[k].dF = rows.dF;
      of[k].dJ = rows.dJ;
      of[k].Jw = rows.J.w;
      keep_in_memory(of[k].dF);
      keep_in_memory(of[k].dJ);
      keep_in_memory(of[k].Jw);
    }
  }
  if constexpr ((kTerms & term_M) != 0) symmetric_columns<kBodies>(states, of, out.M);
  if constexpr ((kTerms & term_C) != 0) {
#pragma GCC unroll 8
    for (int j = 0; j < kBodies; ++j) {
#pragma GCC unroll 4
      for (int k = 0; k < blocks; ++k) coriolis_column<kBodies>(states[k].rows, of[j / W], j, k, v, h[k], out);
    }
    if (!out.h) return;
#pragma GCC unroll 4
    for (int k = 0; k < blocks; ++k) store_first(out.h + k * W, h[k], lanes_of(c, k));
  }
}

// Adds 0 where x and y are finite, else NaN.
DYN_INLINE V zero_or_nan(V x, V y, V sum) { return mul_add(all(0.0), x, mul_add(all(0.0), y, sum)); }

template <int kBlocks>
DYN_INLINE bool load_blocks(const Plan& plan, const double* q, const double* v, int bodies) {
  const int rest = bodies - (kBlocks - 1) * W;
  V qs[kBlocks], vs[kBlocks], sum{};
#pragma GCC unroll 4
  for (int k = 0; k < kBlocks; ++k) {
    qs[k] = k + 1 < kBlocks ? load(q + k * W) : load_first(q + k * W, rest);
    vs[k] = k + 1 < kBlocks ? load(v + k * W) : load_first(v + k * W, rest);
    sum = zero_or_nan(qs[k], vs[k], sum);
  }
  if (any_nan(sum)) return false;
#pragma GCC unroll 4
  for (int k = 0; k < kBlocks; ++k) {
    store(plan.q + k * W, qs[k]);
    store(plan.v + k * W, vs[k]);
  }
  return true;
}

bool load_state(const Plan& plan, const double* q, const double* v) {
  const int n = plan.bodies;
  switch ((n + W - 1) / W) {
    case 1: return load_blocks<1>(plan, q, v, n);
    case 2: return load_blocks<2>(plan, q, v, n);
    case 3: return load_blocks<3>(plan, q, v, n);
    case 4: return load_blocks<4>(plan, q, v, n);
    default: break;
  }
  V sum{};
  for (int i = 0; i < n; i += W) {
    const int lanes = n - i < W ? n - i : W;
    sum = zero_or_nan(load_first(q + i, lanes), load_first(v + i, lanes), sum);
  }
  if (any_nan(sum)) return false;
  for (int i = 0; i < n; i += W) {
    const int lanes = n - i < W ? n - i : W;
    store(plan.q + i, load_first(q + i, lanes));
    store(plan.v + i, load_first(v + i, lanes));
  }
  return true;
}

// kBodies: where they are known, else 0.
template <Evaluate kEvaluate, int kBodies>
bool load_and_evaluate(const Plan& plan, const double* q, const double* v, const Output& out) {
  constexpr int blocks = (kBodies + W - 1) / W;
  if constexpr (kBodies > 0) {
    if (!load_blocks<blocks>(plan, q, v, kBodies)) return false;
  } else {
    if (!load_state(plan, q, v)) return false;
  }
  kEvaluate(plan, q, v, nullptr, out);
  return true;
}
template <Evaluate kEvaluate, int kBodies = 0>
KernelPair kernel_pair() {
  return {kEvaluate, &load_and_evaluate<kEvaluate, kBodies>};
}

template <unsigned kTerms>
KernelPair for_shape(const Plan& plan) {
  if (plan.slides) return kernel_pair<&tree<kTerms, true>>();
  if (plan.segments != 1) return kernel_pair<&tree<kTerms, false>>();
  switch (plan.bodies) {
    case 6: return kernel_pair<&chain<kTerms, 6>, 6>();
    case 7: return kernel_pair<&chain<kTerms, 7>, 7>();
    default: return kernel_pair<&tree<kTerms, false>>();
  }
}

void torques_and_gravity(const Plan& plan, const double* q, const double* v, const double* a, const Output& out) {
  for_shape<term_h>(plan).evaluate(plan, q, v, a, out);
  for_shape<term_g>(plan).evaluate(plan, q, v, a, out);
}

KernelPair choose(const Plan& plan, const Output& out) {
  if (out.C) return out.M ? for_shape<term_M | term_C>(plan) : for_shape<term_C>(plan);
  if (out.h) {
    if (out.M) return for_shape<term_M | term_h>(plan);
    return out.g ? kernel_pair<&torques_and_gravity>() : for_shape<term_h>(plan);
  }
  if (!out.M) return for_shape<term_g>(plan);
  return out.g ? for_shape<term_M | term_g>(plan) : for_shape<term_M>(plan);
}

}  // namespace
