// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The lane form of dyn_core/derivatives/inverse_derivatives.hpp: dtau/dq, dtau/dv and M by the passes of `fused`, one
// body a lane. With J a joint's unit twist, t its body's twist and A its body's acceleration (-g0 at the base), all
// with their moments about P (fused/equations.hpp), S' and S'' of the paper are
//   dJ = t x J,  ddJ = A x J + t x dJ      (as well with t and A of the body before: J x J = 0)
// and with F, dF, D of C (fused/equations.hpp) and f, the wrench that accelerates the subtree,
//   ddF = I ddJ + 2 B dJ + J x* f
//   dtau_i/dq_j = J_i . ddF_j  for i = j or an ancestor of j;   F_i . ddJ_j + D_i . 2 dJw_j  for i in the subtree of j
//   dtau/dv = 2 C
// Both have the form of C in columns.hpp, with other vectors in place of dF, dJ and Jw.
#include "derivatives/derivatives_kernel.hpp"
#include "fused/chains.hpp"
#include "fused/finite.hpp"

namespace {

using dyn::derivatives::Output;

// dtau/dq or dtau/dv of one block: `down` is multiplied with the unit twists of ancestors, `up` and `up_w` with F and D
// of the bodies of the subtree.
struct Gradient {
  Wrench down;
  Twist up;
  V3 up_w;
};
struct Work {
  Wrench F;
  V3 D;
  Gradient q, v;
};

DYN_INLINE Twist twice(const Twist& a) { return a + a; }
DYN_INLINE Wrench twice(const Wrench& a) { return a + a; }

// Sums over subtrees, and from them the wrenches; `bridge` carries the sums from block to block.
template <bool kSlides>
DYN_INLINE void composites(const double* block, const State& b, Work& work, Bridge& bridge, bool last_block) {
  const auto carried = [last_block](const auto& sum, const auto& behind) { return last_block ? sum : sum + behind; };
  const V m = kSlides ? constant<Bodies>(block, subtree_mass) : V{};
  const Inertia body = body_inertia<Bodies, kSlides>(block, b.frame);
  const Inertia total = carried(sum_down<Bodies>(body), bridge.inertia);
  const Momentum sum = carried(sum_down<Bodies>(body_momentum<Bodies, kSlides>(block, body, b.twist)), bridge.momentum);
  const Wrench f =
      carried(sum_down<Bodies>(body_wrench<Bodies, kSlides>(block, body, b.twist, b.acceleration)), bridge.wrench);
  bridge.inertia = first<Bodies>(total);
  bridge.momentum = first<Bodies>(sum);
  bridge.wrench = first<Bodies>(f);
  const Twist J = b.rows.J, dJ = unit_twist_rate(b.twist, J);
  const Twist ddJ = unit_twist_rate(b.acceleration, J) + unit_twist_rate(b.twist, dJ);
  work.F = inertial_wrench<kSlides>(m, total, J);
  Wrench dF;
  V3 D;
  coriolis_wrench<kSlides>(m, total, sum, J, dJ, dF, D);
  work.D = D;
  work.v = {twice(dF), twice(dJ), J.w + J.w};
  Wrench ddF = inertial_wrench<kSlides>(m, total, ddJ);
  const V3 w = work.v.up.w;  // 2 dJw
  ddF.f = plus_cross(plus_cross(ddF.f, w, sum.p), J.w, f.f);
  ddF.n = plus_cross(plus_cross(plus_turned(ddF.n, sum.A, w), J.w, f.n), J.v, f.f);
  work.q = {ddF, ddJ, w};
}

// Columns j of a block against the rows of a block of ancestors, and the other way round; the bodies `upper` are the
// ancestors, or the same block.
DYN_INLINE V row_above(const Twist& J, const Wrench& down, int j) {
  return pairing(spread(down.f, j), J.v, spread(down.n, j), J.w);
}
DYN_INLINE V row_below(const Work& lower, const Gradient& upper, int j) {
  return plus_dot(lower.D, spread(upper.up_w, j),
                  pairing(lower.F.f, spread(upper.up.v, j), lower.F.n, spread(upper.up.w, j)));
}
DYN_INLINE V inertia_below(const Work& lower, const Twist& J, int j) {
  return pairing(lower.F.f, spread(J.v, j), lower.F.n, spread(J.w, j));
}

DYN_INLINE void own_columns(const Work& work, const Twist& J, int n, int first, int lanes, const Output& out) {
  for (int j = 0; j < lanes; ++j) {
    const long at = static_cast<long>(first + j) * n + first;
    const auto put = [&](double* to, V above, V below) { store_first(to + at, first_of(j + 1, above, below), lanes); };
    if (out.M) put(out.M, row_above(J, work.F, j), inertia_below(work, J, j));
    put(out.dtau_dq, row_above(J, work.q.down, j), row_below(work, work.q, j));
    put(out.dtau_dv, row_above(J, work.v.down, j), row_below(work, work.v, j));
  }
}

DYN_INLINE void cross_columns(const Work& upper, const Twist& J, const Work& lower, int n, int first_upper,
                              int lanes_upper, int first_lower, int lanes_lower, const Output& out) {
  for (int j = 0; j < lanes_lower; ++j) {
    const long at = static_cast<long>(first_lower + j) * n + first_upper;
    if (out.M) store_first(out.M + at, row_above(J, lower.F, j), lanes_upper);
    store_first(out.dtau_dq + at, row_above(J, lower.q.down, j), lanes_upper);
    store_first(out.dtau_dv + at, row_above(J, lower.v.down, j), lanes_upper);
  }
  for (int j = 0; j < lanes_upper; ++j) {
    const long at = static_cast<long>(first_upper + j) * n + first_lower;
    if (out.M) store_first(out.M + at, inertia_below(lower, J, j), lanes_lower);
    store_first(out.dtau_dq + at, row_below(lower, upper.q, j), lanes_lower);
    store_first(out.dtau_dv + at, row_below(lower, upper.v, j), lanes_lower);
  }
}

// A block against its ancestors: blocks before it in its own chain, then chain by chain towards the base, the
// reference point of the wrenches moved from P to P (D is a pure moment and does not change).
DYN_INLINE void ancestor_columns(const Plan& plan, const Work* all_work, int s, int k, const Output& out) {
  const Chain own = chain_of<Bodies>(plan, s);
  const Bridge* bridges = static_cast<const Bridge*>(plan.bridges);
  Work work = all_work[plan.segment[s].first_block + k];
  int blocks = k;
  for (int t = s;;) {
    const Chain chain = chain_of<Bodies>(plan, t);
    const Work* above = all_work + plan.segment[t].first_block;
    for (int j = 0; j < blocks; ++j) {
      cross_columns(above[j], chain.states[j].rows.J, work, plan.bodies, chain.first_body + j * W, lanes_of(chain, j),
                    own.first_body + k * W, lanes_of(own, k), out);
    }
    if (!chain.parent) return;
    const V3& delta = bridges[t].delta;
    work.F = moved_back(work.F, delta);
    work.q.down = moved_back(work.q.down, delta);
    work.v.down = moved_back(work.v.down, delta);
    t = plan.segment[t].parent;
    blocks = plan.segment[t].blocks;
  }
}

template <bool kSlides>
DYN_INLINE void tree(const Plan& plan, Work* work, const double* q, const double* v, const double* a,
                     const Output& out) {
  constexpr unsigned sums = term_M | term_C | term_h;
  Bridge* bridges = static_cast<Bridge*>(plan.bridges);
  outwards<Bodies, term_h, kSlides>(plan, q, v, a);
  for (int s = 0; s < plan.segments; ++s) clear<sums>(bridges[s]);
  for (int s = plan.segments; s-- > 0;) {
    const Chain chain = chain_of<Bodies>(plan, s);
    for (int k = chain.blocks; k-- > 0;) {
      composites<kSlides>(block_of<Bodies>(chain, k), chain.states[k], work[plan.segment[s].first_block + k],
                          bridges[s], false);
    }
    const V m = kSlides ? first(constant<Bodies>(chain.constants, subtree_mass)) : V{};
    if (chain.parent) hand_down<sums, kSlides>(bridges[s], m, *chain.parent);
  }
  for (int s = 0; s < plan.segments; ++s) {
    const Chain chain = chain_of<Bodies>(plan, s);
    for (int k = 0; k < chain.blocks; ++k) {
      const int first = chain.first_body + k * W;
      own_columns(work[plan.segment[s].first_block + k], chain.states[k].rows.J, plan.bodies, first, lanes_of(chain, k),
                  out);
      ancestor_columns(plan, work, s, k, out);
    }
  }
}

DYN_INLINE void put(const Gradient& from, Spread& to) {
  to.dF = from.down;
  to.dJ = from.up;
  to.Jw = from.up_w;
  keep_in_memory(to.dF);
  keep_in_memory(to.dJ);
  keep_in_memory(to.Jw);
}

// One chain of kBodies revolute joints.
template <int kBodies>
DYN_INLINE void chain(const Plan& plan, const double* q, const double* v, const double* a, const Output& out) {
  constexpr int blocks = (kBodies + W - 1) / W;
  State states[blocks];
  Work work[blocks];
  Bridge bridge;
  const Chain c{plan.constants, nullptr, states, 0, kBodies, blocks, nullptr, nullptr};
  const V3 g0 = chain_frames<blocks, true>(plan, c, q, bridge);
  motions<Bodies, term_h, false>(c, v, a, g0, bridge);
  Spread inertia[blocks], by_q[blocks], by_v[blocks];
#pragma GCC unroll 4
  for (int i = 0; i < blocks; ++i) {
    const int k = blocks - 1 - i;
    composites<false>(block_of<Bodies>(c, k), states[k], work[k], bridge, i == 0);
    inertia[k].F = states[k].rows.F = work[k].F;
    states[k].rows.D = work[k].D;
    keep_in_memory(inertia[k].F);
    put(work[k].q, by_q[k]);
    put(work[k].v, by_v[k]);
  }
  if (out.M) symmetric_columns<kBodies>(states, inertia, out.M);
  V unused{};
#pragma GCC unroll 8
  for (int j = 0; j < kBodies; ++j) {
#pragma GCC unroll 4
    for (int k = 0; k < blocks; ++k) {
      coriolis_column<kBodies>(states[k].rows, by_q[j / W], j, k, v, unused, {nullptr, out.dtau_dq, nullptr, nullptr});
      coriolis_column<kBodies>(states[k].rows, by_v[j / W], j, k, v, unused, {nullptr, out.dtau_dv, nullptr, nullptr});
    }
  }
}

bool evaluate(const Plan& plan, void* work, const double* q, const double* v, const double* a, const Output& out) {
  if (!all_finite(plan.bodies, q, v, a)) return false;
  Work* blocks = static_cast<Work*>(work);
  if (plan.slides) {
    tree<true>(plan, blocks, q, v, a, out);
  } else if (plan.segments == 1 && plan.bodies == 7) {
    chain<7>(plan, q, v, a, out);
  } else if (plan.segments == 1 && plan.bodies == 6) {
    chain<6>(plan, q, v, a, out);
  } else {
    tree<false>(plan, blocks, q, v, a, out);
  }
  return true;
}

// A tile of the product, kVectors vectors of rows by kColumns: as much as stays in registers.
template <int kVectors, int kColumns>
DYN_INLINE void product_tile(int n, int rows, const double* A, const double* B, double* to) {
  const int left = rows - (kVectors - 1) * W;  // rows in the last vector
  V sum[kVectors][kColumns] = {};
  for (int k = 0; k < n; ++k) {
    const double* a = A + static_cast<long>(k) * n;
    V column[kVectors];
#pragma GCC unroll 4
    for (int r = 0; r < kVectors; ++r) column[r] = r + 1 < kVectors ? load(a + r * W) : load_first(a + r * W, left);
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      const V b = all(-B[static_cast<long>(c) * n + k]);
#pragma GCC unroll 4
      for (int r = 0; r < kVectors; ++r) sum[r][c] = mul_add(column[r], b, sum[r][c]);
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) {
#pragma GCC unroll 4
    for (int r = 0; r < kVectors; ++r) {
      double* at = to + static_cast<long>(c) * n + r * W;
      r + 1 < kVectors ? store(at, sum[r][c]) : store_first(at, sum[r][c], left);
    }
  }
}

template <int kColumns>
DYN_INLINE void product_columns(int n, const double* A, const double* B, double* to) {
  constexpr int vectors = W == 8 ? 3 : 2;
  int i = 0;
  for (; n - i > W; i += vectors * W) {
    const int rows = n - i < vectors * W ? n - i : vectors * W;
    if (rows > (vectors - 1) * W) {
      product_tile<vectors, kColumns>(n, rows, A + i, B, to + i);
    } else {
      product_tile<vectors - 1, kColumns>(n, rows, A + i, B, to + i);
    }
  }
  if (i < n) product_tile<1, kColumns>(n, n - i, A + i, B, to + i);
}

void negated_product(int n, int columns, const double* A, const double* B, double* to) {
  constexpr int most = W == 8 ? 8 : 4;
  const auto next = [&](int c) { return static_cast<long>(c) * n; };
  int c = 0;
  for (; c + most <= columns; c += most) product_columns<most>(n, A, B + next(c), to + next(c));
  switch (columns - c) {
    case 0: return;
    case 1: return product_columns<1>(n, A, B + next(c), to + next(c));
    case 2: return product_columns<2>(n, A, B + next(c), to + next(c));
    case 3: return product_columns<3>(n, A, B + next(c), to + next(c));
    default: break;
  }
  if constexpr (most > 4) {
    switch (columns - c) {
      case 4: return product_columns<4>(n, A, B + next(c), to + next(c));
      case 5: return product_columns<5>(n, A, B + next(c), to + next(c));
      case 6: return product_columns<6>(n, A, B + next(c), to + next(c));
      default: return product_columns<7>(n, A, B + next(c), to + next(c));
    }
  }
}

}  // namespace

template <>
dyn::derivatives::Kernel dyn::derivatives::kernel<kKernelSet>() {
  return {sizeof(Work), &evaluate, &negated_product};
}
