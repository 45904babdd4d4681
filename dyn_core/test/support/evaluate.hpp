// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Running one algorithm on one state, without the facade: for tests of the algorithm itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/numeric/counting.hpp"
#include "dyn_core/numeric/residual.hpp"

namespace dyn::test {

// A workspace at (q, v, a), in the user's coordinates; v and a may be empty: zero.
template <class T>
Workspace<T> workspace_at(const Model& model, const std::vector<double>& q, const std::vector<double>& v = {},
                          const std::vector<double>& a = {}) {
  const Tree& tree = model.tree();
  const auto cast = [&](const std::vector<double>& from) {
    std::vector<T> to(tree.coordinates, T(0.0));
    std::transform(from.begin(), from.end(), to.begin(), [](double x) { return T(x); });
    return to;
  };
  Workspace<T> ws(tree.size);
  spread_positions(tree, cast(q).data(), ws);
  spread_rates(tree, cast(v).data(), ws.v);
  spread_rates(tree, cast(a).data(), ws.a);
  update_kinematics(tree, ws, needs_all);
  return ws;
}

// M or C in body order.
template <class Algorithm, class T>
MatX<T> matrix_of(const Tree& tree, const Workspace<T>& ws) {
  Algorithm algorithm(tree.size);
  MatX<T> matrix = MatX<T>::Constant(tree.size, tree.size, T(123.0));  // all of it is to be written
  algorithm.compute(tree, ws, matrix_view(matrix.data(), tree.size, tree.size));
  return matrix;
}

// tau in body order.
template <class Algorithm, class T>
VecX<T> torques_of(const Tree& tree, const Workspace<T>& ws) {
  Algorithm algorithm(tree.size);
  VecX<T> tau = VecX<T>::Constant(tree.size, T(123.0));
  algorithm.compute(tree, ws, tree.gravity.template cast<T>(), VectorRef<T>(tau.data(), tree.size));
  return tau;
}

// What one call of the algorithm costs, kinematics left out.
template <class Algorithm>
OperationCount operations_of(const Tree& tree, const Workspace<Counting>& ws) {
  Algorithm algorithm(tree.size);
  MatX<Counting> matrix(tree.size, tree.size);
  Counting::tally() = {};
  algorithm.compute(tree, ws, matrix_view(matrix.data(), tree.size, tree.size));
  return Counting::tally();
}

}  // namespace dyn::test
