// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Operation counts as polynomials in n, the number of joints.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dyn::cli {

// c[0] + c[1] n + c[2] n^2 + c[3] n^3
struct Polynomial {
  std::array<double, 4> c{};

  [[nodiscard]] double operator()(double n) const noexcept { return c[0] + n * (c[1] + n * (c[2] + n * c[3])); }
  [[nodiscard]] int degree() const noexcept;
  [[nodiscard]] double leading() const noexcept { return c[degree()]; }
  [[nodiscard]] std::string text() const;  // 3.5n^3 + 16n^2 + 12.5n

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b) noexcept;
};

struct Fit {
  Polynomial polynomial;
  double largest_error = 0.0;  // of the fit, in operations: 0 if the count is a polynomial
};

// Least squares, cubic; coefficients below 1e-6 are set to 0.
[[nodiscard]] Fit fit_polynomial(const std::vector<double>& n, const std::vector<double>& counts);

// The smallest n from which on, up to `last`, the first costs less than the second; nothing if there is none.
using Cost = std::function<double(int n)>;
[[nodiscard]] std::optional<int> crossover(const Cost& first, const Cost& second, int last);

}  // namespace dyn::cli
