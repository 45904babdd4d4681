// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// a + b e with e^2 = 0: carries a derivative exactly along any formula. May be nested for second derivatives.
#pragma once

#include <cmath>

#include "dyn_core/numeric/scalar_traits.hpp"

namespace dyn::test {

template <class S>
struct Dual {
  S a{}, b{};

  Dual() = default;
  Dual(double value) : a(value), b(0.0) {}  // NOLINT(google-explicit-constructor): constants enter formulas
  Dual(S value, S derivative) : a(value), b(derivative) {}

  friend Dual operator+(const Dual& x, const Dual& y) { return {x.a + y.a, x.b + y.b}; }
  friend Dual operator-(const Dual& x, const Dual& y) { return {x.a - y.a, x.b - y.b}; }
  friend Dual operator*(const Dual& x, const Dual& y) { return {x.a * y.a, x.a * y.b + x.b * y.a}; }
  friend Dual operator-(const Dual& x) { return {-x.a, -x.b}; }
  Dual& operator+=(const Dual& y) { return *this = *this + y; }
  Dual& operator-=(const Dual& y) { return *this = *this - y; }
  Dual& operator*=(const Dual& y) { return *this = *this * y; }
  friend Dual sin(const Dual& x) {
    using std::cos;
    using std::sin;
    return {sin(x.a), cos(x.a) * x.b};
  }
  friend Dual cos(const Dual& x) {
    using std::cos;
    using std::sin;
    return {cos(x.a), -sin(x.a) * x.b};
  }
};

}  // namespace dyn::test

namespace Eigen {
template <class S>
struct NumTraits<dyn::test::Dual<S>> : dyn::ScalarTraits<dyn::test::Dual<S>> {};
}  // namespace Eigen
