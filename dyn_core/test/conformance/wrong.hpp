// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Algorithms that are wrong on purpose: right ones of which a result, or one entry of it, is not a number. No test of
// the conformance suites may pass with one of them (wrong_main.cpp).
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace dyn::test {

enum class NotANumber { everywhere, first, last, corners };

template <class Right, class T, NotANumber where>
class Spoiled {
 public:
  static constexpr std::string_view name = Right::name;
  static constexpr std::string_view source = Right::source;
  static constexpr unsigned needs = Right::needs;

  explicit Spoiled(int capacity) : right_(capacity) {}

  // The last argument is where the result goes.
  template <class... Arguments>
  auto compute(const Arguments&... arguments) noexcept {
    auto out = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
    if constexpr (std::is_void_v<decltype(right_.compute(arguments...))>) {
      right_.compute(arguments...);
      put_nan(out);
    } else {
      (void)right_.compute(arguments...);
      put_nan(out);
      return decltype(right_.compute(arguments...)){};  // and says that all is well
    }
  }

 private:
  static void put_nan(auto& out) noexcept {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    const auto row = out.rows() - 1, column = out.cols() - 1;
    if (where == NotANumber::everywhere) out.setConstant(nan);
    if (where == NotANumber::first) out(0, 0) = nan;
    if (where == NotANumber::last) out(row, column) = nan;
    if (where == NotANumber::corners) out(row, 0) = out(0, column) = nan;
  }

  Right right_;
};

// Of the first algorithm of a registry.
template <template <class> class Registry, NotANumber where>
struct WrongEntry {
  template <class T>
  using Algorithm = Spoiled<std::tuple_element_t<0, Registry<T>>, T, where>;
  static constexpr const char* label = where == NotANumber::everywhere ? "everywhere"
                                       : where == NotANumber::first    ? "first"
                                       : where == NotANumber::last     ? "last"
                                                                       : "corners";
};
template <template <class> class Registry>
using WrongEntries =
    ::testing::Types<WrongEntry<Registry, NotANumber::everywhere>, WrongEntry<Registry, NotANumber::first>,
                     WrongEntry<Registry, NotANumber::last>, WrongEntry<Registry, NotANumber::corners>>;

}  // namespace dyn::test
