// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Columns of M and C from the joints' twists and wrenches:
//   M_ij = F_j . J_i,  C_ij = J_i . dF_j                  for i = j or i an ancestor of j
//   M_ij = F_i . J_j,  C_ij = F_i . dJ_j + D_i . Jw_j     for i in the subtree of j
// A column has j fixed (spread to all lanes) and i along the lanes. Both halves of M are sums of the same products in
// the same order, so that it is symmetric to the bit.
#pragma once

#include "fused/equations.hpp"

namespace {

struct Rows {
  Twist J, dJ;
  Wrench F, dF;
  V3 D;
  V torque;
};

// g_i = -(m Jv . g0 + Jw . (h x g0)) = -F_linear . g0
DYN_INLINE V gravity_torque(const double* gravity, const Wrench& F) {
  return -(F.f.x * all(gravity[0]) + F.f.y * all(gravity[1]) + F.f.z * all(gravity[2]));
}
DYN_INLINE V gravity_torque(const V3& gravity, const Wrench& F) { return -dot(F.f, gravity); }

// Rows i of the ancestors' half, lane j of `lower` being the column.
DYN_INLINE V mass_above(const Rows& upper, const Rows& lower, int j) {
  return pairing(spread(lower.F.f, j), upper.J.v, spread(lower.F.n, j), upper.J.w);
}
DYN_INLINE V mass_below(const Rows& upper, const Rows& lower, int j) {
  return pairing(lower.F.f, spread(upper.J.v, j), lower.F.n, spread(upper.J.w, j));
}
DYN_INLINE V coriolis_above(const Rows& upper, const Rows& lower, int j) {
  return pairing(spread(lower.dF.f, j), upper.J.v, spread(lower.dF.n, j), upper.J.w);
}
DYN_INLINE V coriolis_below(const Rows& upper, const Rows& lower, int j) {
  return plus_dot(lower.D, spread(upper.J.w, j),
                  pairing(lower.F.f, spread(upper.dJ.v, j), lower.F.n, spread(upper.dJ.w, j)));
}

// The square on the diagonal: bodies first .. first + lanes against themselves.
template <unsigned kTerms>
DYN_INLINE void own_columns(const Rows& rows, int n, int first, int lanes, const Output& out) {
  for (int j = 0; j < lanes; ++j) {
    const long at = static_cast<long>(first + j) * n + first;
    if constexpr ((kTerms & term_M) != 0) {
      store_first(out.M + at, first_of(j + 1, mass_above(rows, rows, j), mass_below(rows, rows, j)), lanes);
    }
    if constexpr ((kTerms & term_C) != 0) {
      store_first(out.C + at, first_of(j + 1, coriolis_above(rows, rows, j), coriolis_below(rows, rows, j)), lanes);
    }
  }
}

// Prefetches the cache lines that the next rectangle is written to: a large matrix is not in the first-level cache.
DYN_INLINE void expect_rectangle(const double* next, int n) {
  if (n <= 48) return;
#pragma GCC unroll 8
  for (int j = 0; j < W; ++j) {
    __builtin_prefetch(next + static_cast<long>(j) * n, 1);
    __builtin_prefetch(next + static_cast<long>(j) * n + W - 1, 1);
  }
}

// The two rectangles of a block of ancestors (upper) and a block further out (lower).
template <unsigned kTerms>
DYN_INLINE void cross_columns(const Rows& upper, const Rows& lower, int n, int first_upper, int lanes_upper,
                              int first_lower, int lanes_lower, const Output& out) {
  if constexpr ((kTerms & term_M) != 0)
    expect_rectangle(out.M + static_cast<long>(first_upper + W) * n + first_lower, n);
  for (int j = 0; j < lanes_lower; ++j) {
    const long at = static_cast<long>(first_lower + j) * n + first_upper;
    if constexpr ((kTerms & term_M) != 0) store_first(out.M + at, mass_above(upper, lower, j), lanes_upper);
    if constexpr ((kTerms & term_C) != 0) store_first(out.C + at, coriolis_above(upper, lower, j), lanes_upper);
  }
  for (int j = 0; j < lanes_upper; ++j) {
    const long at = static_cast<long>(first_upper + j) * n + first_lower;
    if constexpr ((kTerms & term_M) != 0) store_first(out.M + at, mass_below(upper, lower, j), lanes_lower);
    if constexpr ((kTerms & term_C) != 0) store_first(out.C + at, coriolis_below(upper, lower, j), lanes_lower);
  }
}

// W states side by side: body i, an ancestor of j or (kDiagonal) j itself, against body j.
template <unsigned kTerms, bool kDiagonal>
DYN_INLINE void state_columns(const Twist& J, const Twist& dJ, int i, const Rows& of_j, int j, int n,
                              const Output& out) {
  const long above = (static_cast<long>(j) * n + i) * W, below = (static_cast<long>(i) * n + j) * W;
  if constexpr ((kTerms & term_M) != 0) {
    const V m = pairing(of_j.F.f, J.v, of_j.F.n, J.w);
    store(out.M + above, m);
    if constexpr (!kDiagonal) store(out.M + below, m);
  }
  if constexpr ((kTerms & term_C) != 0) {
    if constexpr (!kDiagonal) {
      store(out.C + below, plus_dot(of_j.D, J.w, pairing(of_j.F.f, dJ.v, of_j.F.n, dJ.w)));
    }
    store(out.C + above, pairing(of_j.dF.f, J.v, of_j.dF.n, J.w));
  }
}

// The vectors of a body that a chain's columns need in all lanes.
struct Spread {
  Wrench F, dF;
  Twist dJ;
  V3 Jw;
};

// M of a chain of kBodies: the upper triangle by columns, the lower one copied from it number by number. Lanes below
// the diagonal and past the column's end are overwritten later.
template <int kBodies, class States>
DYN_INLINE void symmetric_columns(const States& states, const Spread* of, double* M) {
#pragma GCC unroll 8
  for (int j = 0; j < kBodies; ++j) {
#pragma GCC unroll 4
    for (int k = 0; k <= j / W; ++k) {
      const Wrench& F = of[j / W].F;
      const Twist& J = states[k].rows.J;
      const V m = pairing(spread(F.f, j % W), J.v, spread(F.n, j % W), J.w);
      double* to = M + j * kBodies + k * W;
      to + W <= M + kBodies* kBodies ? store(to, m) : store_first(to, m, kBodies - k * W);
    }
  }
#pragma GCC unroll 8
  for (int j = 1; j < kBodies; ++j) {
#pragma GCC unroll 8
    for (int i = 0; i < j; ++i) copy_one(M + j * kBodies + i, M + i * kBodies + j);
  }
}

// Rows of block k of column j of C in a chain of kBodies, and the column's summand of h = C v + g.
template <int kBodies>
DYN_INLINE void coriolis_column(const Rows& rows, const Spread& of_j, int j, int k, const double* v, V& h,
                                const Output& out) {
  const int lane = j % W, count = kBodies - k * W < W ? kBodies - k * W : W;
  V above{}, below{};
  if (k <= j / W) above = pairing(spread(of_j.dF.f, lane), rows.J.v, spread(of_j.dF.n, lane), rows.J.w);
  if (k >= j / W) {
    below = plus_dot(rows.D, spread(of_j.Jw, lane),
                     pairing(rows.F.f, spread(of_j.dJ.v, lane), rows.F.n, spread(of_j.dJ.w, lane)));
  }
  const V c = k < j / W ? above : k > j / W ? below : first_of(lane + 1, above, below);
  store_first(out.C + static_cast<long>(j) * kBodies + k * W, c, count);
  if (out.h) h = mul_add(c, all(v[j]), h);
}

}  // namespace
