// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by paper 000 (Wang and Ju), eqs 30-37, elements side by side: the joints k that support u in the lanes. As in
// dyn_core/jsim/explicit.hpp every element is a sum of its own over the subtree of u, and none uses another. n_u is
// multiplied inside the sum, with vectors instead of a matrix; the factors that do not depend on k, once a row:
//   w_l = m_l n_u x r_uI (u revolute), m_l n_u (u prismatic)
//   k R: n_k . (sum I_l n_u + sum r_kI x w_l)      (30), (34); no I_l where u is prismatic
//   k P: n_k . sum w_l                             (31), (35)
#include "jsim/explicit_kernel.hpp"
#include "lanes/columns.hpp"
#include "lanes/define_mass.hpp"

namespace {

struct RowSums {
  V3 inertia;  // sum of I_l n_u
  V3 force;    // sum of w_l
};

enum : int { kWork_w = Row::work };

// Bodies l side by side.
template <bool kSlides>
DYN_INLINE RowSums row_sums(const Plan& plan, int u) {
  const V3 n = spread3(plan, Row::axis_x, u), o = spread3(plan, Row::origin_x, u);
  const bool turns = !kSlides || row(plan, Row::slides)[u] == 0.0;
  const V3 zero{};
  RowSums sums{zero, zero};
  for (int l = u; l < plan.subtree_end[u]; l += W) {
    const int left = plan.subtree_end[u] - l;
    const V m = left < W ? load_first(row(plan, Row::mass) + l, left) : load(row(plan, Row::mass) + l);
    const V3 w = turns ? cross(n, load3(plan, Row::com_x, l) - o) * m : n * m;
    store3(plan, kWork_w, l, w);
    if constexpr (kSlides) sums.force = sums.force + w;
    if (!turns) continue;
    V3 In = load6(plan, Row::inertia_xx, l) * n;
    if (left < W) In = {first_of(left, In.x, zero.x), first_of(left, In.y, zero.y), first_of(left, In.z, zero.z)};
    sums.inertia = sums.inertia + In;
  }
  sums.inertia = total(sums.inertia);
  if constexpr (kSlides) sums.force = total(sums.force);
  return sums;
}

// Elements of row u for kBlocks W joints k from `first` on. The order of operations is the same for every kBlocks.
template <int kBlocks, bool kSlides>
DYN_INLINE void elements(const Plan& plan, int u, int first, const RowSums& sums, V (&value)[kBlocks]) {
  V3 o[kBlocks], moment[kBlocks];
  for (int b = 0; b < kBlocks; ++b) {
    o[b] = load3(plan, Row::origin_x, first + b * W);
    moment[b] = sums.inertia;
  }
  for (int l = u; l < plan.subtree_end[u]; ++l) {
    const V3 c = spread3(plan, Row::com_x, l), w = spread3(plan, kWork_w, l);
    for (int b = 0; b < kBlocks; ++b) {
      const V3 r = c - o[b];
      moment[b] = {(moment[b].x + r.y * w.z) - r.z * w.y, (moment[b].y + r.z * w.x) - r.x * w.z,
                   (moment[b].z + r.x * w.y) - r.y * w.x};
    }
  }
  for (int b = 0; b < kBlocks; ++b) {
    const V3 n = load3(plan, Row::axis_x, first + b * W);
    V3 sum = moment[b];
    if constexpr (kSlides) {
      const auto slides = load(row(plan, Row::slides) + first + b * W) != V{};
      sum = {slides ? sums.force.x : sum.x, slides ? sums.force.y : sum.y, slides ? sums.force.z : sum.z};
    }
    value[b] = mul_add(n.z, sum.z, mul_add(n.y, sum.y, n.x * sum.x));
  }
}

template <bool kSlides>
void explicit_columns(const Plan& plan, double* M) {
  for (int u = 0; u < plan.bodies; ++u) {
    const RowSums sums = row_sums<kSlides>(plan, u);
    double* column = M + static_cast<long>(u) * plan.bodies;
    int end = u + 1;
    for (int s = plan.segment_of[u]; s >= 0; s = plan.segment[s].parent) {
      const Segment& segment = plan.segment[s];
      if (s != plan.segment_of[u]) end = segment.first_body + segment.bodies;
      int k = segment.first_body;
      for (; end - k > W; k += 2 * W) {
        V value[2];
        elements<2, kSlides>(plan, u, k, sums, value);
        store(column + k, value[0]);
        const int lanes = end - k - W;
        lanes >= W ? store(column + k + W, value[1]) : store_first(column + k + W, value[1], lanes);
      }
      if (k >= end) continue;
      V value[1];
      elements<1, kSlides>(plan, u, k, sums, value);
      end - k == W ? store(column + k, value[0]) : store_first(column + k, value[0], end - k);
    }
  }
  mirror(M, plan.bodies);
}

template <bool kSlides>
DYN_INLINE double one_element(const Plan& plan, int u, int k) {
  V value[1];
  elements<1, kSlides>(plan, u, k, row_sums<kSlides>(plan, u), value);
  return value[0][0];
}

void mass_by_elements(const Plan& plan, double* M) {
  plan.slides ? explicit_columns<true>(plan, M) : explicit_columns<false>(plan, M);
}

}  // namespace

template <>
double dyn::jsim::explicit_element<kKernelSet>(const lanes::Plan& plan, int u, int k) {
  return plan.slides ? one_element<true>(plan, u, k) : one_element<false>(plan, u, k);
}

DYN_MASS_FORM(Explicit, mass_by_elements)
