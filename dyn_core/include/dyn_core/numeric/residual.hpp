// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Errors of results, measured alike in tests, validator, `dyn validate`, studies and benchmarks. NaN is an infinite
// error: std::max(0, NaN) is 0 and Eigen's maxCoeff() is undefined with NaN.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace dyn {

// The larger one of two errors; NaN is infinite.
[[nodiscard]] inline double larger_error(double a, double b) noexcept {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(a) || std::isnan(b)) return infinity;
  return a < b ? b : a;
}

// Largest |x_ij|; infinite where one is not a number.
template <class X>
[[nodiscard]] double largest_entry(const Eigen::MatrixBase<X>& expression) {
  const auto& x = expression.eval();
  double largest = 0.0;
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      largest = larger_error(largest, std::abs(static_cast<double>(x(i, j))));
    }
  }
  return largest;
}

// M_ii below this part of the largest M_kk is 0 to rounding: joint i moves nothing.
inline constexpr double no_inertia = 1e-15;

// Largest |D_ij| / sqrt(M_ii M_jj), D being a difference of two matrices with the units of M, or of M and a rate. Where
// M_ii or M_jj is 0, relative to the largest M_kk. Infinite where the sizes differ.
template <class D, class E>
[[nodiscard]] double inertia_scaled_error(const Eigen::MatrixBase<D>& differences,
                                          const Eigen::MatrixBase<E>& inertia) {
  using Number = std::common_type_t<typename D::Scalar, typename E::Scalar>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto& difference = differences.eval();
  const auto& M = inertia.eval();
  if (difference.rows() != M.rows() || difference.cols() != M.cols() || M.rows() != M.cols()) return infinity;
  Number largest(0);
  for (Eigen::Index i = 0; i < M.rows(); ++i) largest = std::max(largest, Number(M(i, i)));
  double error = 0.0;
  for (Eigen::Index j = 0; j < M.cols(); ++j) {
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      const Number ii(M(i, i)), jj(M(j, j));
      if (std::isnan(ii) || std::isnan(jj)) return infinity;
      const bool both = std::min(ii, jj) > Number(no_inertia) * largest;
      const Number scale = both ? Number(std::sqrt(ii) * std::sqrt(jj)) : largest;
      const Number distance = std::abs(Number(difference(i, j)));
      error = larger_error(error, static_cast<double>(distance / (scale > Number(0) ? scale : Number(1))));
    }
  }
  return error;
}

// Largest |M_ij - truth_ij| / sqrt(truth_ii truth_jj).
template <class A, class B>
[[nodiscard]] double mass_matrix_error(const Eigen::MatrixBase<A>& M, const Eigen::MatrixBase<B>& truth) {
  using Number = std::common_type_t<typename A::Scalar, typename B::Scalar>;
  if (M.rows() != truth.rows() || M.cols() != truth.cols()) return std::numeric_limits<double>::infinity();
  return inertia_scaled_error(M.template cast<Number>() - truth.template cast<Number>(), truth);
}

// Largest difference relative to the largest entry of the truth, or to `floor` where that is larger: a small value for
// this robot, for where the truth is nearly 0.
template <class A, class B>
[[nodiscard]] double relative_error(const Eigen::MatrixBase<A>& x, const Eigen::MatrixBase<B>& truth,
                                    double floor = 0.0) {
  using Number = std::common_type_t<typename A::Scalar, typename B::Scalar>;
  if (x.rows() != truth.rows() || x.cols() != truth.cols()) return std::numeric_limits<double>::infinity();
  const double scale = larger_error(largest_entry(truth), floor);
  if (!std::isfinite(scale)) return std::numeric_limits<double>::infinity();
  const double difference = largest_entry(x.template cast<Number>() - truth.template cast<Number>());
  return difference / (scale > 0.0 ? scale : 1.0);
}

}  // namespace dyn
