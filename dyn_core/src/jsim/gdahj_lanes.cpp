// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by GDAHJ, paper 003 (Safeea, Neto and Bearee), eqs 18-31, symbols as in dyn_core/jsim/gdahj.hpp. The sums b_i and
// D_i of eqs 23-28 are sums along a chain: each body's summand in its lane, then summed over the lanes from each one
// on. The quadratic part, Algorithm 1, is the upper half of a product of an n x 6 and a 6 x n matrix:
//   A_ij = w_j . d_i + t_j . y_i,   A = [w t] [d y]^T                                              (31)
#include "lanes/columns.hpp"
#include "lanes/define_mass.hpp"

namespace {

enum : int { kWork_s = Row::work, kWork_t = Row::work + 3, kWork_d = Row::work + 6, kWork_y = Row::work + 9 };

// [a][b] = b a^T - (a . b) 1
DYN_INLINE Tensor skew_product(const V3& a, const V3& b) {
  const V xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z;
  return {{-(yy + zz), b.x * a.y, b.x * a.z}, {b.y * a.x, -(xx + zz), b.y * a.z}, {b.z * a.x, b.z * a.y, -(xx + yy)}};
}
DYN_INLINE Tensor operator-(const Tensor& a, const Tensor& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
DYN_INLINE Tensor tensor(const Moments& I) { return {{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}}; }
DYN_INLINE V3 times_transposed(const Tensor& A, const V3& v) { return A.x * v.x + A.y * v.y + A.z * v.z; }
DYN_INLINE void store_first3(const Plan& plan, int name, int body, const V3& v, int lanes) {
  double* to = row(plan, name) + body;
  store_first(to, v.x, lanes);
  store_first(to + plan.stride, v.y, lanes);
  store_first(to + 2L * plan.stride, v.z, lanes);
}

// Sums over all bodies beyond the current block.
struct Beyond {
  V3 h, b;
  Tensor D;
};

// One block of a segment: h, b, D of its bodies, and from them w, t, d, y.
template <bool kSlides>
DYN_INLINE void joint_vectors(const Plan& plan, const Segment& s, int k, const V3& reference, Beyond& sum) {
  const double* block = block_of(plan, s, k);
  const int body = s.first_body + k * W, lanes = lanes_of(s, k);
  const V m = fixed(block, Fixed::mass);
  const V3 n = load3(plan, Row::axis_x, body), o = load3(plan, Row::origin_x, body);
  const V3 c = load3(plan, Row::com_x, body), from_reference = c - reference;
  // To the next body of the segment; `sum` has the segments beyond its end.
  const int followed = k + 1 < s.blocks ? W : lanes - 1;
  const V3 l = first_of(followed, load3(plan, Row::origin_x, body + 1) - o);
  const V3 h = sum_down<Bodies>(from_reference * m) + sum.h;
  const V3 h_beyond{down<1>(h.x, sum.h.x), down<1>(h.y, sum.h.y), down<1>(h.z, sum.h.z)};
  const V3 own_b = (c - o) * m;
  const V3 b = sum_down<Bodies>(own_b + l * fixed(block, Fixed::mass_beyond)) + sum.b;  // (23), (27)
  Tensor own_D = tensor(load6(plan, Row::inertia_xx, body));
  if (lanes < W) own_D = {first_of(lanes, own_D.x), first_of(lanes, own_D.y), first_of(lanes, own_D.z)};
  const Tensor D = sum_down<Bodies>(own_D - skew_product(own_b, from_reference) - skew_product(l, h_beyond)) + sum.D;
  sum = {first<Bodies>(h), first<Bodies>(b), first<Bodies>(D)};
  V3 w = n, t = cross(n, o - reference), d = times_transposed(D, n), y = cross(b, n);
  if constexpr (kSlides) {
    const V slides = fixed(block, Fixed::slides), turns = all(1.0) - slides;
    w = w * turns;
    t = t * turns - n * slides;
    d = d * turns + cross(h, n) * slides;
    y = y * turns - n * (fixed(block, Fixed::mass_subtree) * slides);
  }
  store_first3(plan, kWork_s, body, w, lanes);
  store_first3(plan, kWork_t, body, t, lanes);
  store_first3(plan, kWork_d, body, d, lanes);
  store_first3(plan, kWork_y, body, y, lanes);
}

// Adds a segment's h, and b and D with l from the parent segment's end to it, to that end.
DYN_INLINE void hand_down(const Plan& plan, const Segment& s, const Beyond& sum) {
  SegmentEnd& parent = ends_of(plan)[s.parent];
  const V3 l = spread3(plan, Row::origin_x, s.first_body) - parent.origin;
  const V mass = first(fixed(block_of(plan, s, 0), Fixed::mass_subtree));
  parent.h = parent.h + sum.h;
  parent.b = parent.b + sum.b + l * mass;
  parent.D = parent.D + (sum.D - skew_product(l, sum.h));
}

template <bool kSlides>
DYN_INLINE void all_joint_vectors(const Plan& plan) {
  const V3 zero{}, reference = ends_of(plan)[plan.segments - 1].origin;
  for (int s = 0; s < plan.segments; ++s) {
    SegmentEnd& end = ends_of(plan)[s];
    end.h = end.b = end.D.x = end.D.y = end.D.z = zero;
  }
  for (int s = plan.segments; s-- > 0;) {
    const Segment& segment = plan.segment[s];
    const SegmentEnd& end = ends_of(plan)[s];
    Beyond sum{end.h, end.b, end.D};
    for (int k = segment.blocks; k-- > 0;) joint_vectors<kSlides>(plan, segment, k, reference, sum);
    if (segment.parent >= 0) hand_down(plan, segment, sum);
  }
}

void mass_by_gdahj(const Plan& plan, double* M) {
  if (plan.bodies == 0) return;
  plan.slides ? all_joint_vectors<true>(plan) : all_joint_vectors<false>(plan);
  for (int i = 0; i < plan.bodies; ++i) {
    const V3 d = spread3(plan, kWork_d, i), y = spread3(plan, kWork_y, i);
    column_above(plan, i, M, [&](int first, int /*lanes*/) {
      return pairing(d, load3(plan, kWork_s, first), y, load3(plan, kWork_t, first));
    });
  }
  mirror(M, plan.bodies);
}

}  // namespace

DYN_MASS_FORM(Gdahj, mass_by_gdahj)
