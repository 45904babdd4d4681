// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A matrix link by link, the sum over links l of Y^T X with a column of each for every joint that supports l: M by the
// methods of jsim/momentum.hpp, pseudo_inertia.hpp and screw.hpp, C by that of coriolis/screw.hpp, symbols as there.
// Columns and products are computed for W joints side by side; joints that do not support the link are skipped.
//
// A Method has kRows, the length of a column; of(plan, l), the numbers common to all columns of link l; and
// columns(plan, link, first, X, Y), the columns of W joints from `first` on. kUpper: the products are symmetric, and
// only those above the diagonal are computed.
#pragma once

#include "lanes/columns.hpp"

namespace {

using dyn::lanes::Link;

enum : int { kWork_X = Row::work, kWork_Y = Row::work + 18 };  // up to eighteen rows each

DYN_INLINE const double* link_of(const Plan& plan, int l) { return plan.links + static_cast<long>(l) * Link::count; }
DYN_INLINE V3 spread3(const double* from) { return {all(from[0]), all(from[1]), all(from[2])}; }

// Three numbers of a column.
DYN_INLINE void put3(V* column, const V3& a) {
  column[0] = a.x;
  column[1] = a.y;
  column[2] = a.z;
}

// A chain whose joints fill one vector: X and the sums stay in registers.
template <class Method>
DYN_INLINE void sum_links_of_short_chain(const Plan& plan, double* out) {
  V sum[W] = {};
  for (int l = 0; l < plan.bodies; ++l) {
    struct {
      V y[Method::kRows];
    } Y;
    V X[Method::kRows];
    Method::columns(plan, Method::of(plan, l), 0, X, Y.y);
    keep_in_memory(Y);
#pragma GCC unroll 8
    for (int i = 0; i < W; ++i) {
      if (i > l) break;
      V product = spread(Y.y[0], i) * X[0];
#pragma GCC unroll 18
      for (int r = 1; r < Method::kRows; ++r) product = mul_add(spread(Y.y[r], i), X[r], product);
      sum[i] = sum[i] + (Method::kUpper ? product : first_of(l + 1, product, V{}));
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < W; ++i) {
    if (i < plan.bodies) store_first(out + i * plan.bodies, sum[i], Method::kUpper ? i + 1 : plan.bodies);
  }
}

template <class Method>
DYN_INLINE void store_columns(const Plan& plan, int l) {
  const auto link = Method::of(plan, l);
  for_runs(plan, l, l + 1, [&](int begin, int end) {
    for (int first = begin; first < end; first += W) {
      V X[Method::kRows], Y[Method::kRows];
      Method::columns(plan, link, first, X, Y);
      for (int r = 0; r < Method::kRows; ++r) {
        store(row(plan, kWork_X + r) + first, X[r]);
        store(row(plan, kWork_Y + r) + first, Y[r]);
      }
    }
  });
}

// sum += Y^T X of link l.
template <class Method>
DYN_INLINE void add_products(const Plan& plan, int l, double* sum) {
  const long stride = plan.stride;
  const double *X = row(plan, kWork_X), *Y = row(plan, kWork_Y);
  for (int i = l; i >= 0; i = plan.parent[i]) {
    V y[Method::kRows];
#pragma GCC unroll 18
    for (int r = 0; r < Method::kRows; ++r) y[r] = all(Y[r * stride + i]);
    double* column = sum + i * stride;
    for_runs(plan, Method::kUpper ? i : l, Method::kUpper ? i + 1 : l + 1, [&](int begin, int end) {
      for (int first = begin; first < end; first += W) {
        V even{}, odd{};  // the sum so far is added last, since the next link waits for it
#pragma GCC unroll 9
        for (int r = 0; r < Method::kRows; r += 2) {
          even = mul_add(y[r], load(X + r * stride + first), even);
          odd = mul_add(y[r + 1], load(X + (r + 1) * stride + first), odd);
        }
        add_lanes(column + first, end - first, even + odd);
      }
    });
  }
}

template <class Method>
DYN_INLINE void sum_links(const Plan& plan, double* out) {
  const int n = plan.bodies;
  if (plan.segments == 1 && n <= W) {
    sum_links_of_short_chain<Method>(plan, out);
  } else {
    double* sum = square(plan, 0);
    clear_square(plan, 0);
    for (int l = 0; l < n; ++l) {
      store_columns<Method>(plan, l);
      add_products<Method>(plan, l, sum);
    }
    for (int i = 0; i < n; ++i) {
      const double* column = sum + static_cast<long>(i) * plan.stride;
      const int rows = Method::kUpper ? i + 1 : n;
      for (int k = 0; k < rows; k += W) store_lanes(out + static_cast<long>(i) * n + k, load(column + k), rows - k);
    }
  }
  if constexpr (Method::kUpper) mirror(out, n);
}

// The joint's unit twist: angular part, and linear part of the point at r from the joint's origin.
template <bool kSlides>
DYN_INLINE void joint_twist(const Plan& plan, int first, const V3& z, const V3& r, V3& angular, V3& linear) {
  angular = z;
  linear = cross(z, r);
  if constexpr (!kSlides) return;
  const V slides = load(row(plan, Row::slides) + first), turns = all(1.0) - slides;
  angular = z * turns;
  linear = linear * turns + z * slides;
}

}  // namespace
