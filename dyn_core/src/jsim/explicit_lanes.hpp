// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Single elements of M by the lane form of dyn_core/jsim/explicit.hpp, which is explicit_lanes.cpp.
#pragma once

#include <utility>

#include "jsim/explicit_kernel.hpp"
#include "lanes/kernel_sets.hpp"

namespace dyn::jsim {

class ExplicitElement {
 public:
  explicit ExplicitElement(lanes::KernelSet set = lanes::select_kernel_set())
      : kernel_(lanes::with_kernel_set(set, [](auto chosen) { return &explicit_element<chosen()>; })) {}

  // M(u, k) of bodies u and k, the same bits as the whole matrix by `explicit` has there.
  [[nodiscard]] double operator()(const lanes::Plan& plan, int u, int k) const noexcept {
    if (u < k) std::swap(u, k);
    return u < plan.subtree_end[k] ? kernel_(plan, u, k) : 0.0;
  }

 private:
  double (*kernel_)(const lanes::Plan&, int, int);
};

}  // namespace dyn::jsim
