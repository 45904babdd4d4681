// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M^-1 and J M^-1 J^T from M, for double: the kernels of mass_lanes.cpp with their work memory. M, M^-1 and J are in
// the user's order.
#pragma once

#include <algorithm>
#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/forward/pivot_scale.hpp"
#include "forward/mass_factor.hpp"
#include "forward/mass_kernel.hpp"
#include "lanes/kernel_sets.hpp"
#include "lanes/memory.hpp"

namespace dyn::forward {

class MassSolver {
 public:
  explicit MassSolver(const Tree& tree, lanes::KernelSet set = lanes::select_kernel_set());

  // `scale`: by row, the inertia with which its pivot is compared (pivot_scale.hpp). Where M is singular, the status
  // names the body.
  DYN_REALTIME Status invert(const double* M, const double* scale, double* inverse_M) noexcept;

  // From J, 6 x n: W = M^-1 J^T, n rows of eight, and J W, six rows of eight; six numbers of each are used.
  DYN_REALTIME Status mobility(const double* M, const double* scale, const double* J, double* W, double* JW) noexcept;

  [[nodiscard]] const MassKernel& kernel() const noexcept { return kernel_; }

 private:
  [[nodiscard]] bool small() const noexcept { return in_order_ && (shape_.n == 6 || shape_.n == 7); }
  [[nodiscard]] size_t at(size_t row) const noexcept { return static_cast<size_t>(coordinate_[row]); }
  void find_floors(const double* scale) noexcept;
  [[nodiscard]] Status status(int row, double pivot) const noexcept {
    return row < 0 ? Status{} : Status::singular(body_[row], pivot);
  }
  Status factorize(const double* M, const double* scale) noexcept;

  MassKernel kernel_;
  MassShape shape_{};
  bool in_order_ = true;  // rows are coordinates
  std::vector<int> next_, end_, body_, coordinate_;
  lanes::Aligned L_, inverse_, floor_, panel_;
  lanes::Aligned in_rows_;  // M^-1, or J and W, in the order of the rows, where it is not the user's
};

}  // namespace dyn::forward
