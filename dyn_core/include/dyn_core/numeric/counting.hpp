// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A number that counts its arithmetic operations: the same algorithm templates run on it, and the papers' operation
// tables can be reproduced on any machine. Divisions (as in paper 001, Table 1) and square roots count as
// multiplications, subtractions as additions; negation, copies, comparisons and conversions from constants are not
// counted.
#pragma once

#include <cmath>
#include <cstdint>

#include "dyn_core/numeric/scalar_traits.hpp"

namespace dyn {

struct OperationCount {
  std::int64_t multiplications = 0;
  std::int64_t additions = 0;
  std::int64_t trigonometric = 0;
};

class Counting {
 public:
  constexpr Counting() noexcept = default;
  // Implicit on purpose: constants of the model enter formulas without being counted.
  constexpr Counting(double value) noexcept : value_(value) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] constexpr double value() const noexcept { return value_; }
  explicit constexpr operator double() const noexcept { return value_; }

  static OperationCount& tally() noexcept {
    thread_local OperationCount count;
    return count;
  }

  friend Counting operator*(Counting a, Counting b) noexcept {
    ++tally().multiplications;
    return {a.value_ * b.value_};
  }
  friend Counting operator/(Counting a, Counting b) noexcept {
    ++tally().multiplications;
    return {a.value_ / b.value_};
  }
  friend Counting operator+(Counting a, Counting b) noexcept {
    ++tally().additions;
    return {a.value_ + b.value_};
  }
  friend Counting operator-(Counting a, Counting b) noexcept {
    ++tally().additions;
    return {a.value_ - b.value_};
  }
  friend constexpr Counting operator-(Counting a) noexcept { return {-a.value_}; }
  Counting& operator*=(Counting b) noexcept { return *this = *this * b; }
  Counting& operator/=(Counting b) noexcept { return *this = *this / b; }
  Counting& operator+=(Counting b) noexcept { return *this = *this + b; }
  Counting& operator-=(Counting b) noexcept { return *this = *this - b; }

  friend constexpr bool operator==(Counting a, Counting b) noexcept { return a.value_ == b.value_; }
  friend constexpr auto operator<=>(Counting a, Counting b) noexcept { return a.value_ <=> b.value_; }

  friend Counting sin(Counting a) noexcept {
    ++tally().trigonometric;
    return {std::sin(a.value_)};
  }
  friend Counting cos(Counting a) noexcept {
    ++tally().trigonometric;
    return {std::cos(a.value_)};
  }
  friend Counting sqrt(Counting a) noexcept {
    ++tally().multiplications;
    return {std::sqrt(a.value_)};
  }
  friend Counting abs(Counting a) noexcept { return {std::abs(a.value_)}; }
  friend bool isfinite(Counting a) noexcept { return std::isfinite(a.value_); }

 private:
  double value_ = 0.0;
};

}  // namespace dyn

namespace Eigen {
template <>
struct NumTraits<dyn::Counting> : dyn::ScalarTraits<dyn::Counting> {};
}  // namespace Eigen
