// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Looking algorithms up by name, and running the chosen one of a std::tuple without virtual calls or allocation.
#pragma once

#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "dyn_core/coriolis/registry.hpp"
#include "dyn_core/forward/registry.hpp"
#include "dyn_core/inverse/registry.hpp"
#include "dyn_core/jsim/registry.hpp"

namespace dyn {

template <class Tuple>
struct AlgorithmList;
template <class... A>
struct AlgorithmList<std::tuple<A...>> {
  static constexpr int size = static_cast<int>(sizeof...(A));
  static constexpr std::array<std::string_view, sizeof...(A)> names{A::name...};
  static constexpr std::array<std::string_view, sizeof...(A)> sources{A::source...};
  static constexpr std::array<unsigned, sizeof...(A)> needs{A::needs...};

  // -1: there is no algorithm of that name.
  static constexpr int find(std::string_view name) noexcept {
    for (int i = 0; i < size; ++i) {
      if (names[i] == name) return i;
    }
    return -1;
  }
};

// f(algorithm) for the index-th element of the tuple.
template <class Tuple, class F>
void with_algorithm(Tuple& algorithms, int index, F&& f) noexcept {
  [&]<size_t... I>(std::index_sequence<I...>) {
    (void)((static_cast<int>(I) == index ? (f(std::get<I>(algorithms)), true) : false) || ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Tuple>>{});
}

}  // namespace dyn
