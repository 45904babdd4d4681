// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "forward/mass_solver.hpp"

namespace dyn::forward {
namespace {

constexpr int six = 8;  // numbers from one row of six to the next

}  // namespace

MassSolver::MassSolver(const Tree& tree, lanes::KernelSet set)
    : kernel_(lanes::with_kernel_set(set, [](auto chosen) { return mass_kernel<chosen()>(); })) {
  const MassFactor<double> rows(tree);
  const int n = rows.rows(), width = lanes::width(set);
  shape_.n = n;
  shape_.stride = (n + width - 1) / width * width;
  for (int r = 0; r < n; ++r) {
    next_.push_back(rows.next(r));
    body_.push_back(rows.body(r));
    coordinate_.push_back(rows.coordinate(tree, r));
    end_.push_back(tree.has_mimic ? n : tree.subtree_end[r]);
    in_order_ = in_order_ && coordinate_[r] == r;
  }
  shape_.next = next_.data();
  shape_.end = end_.data();
  const auto numbers = [](long count) { return lanes::aligned(count); };
  L_ = numbers(static_cast<long>(n) * shape_.stride + width);
  inverse_ = numbers(n);
  floor_ = numbers(n);
  panel_ = numbers(static_cast<long>(n) * kernel_.panel_numbers);
  if (!in_order_) in_rows_ = numbers(static_cast<long>(n) * std::max(n, 2 * six));
}

void MassSolver::find_floors(const double* scale) noexcept {
  for (int r = 0; r < shape_.n; ++r) floor_.get()[r] = PivotScale<double>::tolerance * scale[r];
}

Status MassSolver::factorize(const double* M, const double* scale) noexcept {
  const long n = shape_.n;
  find_floors(scale);
  for (int r = 0; r < n; ++r) {
    double* row = L_.get() + static_cast<long>(r) * shape_.stride;
    const double* from = M + n * coordinate_[r];
    if (in_order_) {
      std::copy_n(from, r + 1, row);
    } else {
      for (int c = 0; c <= r; ++c) row[c] = from[coordinate_[c]];
    }
  }
  double pivot = 0.0;
  const int bad = kernel_.factorize(shape_, L_.get(), floor_.get(), inverse_.get(), &pivot);
  return status(bad, pivot);
}

Status MassSolver::invert(const double* M, const double* scale, double* inverse_M) noexcept {
  if (small()) {
    find_floors(scale);
    double pivot = 0.0;
    const int bad = kernel_.invert_small(shape_.n, M, floor_.get(), inverse_M, &pivot);
    return status(bad, pivot);
  }
  if (const Status status = factorize(M, scale); !status.ok()) return status;
  const long n = shape_.n;
  double* const to = in_order_ ? inverse_M : in_rows_.get();
  kernel_.invert(shape_, L_.get(), inverse_.get(), panel_.get(), to);
  for (int r = 0; r < n && !in_order_; ++r) {
    for (int c = 0; c < n; ++c) inverse_M[n * coordinate_[r] + coordinate_[c]] = to[n * r + c];
  }
  return {};
}

Status MassSolver::mobility(const double* M, const double* scale, const double* J, double* W, double* JW) noexcept {
  if (small()) {
    if (const Status status = invert(M, scale, L_.get()); !status.ok()) return status;
    kernel_.mobility_small(shape_.n, L_.get(), J, W, JW);
    return {};
  }
  if (const Status status = factorize(M, scale); !status.ok()) return status;
  const size_t n = shape_.n;
  double* const own_J = in_rows_.get();
  double* const own_W = in_order_ ? W : own_J + n * six;
  for (size_t r = 0; r < n && !in_order_; ++r) std::copy_n(J + 6 * at(r), 6, own_J + 6 * r);
  kernel_.mobility(shape_, L_.get(), inverse_.get(), in_order_ ? J : own_J, own_W, JW);
  for (size_t r = 0; r < n && !in_order_; ++r) std::copy_n(own_W + r * six, six, W + at(r) * six);
  return {};
}

}  // namespace dyn::forward
