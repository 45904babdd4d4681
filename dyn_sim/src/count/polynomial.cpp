// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "count/polynomial.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "output.hpp"

namespace dyn::cli {

int Polynomial::degree() const noexcept {
  for (int d = 3; d > 0; --d) {
    if (c[d] != 0.0) return d;
  }
  return 0;
}

std::string Polynomial::text() const {
  static constexpr std::array<const char*, 4> powers{"", "n", "n^2", "n^3"};
  std::string out;
  for (size_t d = 4; d-- > 0;) {
    if (c[d] == 0.0) continue;
    const std::string sign = c[d] < 0.0 ? "-" : "+";
    if (!out.empty())
      out += " " + sign + " ";
    else if (c[d] < 0.0)
      out += sign;
    const double size = std::abs(c[d]);
    out += (size == 1.0 && d > 0 ? std::string() : number(size)) + powers[d];
  }
  return out.empty() ? "0" : out;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) noexcept {
  Polynomial sum;
  for (size_t d = 0; d < sum.c.size(); ++d) sum.c[d] = a.c[d] + b.c[d];
  return sum;
}

Fit fit_polynomial(const std::vector<double>& n, const std::vector<double>& counts) {
  const Eigen::Index rows = n.size();
  const double scale = *std::max_element(n.begin(), n.end());  // keeps the powers near 1
  Eigen::MatrixXd A(rows, 4);
  Eigen::VectorXd b(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double x = n[i] / scale;
    A.row(i) << 1.0, x, x * x, x * x * x;
    b[i] = counts[i];
  }
  const Eigen::VectorXd c = A.colPivHouseholderQr().solve(b);
  Fit fit;
  for (Eigen::Index d = 0; d < 4; ++d) {
    const double value = c[d] / std::pow(scale, static_cast<double>(d));
    const double rounded = std::round(value * 1e6) / 1e6;
    fit.polynomial.c[d] = std::abs(rounded) < 1e-6 ? 0.0 : rounded;
  }
  for (size_t i = 0; i < n.size(); ++i) {
    fit.largest_error = std::max(fit.largest_error, std::abs(fit.polynomial(n[i]) - counts[i]));
  }
  if (fit.largest_error < 0.5) fit.largest_error = 0.0;  // counts are integers
  return fit;
}

std::optional<int> crossover(const Cost& first, const Cost& second, int last) {
  std::optional<int> from;
  for (int n = last; n >= 1 && first(n) < second(n); --n) from = n;
  return from;
}

}  // namespace dyn::cli
