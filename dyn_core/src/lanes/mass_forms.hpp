// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The lane forms of the algorithms for M, found by the algorithms' classes: null where an algorithm has none.
#pragma once

#include <array>
#include <tuple>

#include "lanes/forms.hpp"
#include "lanes/kernel_sets.hpp"

namespace dyn::lanes {

template <class Algorithm, KernelSet set>
constexpr MassForm mass_form() noexcept {
  if constexpr (requires { Algorithm::lane_form; }) {
    if constexpr (Algorithm::lane_form.starts_with("src/jsim/")) return &mass<Algorithm, set>;
  }
  return nullptr;  // or `fused`, which makes M together with other terms
}

template <class Tuple>
struct MassForms;
template <class... A>
struct MassForms<std::tuple<A...>> {
  static std::array<MassForm, sizeof...(A)> all(KernelSet set) {
    return with_kernel_set(set,
                           [](auto chosen) { return std::array<MassForm, sizeof...(A)>{mass_form<A, chosen()>()...}; });
  }
};

}  // namespace dyn::lanes
