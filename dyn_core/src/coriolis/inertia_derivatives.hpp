// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dM/dq for the lane forms that are written in it, kronecker_lanes.cpp and christoffel_lanes.cpp, W entries dM_ij/dq_k
// at a time (i in the lanes), symbols as in dyn_core/kinematics/inertia_derivatives.hpp: with A_ik = S_k x S_i and the
// wrench F_ik, both about the origin of joint k, and A_ik = 0 for i = k and beyond,
//   dM_ij/dq_k = -(A_jk . F_ik + A_ik . F_jk)      i, j on one line with k, not both k or beyond
// Joints on other branches than k, where dM/dq_k is 0, are skipped.
#pragma once

#include "lanes/composites.hpp"
#include "lanes/twists.hpp"

namespace {

enum : int {
  kUnit_n = kComposite_free,  // F_ii: moment and force
  kUnit_f = kUnit_n + 3,
  kPair_A = kUnit_f + 3,  // A_ik of the current k: angular, linear
  kPair_F = kPair_A + 6,  // F_ik: moment, force
};

struct Pair {
  V3 turn, slide;    // A
  V3 moment, force;  // F
};
DYN_INLINE Pair first_of(int lanes, const Pair& a, const Pair& b) {
  return {first_of(lanes, a.turn, b.turn), first_of(lanes, a.slide, b.slide), first_of(lanes, a.moment, b.moment),
          first_of(lanes, a.force, b.force)};
}
DYN_INLINE Pair load_pair(const Plan& plan, int i) {
  return {load3(plan, kPair_A, i), load3(plan, kPair_A + 3, i), load3(plan, kPair_F, i), load3(plan, kPair_F + 3, i)};
}

// Joint k in all lanes.
struct SpreadJoint {
  V3 z, o, h;
  Moments I;
  V m, turns;
};
DYN_INLINE SpreadJoint joint_in_all_lanes(const Plan& plan, int k) {
  return {spread3(plan, Row::axis_x, k),        spread3(plan, Row::origin_x, k),
          spread3(plan, Row::composite_h, k),   spread6(plan, Row::composite_I, k),
          all(row(plan, Row::mass_subtree)[k]), all(1.0 - row(plan, Row::slides)[k])};
}

// Joints before k: F = Ic_k S_i.
template <bool kSlides>
DYN_INLINE Pair pair_before(const Plan& plan, const SpreadJoint& k, int i) {
  const V3 z = load3(plan, Row::axis_x, i);
  V3 w = z, v = cross(z, k.o - load3(plan, Row::origin_x, i));  // S_i about o_k
  if constexpr (kSlides) {
    const V slides = load(row(plan, Row::slides) + i);
    w = z * (all(1.0) - slides);
    v = v * (all(1.0) - slides) + z * slides;
  }
  Pair p{cross(k.z, w), cross(k.z, v), k.I * w + cross(k.h, v), v * k.m + cross(w, k.h)};
  if constexpr (kSlides) {  // S_k x S_i = (0, z_k x w) where k slides
    p.slide = p.slide * k.turns + p.turn * (all(1.0) - k.turns);
    p.turn = p.turn * k.turns;
  }
  return p;
}
// k and joints beyond: F = Ic_i S_i.
DYN_INLINE Pair pair_beyond(const Plan& plan, const SpreadJoint& k, int i) {
  const V3 zero{}, f = load3(plan, kUnit_f, i);
  return {zero, zero, plus_cross(load3(plan, kUnit_n, i), load3(plan, Row::origin_x, i) - k.o, f), f};
}

template <bool kSlides>
DYN_INLINE void place_pairs(const Plan& plan, int k) {
  const SpreadJoint joint = joint_in_all_lanes(plan, k);
  const int own = plan.segment[plan.segment_of[k]].first_body;
  for_runs(plan, k, plan.subtree_end[k], [&](int begin, int end) {
    for (int i = begin; i < end; i += W) {
      const int before = begin == own ? k - i : W, left = end - i;
      Pair p{};
      if (before > 0) p = pair_before<kSlides>(plan, joint, i);
      if (before < W) {
        const Pair beyond = pair_beyond(plan, joint, i);
        p = before > 0 ? first_of(before, p, beyond) : beyond;
      }
      const int lanes = left < W ? left : W;
      store_own(plan, kPair_A, i, lanes, numbers(p.turn));
      store_own(plan, kPair_A + 3, i, lanes, numbers(p.slide));
      store_own(plan, kPair_F, i, lanes, numbers(p.moment));
      store_own(plan, kPair_F + 3, i, lanes, numbers(p.force));
    }
  });
}

// dM_ij/dq_k for W joints i, whose A and F are `p`.
DYN_INLINE V derivative(const Plan& plan, int j, bool before_k, const Pair& p) {
  V sum = pairing(p.turn, spread3(plan, kPair_F, j), p.slide, spread3(plan, kPair_F + 3, j));
  if (before_k) sum = sum + pairing(p.moment, spread3(plan, kPair_A, j), p.force, spread3(plan, kPair_A + 3, j));
  return -sum;
}

// use(k, i, lanes, each): for every k, and W joints i on its line at a time; each(f) calls f(j, dM_ij/dq_k) for all j.
template <bool kSlides, class Use>
DYN_INLINE void for_derivatives(const Plan& plan, const Use& use) {
  compose(plan);
  unit_wrenches<kSlides>(plan, Row::composite_h, Row::composite_I, kUnit_n, kUnit_f);
  for (int k = 0; k < plan.bodies; ++k) {
    place_pairs<kSlides>(plan, k);
    const int own = plan.segment[plan.segment_of[k]].first_body;
    for_runs(plan, k, plan.subtree_end[k], [&](int begin, int end) {
      for (int i = begin; i < end; i += W) {
        const Pair p = load_pair(plan, i);
        const bool some_before = begin != own || i < k;
        use(k, i, end - i < W ? end - i : W, [&](const auto& f) {
          for_runs(plan, k, k, [&](int first, int last) {
            for (int j = first; j < last; ++j) f(j, derivative(plan, j, true, p));
          });
          for (int j = k; some_before && j < plan.subtree_end[k]; ++j) f(j, derivative(plan, j, false, p));
        });
      }
    });
  }
}

// Both work matrices, from D_ijk = term(dM_ij/dq_k):  A_ij = sum over k of D_ijk v_k,  B_ik = sum over j of D_ijk v_j.
template <bool kSlides, class Term>
DYN_INLINE void sum_derivatives(const Plan& plan, const double* v, const Term& term) {
  double *A = square(plan, 0), *B = square(plan, 1);
  clear_square(plan, 0);
  clear_square(plan, 1);
  for_derivatives<kSlides>(plan, [&](int k, int i, int lanes, const auto& each) {
    V sum{};
    const V rate = all(v[k]);
    each([&](int j, V derivative_ij) {
      const V D = term(derivative_ij);
      add_lanes(A + static_cast<long>(j) * plan.stride + i, lanes, D * rate);
      sum = mul_add(D, all(v[j]), sum);
    });
    add_lanes(B + static_cast<long>(k) * plan.stride + i, lanes, sum);
  });
}
template <class Term>
DYN_INLINE void sum_derivatives(const Plan& plan, const double* v, const Term& term) {
  plan.slides ? sum_derivatives<true>(plan, v, term) : sum_derivatives<false>(plan, v, term);
}

// C = A + B - B^T, of the two work matrices, times `scale`.
DYN_INLINE void take_skew(const Plan& plan, double scale, double* C) {
  const double *A = square(plan, 0), *B = square(plan, 1);
  const long n = plan.bodies, stride = plan.stride;
  for (long j = 0; j < n; j += W) {
    for (long i = 0; i < n; i += W) {
      V turned[W];
      load_transposed(B + i * stride + j, stride, W, turned);
      for (long c = 0; c < W && j + c < n; ++c) {
        const long at = (j + c) * stride + i;
        store_lanes(C + (j + c) * n + i, ((load(A + at) + load(B + at)) - turned[c]) * all(scale),
                    n - i < W ? static_cast<int>(n - i) : W);
      }
    }
  }
}

}  // namespace
