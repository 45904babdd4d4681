// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "identify/base_parameters.hpp"

#include <Eigen/QR>
#include <array>
#include <cmath>
#include <random>
#include <sstream>

#include "dyn_core/regressor.hpp"

namespace dyn::sim::identify {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::string parameter_name(const regressor::Layout& layout, int place) {
  static constexpr std::array<const char*, 10> names{"m", "mx", "my", "mz", "ixx", "ixy", "iyy", "ixz", "iyz", "izz"};
  return layout.link[place / 10] + "." + names[place % 10];
}

BaseSums base_sums(const std::shared_ptr<const Model>& model) {
  Regressor regressor(model);
  const Index n = model->coordinates(), size = regressor.layout().parameters();
  const Index states = std::max<Index>(4, 3 * size / n + 4);
  MatrixXd Y(states * n, size);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  // At rest: what changes neither M nor g does not change C v, which follows from M.
  VectorXd q(n), a(n);
  const VectorXd rest = VectorXd::Zero(n);
  for (Index k = 0; k < states; ++k) {
    for (Index i = 0; i < n; ++i) {
      q[i] = 3.0 * uniform(random);
      a[i] = 10.0 * uniform(random);
    }
    const size_t count = n;
    (void)regressor.update({q.data(), count}, {rest.data(), count}, {a.data(), count}).ok();
    Y.middleRows(k * n, n) = regressor.Y();
  }
  Eigen::ColPivHouseholderQR<MatrixXd> qr(Y);
  qr.setThreshold(1e-9);
  const Index rank = qr.rank();
  // Y P = Q [R1 R2]: Y p = (Q R1) (p_1 + R1^-1 R2 p_2), with p_1 and p_2 the first and the other pivots.
  const MatrixXd R = qr.matrixR().topRows(rank).triangularView<Eigen::Upper>();
  const MatrixXd beside = R.leftCols(rank).triangularView<Eigen::Upper>().solve(R.rightCols(size - rank));
  const auto& pivot = qr.colsPermutation().indices();
  BaseSums base{MatrixXd::Zero(rank, size), {}, {}};
  for (Index r = 0; r < rank; ++r) {
    std::ostringstream words;
    words.precision(4);
    words << parameter_name(regressor.layout(), pivot[r]);
    base.sums(r, pivot[r]) = 1.0;
    for (Index c = 0; c < size - rank; ++c) {
      const double factor = beside(r, c);
      if (std::abs(factor) < 1e-9) continue;
      const int place = pivot[rank + c];
      base.sums(r, place) = factor;
      words << (factor < 0.0 ? " - " : " + ");
      if (std::abs(std::abs(factor) - 1.0) > 1e-9) words << std::abs(factor) << ' ';
      words << parameter_name(regressor.layout(), place);
    }
    base.in_words.push_back(words.str());
    base.pivots.push_back(pivot[r]);
  }
  return base;
}

}  // namespace dyn::sim::identify
