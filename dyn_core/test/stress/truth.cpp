// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "stress/truth.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

#include "dyn_core/coriolis/recursive.hpp"
#include "dyn_core/forward/aba.hpp"
#include "dyn_core/inverse/rnea.hpp"
#include "dyn_core/jsim/crba.hpp"
#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "user_order.hpp"

namespace dyn::stress {
namespace {

using Real = Truth::Real;

std::vector<Real> exact(const std::vector<double>& x) { return {x.begin(), x.end()}; }

// Runs compute(matrix of the bodies) and sums it up to one of the coordinates.
template <class Compute>
MatX<Real> matrix_of(const Tree& tree, Compute&& compute) {
  std::vector<Real> bodies(static_cast<size_t>(tree.size) * tree.size);
  std::vector<Real> user(static_cast<size_t>(tree.coordinates) * tree.coordinates);
  compute(matrix_view(bodies.data(), tree.size, tree.size));
  matrix_to_user(tree, bodies, user);
  return matrix_view(user.data(), tree.coordinates, tree.coordinates);
}
template <class Compute>
VecX<Real> vector_of(const Tree& tree, Compute&& compute) {
  VecX<Real> bodies(tree.size), user(tree.coordinates);
  compute(VectorRef<Real>(bodies.data(), tree.size));
  vector_to_user(tree, bodies.data(), user.data());
  return user;
}

double condition_of(const MatX<Real>& M) {
  const Eigen::SelfAdjointEigenSolver<MatX<Real>> eigen(M, Eigen::EigenvaluesOnly);
  const Real least = eigen.eigenvalues().minCoeff();
  const double infinity = std::numeric_limits<double>::infinity();
  return least > Real(0) ? static_cast<double>(eigen.eigenvalues().maxCoeff() / least) : infinity;
}

}  // namespace

Truth::Truth(const Model& model, const Case& at) {
  const Tree& tree = model.tree();
  const std::vector<Real> q = exact(at.q), v = exact(at.v), a = exact(at.a), torque = exact(at.tau);
  Workspace<Real> ws(tree.size);
  spread_positions(tree, q.data(), ws);
  spread_rates(tree, v.data(), ws.v);
  spread_rates(tree, a.data(), ws.a);
  update_kinematics(tree, ws, needs_all);
  const Vec3<Real> gravity = tree.gravity.cast<Real>();
  inverse::Rnea<Real> rnea(tree.size);
  M = matrix_of(tree, [&](auto out) { jsim::Crba<Real>(tree.size).compute(tree, ws, out); });
  C = matrix_of(tree, [&](auto out) { coriolis::Recursive<Real>(tree.size).compute(tree, ws, out); });
  h = vector_of(tree, [&](auto out) { rnea.bias(tree, ws, gravity, out); });
  tau = vector_of(tree, [&](auto out) { rnea.compute(tree, ws, gravity, out); });
  Cv = vector_of(tree, [&](auto out) { rnea.bias(tree, ws, Vec3<Real>::Zero(), out); });
  std::fill(ws.v.begin(), ws.v.end(), Real(0));
  g = vector_of(tree, [&](auto out) { rnea.bias(tree, ws, gravity, out); });
  spread_rates(tree, v.data(), ws.v);
  qdd.resize(tree.coordinates);
  const ConstVectorRef<Real> given(torque.data(), tree.coordinates);
  const bool solved =
      forward::Aba<Real>(tree.size).compute(tree, ws, given, VectorRef<Real>(qdd.data(), tree.coordinates)).ok();
  condition = condition_of(M);
  singular = !solved || !(condition < 1e17);
  double speed = 0.0;
  for (const double rate : at.v) speed = std::max(speed, std::abs(rate));
  constexpr double normal = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
  matrix_floor = std::max(normal, 0.1 * largest_entry(M) * speed);
  force_floor = std::max(normal, matrix_floor * speed);
  power_floor = std::max(normal, force_floor * speed);
}

}  // namespace dyn::stress
