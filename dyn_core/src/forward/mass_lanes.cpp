// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M = L^T D L from the tips to the base, so that the zeros between branches stay (Featherstone 2008, 6.5), M^-1 = L^-1
// D^-1 L^-T, and J M^-1 J^T = Y^T D^-1 Y with Y = L^-T J^T. Columns are in the lanes; neighbouring rows on the way to
// the base are taken four at a time.
#include "forward/mass_kernel.hpp"
#include "forward/mass_sweeps.hpp"
#include "lanes/vec3.hpp"

namespace {

using dyn::forward::MassShape;

constexpr int kTile = 4;       // rows
constexpr int kPanel = 2 * W;  // columns of M^-1 at a time
constexpr int kSix = 8;        // numbers from one row of six to the next

// Rows [lo, r] that follow each other, at most kTile.
DYN_INLINE int tile_from_above(const MassShape& m, int r) {
  int lo = r;
  while (r - lo < kTile - 1 && lo > 0 && m.next[lo] == lo - 1) --lo;
  return lo;
}
DYN_INLINE int tile_from_below(const MassShape& m, int r) {
  int end = r + 1;
  while (end < m.n && end - r < kTile && m.next[end] == end - 1) ++end;
  return end;
}

// row_i -= sum over k of l_ki row_k, for the rows [lo, hi] and columns up to i; kRows of them where that is known.
template <int kRows>
DYN_INLINE void take_rows(const double* rows, long stride, const double* l, double* to, int columns) {
  for (int j = 0; j < columns; j += W) {
    V sum = load(to + j);
#pragma GCC unroll 4
    for (int t = 0; t < kRows; ++t) sum -= all(l[t]) * load(rows + t * stride + j);
    store(to + j, sum);
  }
}
DYN_INLINE void take_rows(int count, const double* rows, long stride, const double* l, double* to, int columns) {
  switch (count) {
    case 1: return take_rows<1>(rows, stride, l, to, columns);
    case 2: return take_rows<2>(rows, stride, l, to, columns);
    case 3: return take_rows<3>(rows, stride, l, to, columns);
    default: return take_rows<4>(rows, stride, l, to, columns);
  }
}

int factorize(const MassShape& m, double* L, const double* floor, double* inverse, double* pivot) {
  const long s = m.stride;
  for (int hi = m.n - 1, lo; hi >= 0; hi = lo - 1) {
    lo = tile_from_above(m, hi);
    for (int k = hi; k >= lo; --k) {
      const double d = L[k * s + k];
      if (!(d > floor[k])) {
        *pivot = d;
        return k;
      }
      inverse[k] = 1.0 / d;
      for (int i = k - 1; i >= lo; --i) {
        const double l = L[k * s + i] * inverse[k];
        take_rows<1>(L + k * s, s, &l, L + i * s, i + 1);
      }
    }
    for (int i = m.next[lo]; i >= 0; i = m.next[i]) {
      double l[kTile] = {};
      for (int k = lo; k <= hi; ++k) l[k - lo] = L[k * s + i] * inverse[k];
      take_rows(hi - lo + 1, L + lo * s, s, l, L + i * s, i + 1);
    }
    for (int k = lo; k <= hi; ++k) {
      const V scale = all(inverse[k]);
      for (int j = 0; j < k; j += W) store(L + k * s + j, load(L + k * s + j) * scale);
    }
  }
  return -1;
}

// kRows rows of kVectors vectors, in registers.
template <int kRows, int kVectors>
struct Tile {
  V r[kRows][kVectors];
};
template <int kRows, int kVectors>
DYN_INLINE Tile<kRows, kVectors> load_tile(const double* from) {
  Tile<kRows, kVectors> t;
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int b = 0; b < kVectors; ++b) t.r[i][b] = load(from + (i * kVectors + b) * W);
  }
  return t;
}
template <int kRows, int kVectors>
DYN_INLINE void store_tile(const Tile<kRows, kVectors>& t, double* to) {
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int b = 0; b < kVectors; ++b) store(to + (i * kVectors + b) * W, t.r[i][b]);
  }
}
// Subtracts l[i * step] times `row` from each row i of the tile.
template <int kRows, int kVectors>
DYN_INLINE void take(Tile<kRows, kVectors>& t, const double* l, long step, const double* row) {
#pragma GCC unroll 4
  for (int b = 0; b < kVectors; ++b) {
    const V x = load(row + b * W);
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) t.r[i][b] -= all(l[i * step]) * x;
  }
}

// B <- L^-T B for the rows [lo, lo + kRows): B_i -= sum over k of L_ki B_k.
template <int kRows, int kVectors>
DYN_INLINE void back_tile(const MassShape& m, const double* L, double* B, int lo, int rows) {
  const long s = m.stride;
  auto t = load_tile<kRows, kVectors>(B + static_cast<long>(lo) * kVectors * W);
  const int end = m.end[lo] < rows ? m.end[lo] : rows;
  for (int k = lo + kRows; k < end; ++k) {
    take(t, L + k * s + lo, 1, B + static_cast<long>(k) * kVectors * W);
  }
#pragma GCC unroll 4
  for (int k = kRows - 1; k > 0; --k) {
#pragma GCC unroll 4
    for (int i = 0; i < k; ++i) {
      const V l = all(L[(lo + k) * s + lo + i]);
#pragma GCC unroll 4
      for (int b = 0; b < kVectors; ++b) t.r[i][b] -= l * t.r[k][b];
    }
  }
  store_tile(t, B + static_cast<long>(lo) * kVectors * W);
}
// B <- L^-T B for the rows [0, rows); later rows of B are 0.
template <int kVectors>
DYN_INLINE void back(const MassShape& m, const double* L, double* B, int rows) {
  for (int hi = rows - 1, lo; hi >= 0; hi = lo - 1) {
    lo = tile_from_above(m, hi);
    switch (hi - lo + 1) {
      case 1: back_tile<1, kVectors>(m, L, B, lo, rows); break;
      case 2: back_tile<2, kVectors>(m, L, B, lo, rows); break;
      case 3: back_tile<3, kVectors>(m, L, B, lo, rows); break;
      default: back_tile<4, kVectors>(m, L, B, lo, rows); break;
    }
  }
}

// B <- L^-1 B for the rows [lo, lo + kRows): B_k -= sum over i of L_ki B_i.
template <int kRows, int kVectors>
DYN_INLINE void forth_tile(const MassShape& m, const double* L, double* B, int lo) {
  const long s = m.stride;
  auto t = load_tile<kRows, kVectors>(B + static_cast<long>(lo) * kVectors * W);
  for (int i = m.next[lo]; i >= 0; i = m.next[i]) take(t, L + lo * s + i, s, B + static_cast<long>(i) * kVectors * W);
#pragma GCC unroll 4
  for (int k = 1; k < kRows; ++k) {
#pragma GCC unroll 4
    for (int i = 0; i < k; ++i) {
      const V l = all(L[(lo + k) * s + lo + i]);
#pragma GCC unroll 4
      for (int b = 0; b < kVectors; ++b) t.r[k][b] -= l * t.r[i][b];
    }
  }
  store_tile(t, B + static_cast<long>(lo) * kVectors * W);
}
template <int kVectors>
DYN_INLINE void forth(const MassShape& m, const double* L, double* B, int rows) {
  for (int lo = 0, end; lo < rows; lo = end) {
    end = tile_from_below(m, lo);
    switch (end - lo) {
      case 1: forth_tile<1, kVectors>(m, L, B, lo); break;
      case 2: forth_tile<2, kVectors>(m, L, B, lo); break;
      case 3: forth_tile<3, kVectors>(m, L, B, lo); break;
      default: forth_tile<4, kVectors>(m, L, B, lo); break;
    }
  }
}
template <int kVectors>
DYN_INLINE void scale(const double* inverse, double* B, int rows) {
  for (int k = 0; k < rows; ++k) {
    const V d = all(inverse[k]);
    double* row = B + static_cast<long>(k) * kVectors * W;
#pragma GCC unroll 4
    for (int b = 0; b < kVectors; ++b) store(row + b * W, load(row + b * W) * d);
  }
}

// Copies the upper triangle to the lower one: squares of W by W transposed, the edges number by number.
DYN_INLINE void mirror_down(double* M, int n) {
  const int whole = n / W * W;
  for (int i = 0; i < whole; i += W) {
    for (int j = i + W; j < whole; j += W) {
      V r[W];
      load_transposed(M + static_cast<long>(i) * n + j, n, W, r);
      for (int k = 0; k < W; ++k) store(M + static_cast<long>(j + k) * n + i, r[k]);
    }
  }
  const auto turn_over = [M, n](int i, int from, int end) {
    for (int j = from; j < end; ++j) copy_one(M + static_cast<long>(i) * n + j, M + static_cast<long>(j) * n + i);
  };
  for (int i = 0; i < n; ++i) {
    const int square = i / W * W + W < n ? i / W * W + W : n;
    turn_over(i, i + 1, square);
    turn_over(i, square > whole ? square : whole, n);
  }
}

// Panels of columns [first, first + kPanel) of M^-1, of which the rows up to the diagonal are stored.
void invert(const MassShape& m, const double* L, const double* inverse, double* work, double* inverse_M) {
  constexpr int vectors = kPanel / W;
  for (int first = 0; first < m.n; first += kPanel) {
    const int rows = first + kPanel < m.n ? first + kPanel : m.n;
    for (long i = 0; i < static_cast<long>(rows) * kPanel; i += W) store(work + i, V{});
    for (int k = first; k < rows; ++k) work[static_cast<long>(k) * kPanel + (k - first)] = 1.0;
    back<vectors>(m, L, work, rows);
    scale<vectors>(inverse, work, rows);
    forth<vectors>(m, L, work, rows);
    for (int k = 0; k < rows; ++k) {
      for (int b = 0; b < kPanel && first + b < m.n; b += W) {
        const V x = load(work + static_cast<long>(k) * kPanel + b);
        const int left = m.n - first - b;
        double* to = inverse_M + static_cast<long>(k) * m.n + first + b;
        left >= W ? store(to, x) : store_first(to, x, left);
      }
    }
  }
  mirror_down(inverse_M, m.n);
}

template <int kRows>
DYN_INLINE int invert_rows(const double* M, const double* floor, double* inverse_M, double* pivot) {
  double pivots[kRows];
  auto m = load_rows<kRows>(M, kRows);
  sweep(m, pivots);
  store_rows(m, inverse_M, kRows);
  for (int k = kRows; k-- > 0;) {
    if (pivots[k] > floor[k]) continue;
    *pivot = pivots[k];
    return k;
  }
  return -1;
}
int invert_small(int n, const double* M, const double* floor, double* inverse_M, double* pivot) {
  return n == 6 ? invert_rows<6>(M, floor, inverse_M, pivot) : invert_rows<7>(M, floor, inverse_M, pivot);
}

constexpr int kSixVectors = kRowVectors<6>;
struct Row6 {
  V b[kSixVectors];
};
DYN_INLINE Row6 load6(const double* from) {
  Row6 row;
#pragma GCC unroll 4
  for (int b = 0; b < kSixVectors; ++b) {
    row.b[b] = 6 - b * W >= W ? load(from + b * W) : load_first(from + b * W, 6 - b * W);
  }
  return row;
}
DYN_INLINE void store6(double* to, const Row6& row) {
#pragma GCC unroll 4
  for (int b = 0; b < kSixVectors; ++b) store(to + b * W, row.b[b]);
}
DYN_INLINE void add(Row6& sum, double x, const Row6& row) {
#pragma GCC unroll 4
  for (int b = 0; b < kSixVectors; ++b) sum.b[b] = mul_add(all(x), row.b[b], sum.b[b]);
}

// S = sum over k of left_k^T right_k, six by six; symmetric but for rounding, then made so to the bit.
template <class Left, class Right>
DYN_INLINE void sum_products(int n, double* S, const Left& left, const Right& right) {
  Row6 sum[6] = {};
  for (int k = 0; k < n; ++k) {
    const double* l = left(k);
    const Row6 row = right(k);
#pragma GCC unroll 6
    for (int r = 0; r < 6; ++r) add(sum[r], l[r], row);
  }
#pragma GCC unroll 6
  for (int r = 0; r < 6; ++r) store6(S + r * kSix, sum[r]);
  for (int r = 1; r < 6; ++r) {
    for (int c = 0; c < r; ++c) copy_one(S + r * kSix + c, S + c * kSix + r);
  }
}

// J M^-1 J^T = Y^T D^-1 Y with Y = L^-T J^T, and then L^-1 D^-1 Y in place of Y.
void mobility(const MassShape& m, const double* L, const double* inverse, const double* J, double* Y, double* out) {
  constexpr int vectors = kSix / W;
  for (int k = 0; k < m.n; ++k) {
    store6(Y + static_cast<long>(k) * kSix, load6(J + 6L * k));
  }
  back<vectors>(m, L, Y, m.n);
  sum_products(
      m.n, out, [&](int k) { return Y + static_cast<long>(k) * kSix; },
      [&](int k) {
        Row6 row = load6(Y + static_cast<long>(k) * kSix);
        for (V& x : row.b) x = x * all(inverse[k]);
        return row;
      });
  scale<vectors>(inverse, Y, m.n);
  forth<vectors>(m, L, Y, m.n);
}

void mobility_small(int n, const double* inverse_M, const double* J, double* Y, double* out) {
  for (int i = 0; i < n; ++i) {
    Row6 sum{};
    for (int k = 0; k < n; ++k) add(sum, inverse_M[i * n + k], load6(J + 6L * k));
    store6(Y + static_cast<long>(i) * kSix, sum);
  }
  sum_products(
      n, out, [&](int k) { return J + 6L * k; }, [&](int k) { return load6(Y + static_cast<long>(k) * kSix); });
}
void gram(int n, const double* J, double* out) {
  sum_products(
      n, out, [&](int k) { return J + 6L * k; }, [&](int k) { return load6(J + 6L * k); });
}

bool invert6(double* S) {
  double pivots[6];
  auto m = load_rows<6>(S, kSix);
  sweep(m, pivots);
  store_rows(m, S, kSix);
  bool positive = true;
  for (const double p : pivots) positive = positive && p > 0.0;
  return positive;
}

}  // namespace

template <>
dyn::forward::MassKernel dyn::forward::mass_kernel<kKernelSet>() {
  return {&factorize, &invert, kPanel, &invert_small, &mobility, &mobility_small, &gram, &invert6};
}
