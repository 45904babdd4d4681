// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Tables of the lane forms for M, C and inverse dynamics, by the algorithms' classes: null where an algorithm has none
// of its own. `fused` has none here, since it computes M, C, g and h together.
#pragma once

#include <array>
#include <tuple>

#include "lanes/forms.hpp"
#include "lanes/kernel_sets.hpp"

namespace dyn::lanes {

template <class Algorithm>
constexpr bool has_own_form() noexcept {
  if constexpr (requires { Algorithm::lane_form; }) return !Algorithm::lane_form.starts_with("src/fused/");
  return false;
}

template <class Algorithm, KernelSet set>
constexpr MassForm mass_form() noexcept {
  if constexpr (has_own_form<Algorithm>()) return &mass<Algorithm, set>;
  return nullptr;
}
template <class Algorithm, KernelSet set>
constexpr RatesForm rates_form() noexcept {
  if constexpr (has_own_form<Algorithm>()) return &with_rates<Algorithm, set>;
  return nullptr;
}

// Of all algorithms in a registry.
template <class Tuple>
struct FormTable;
template <class... A>
struct FormTable<std::tuple<A...>> {
  static std::array<MassForm, sizeof...(A)> mass(KernelSet set) {
    return with_kernel_set(set,
                           [](auto chosen) { return std::array<MassForm, sizeof...(A)>{mass_form<A, chosen()>()...}; });
  }
  static std::array<RatesForm, sizeof...(A)> rates(KernelSet set) {
    return with_kernel_set(
        set, [](auto chosen) { return std::array<RatesForm, sizeof...(A)>{rates_form<A, chosen()>()...}; });
  }
};

}  // namespace dyn::lanes
