// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "dynamics_impl.hpp"

namespace dyn {
namespace {

template <class List>
int index_or_throw(std::string_view name, const char* parameter) {
  const int index = List::find(name);
  if (index >= 0 || List::size == 0) return index;
  std::string known;
  for (const auto& n : List::names) known += (known.empty() ? "" : ", ") + std::string(n);
  throw ModelError(std::string(parameter) + ": unknown algorithm '" + std::string(name) + "'; available: " + known);
}

template <class List>
bool choose(std::string_view name, int& index) noexcept {
  const int found = List::find(name);
  if (found >= 0) index = found;
  return found >= 0;
}

}  // namespace

int AlgorithmIndex::find_jsim(std::string_view name) {
  return index_or_throw<AlgorithmList<JsimAlgorithms<double>>>(name, "jsim_algorithm");
}
int AlgorithmIndex::find_coriolis(std::string_view name) {
  return index_or_throw<AlgorithmList<CoriolisAlgorithms<double>>>(name, "coriolis_algorithm");
}
int AlgorithmIndex::find_forward(std::string_view name) {
  return index_or_throw<AlgorithmList<ForwardAlgorithms<double>>>(name, "forward_dynamics");
}
int AlgorithmIndex::find_inverse(std::string_view name) {
  return index_or_throw<AlgorithmList<InverseAlgorithms<double>>>(name, "inverse_dynamics");
}

template <class T>
BasicDynamics<T>::BasicDynamics(std::shared_ptr<const Model> model, const AlgorithmChoice& choice)
    : impl_(std::make_unique<Impl>(std::move(model), choice)) {}
template <class T>
BasicDynamics<T>::BasicDynamics(Model model, const AlgorithmChoice& choice)
    : BasicDynamics(std::make_shared<const Model>(std::move(model)), choice) {}
template <class T>
BasicDynamics<T>::BasicDynamics(BasicDynamics&&) noexcept = default;
template <class T>
BasicDynamics<T>& BasicDynamics<T>::operator=(BasicDynamics&&) noexcept = default;
template <class T>
BasicDynamics<T>::~BasicDynamics() = default;

template <class T>
const Model& BasicDynamics<T>::model() const noexcept {
  return *impl_->model;
}
template <class T>
AlgorithmIndex BasicDynamics<T>::algorithms() const noexcept {
  return {impl_->jsim, impl_->coriolis, impl_->forward, impl_->inverse};
}
template <class T>
void BasicDynamics<T>::set_algorithms(const AlgorithmIndex& index) noexcept {
  if (index.jsim >= 0) impl_->jsim = index.jsim;
  if (index.coriolis >= 0) impl_->coriolis = index.coriolis;
  if (index.forward >= 0) impl_->forward = index.forward;
  if (index.inverse >= 0) impl_->inverse = index.inverse;
}
template <class T>
const Tree& BasicDynamics<T>::tree() const noexcept {
  return impl_->tree;
}
template <class T>
void BasicDynamics<T>::set_gravity(const Vec3d& gravity_mps2) noexcept {
  impl_->tree.gravity = gravity_mps2;
  impl_->tree_changed();
}
template <class T>
void BasicDynamics<T>::set_body_inertia(int body, const BodyInertia& inertia) noexcept {
  dyn::set_body_inertia(impl_->tree, body, inertia);
  impl_->tree_changed();
}
template <class T>
bool BasicDynamics<T>::set_jsim(std::string_view name) noexcept {
  return choose<typename Impl::Jsims>(name, impl_->jsim);
}
template <class T>
bool BasicDynamics<T>::set_coriolis(std::string_view name) noexcept {
  return choose<typename Impl::Corioleis>(name, impl_->coriolis);
}
template <class T>
bool BasicDynamics<T>::set_forward(std::string_view name) noexcept {
  return choose<typename Impl::Forwards>(name, impl_->forward);
}
template <class T>
bool BasicDynamics<T>::set_inverse(std::string_view name) noexcept {
  return choose<typename Impl::Inverses>(name, impl_->inverse);
}

template <class T>
Status BasicDynamics<T>::update(std::span<const T> q, std::span<const T> v) noexcept {
  return update_terms(q, v, terms_all);
}

template <class T>
Status BasicDynamics<T>::Impl::update_mixed(std::span<const T> q, std::span<const T> v, unsigned terms) noexcept {
  if ((terms & term_h) != 0U && !bias_by_engine()) terms |= term_C | term_g;
  unsigned remaining = terms;
  if (!take_state(q, v, remaining)) return first_not_finite(q, v);
  if (remaining == 0U) return {};
  if ((remaining & term_M) != 0U) compute_mass_matrix();
  if ((remaining & term_C) != 0U) compute_coriolis_matrix();
  if ((remaining & term_g) != 0U) compute_gravity();
  if ((remaining & term_h) != 0U) compute_bias(v.data());
  return {};
}

template <class T>
Status BasicDynamics<T>::Impl::solve_by_factor(std::span<const T> tau, std::span<T> qdd) noexcept {
  if constexpr (kVectors) {
    refresh_engine();
    engine.terms(factor.matrix(), nullptr, nullptr, body_h.data());
    if (factor.needs_state()) need_state();
    const size_t n = at(tree.size);
    for (size_t i = 0; i < n; ++i) {
      const size_t c = at(tree.coordinate[i]);
      if (!std::isfinite(tau[c])) return Status::not_finite(static_cast<int>(i), static_cast<double>(tau[c]));
      body_vector[i] = tau[c] - body_h[i];
      if (has_armature) factor.matrix()[i * (n + 1)] += T(tree.armature[c]);
    }
    if (const Status status = factor.factorize(tree, ws, body_vector.data()); !status.ok()) return status;
    for (size_t i = 0; i < n; ++i) qdd[at(tree.coordinate[i])] = body_vector[i];
  }
  return {};
}

template <class T>
Status BasicDynamics<T>::Impl::invert_mass_matrix(std::span<T> inverse_M) noexcept {
  unsigned terms = term_M;
  need_state();
  if (!run_engine(ws.q.data(), ws.v.data(), terms)) return {};
  if (terms != 0U) compute_mass_matrix();
  const size_t n = at(tree.coordinates);
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = j; i < n; ++i) factor.matrix()[i * n + j] = M[entry(static_cast<int>(i), static_cast<int>(j))];
  }
  if (const Status status = factor.factorize(tree, ws, nullptr); !status.ok()) return status;
  factor.invert([&](int i, int j, const T& value) {
    inverse_M[entry(i, j)] = value;
    inverse_M[entry(j, i)] = value;
  });
  return {};
}

template <class T>
Status BasicDynamics<T>::update_terms(std::span<const T> q, std::span<const T> v, unsigned terms) noexcept {
  Impl& d = *impl_;
  return d.goes_straight() && terms != 0U ? d.update_straight(q, v, terms) : d.update_mixed(q, v, terms);
}

template <class T>
ConstMatrixRef<T> BasicDynamics<T>::M() const noexcept {
  const int n = impl_->tree.coordinates;
  return {impl_->M.data(), n, n, Eigen::OuterStride<>(n)};
}
template <class T>
ConstMatrixRef<T> BasicDynamics<T>::C() const noexcept {
  const int n = impl_->tree.coordinates;
  return {impl_->C.data(), n, n, Eigen::OuterStride<>(n)};
}
template <class T>
ConstVectorRef<T> BasicDynamics<T>::g() const noexcept {
  return {impl_->g.data(), impl_->tree.coordinates};
}
template <class T>
ConstVectorRef<T> BasicDynamics<T>::h() const noexcept {
  return {impl_->h.data(), impl_->tree.coordinates};
}

// The sum over the bodies that the two coordinates move, in the order of compute_mass_matrix().
template <class T>
T BasicDynamics<T>::element(int u, int k) noexcept {
  Impl& d = *impl_;
  const Tree& tree = d.tree;
  if (!Impl::kVectors) d.ensure(jsim::Explicit<T>::needs);
  const auto element_of_bodies = [&d](int i, int j) {
    if constexpr (Impl::kVectors) return d.lane_forms.element(d.plan_at_state(), i, j);
    return std::get<jsim::Explicit<T>>(d.jsims).element(d.tree, d.ws, i, j);
  };
  if (u < k) std::swap(u, k);
  T sum(0);
  for (int j = 0; j < tree.size; ++j) {
    if (tree.coordinate[Impl::at(j)] != k) continue;
    for (int i = 0; i < tree.size; ++i) {
      if (tree.coordinate[Impl::at(i)] != u) continue;
      sum += T(tree.ratio[Impl::at(i)]) * element_of_bodies(i, j) * T(tree.ratio[Impl::at(j)]);
    }
  }
  return u == k ? T(sum + T(tree.armature[Impl::at(u)])) : sum;
}

template <class T>
void BasicDynamics<T>::inverse(std::span<const T> a, std::span<T> tau) noexcept {
  Impl& d = *impl_;
  if (d.inverse_by_engine() && d.tree.bodies_are_coordinates) {
    d.run_engine_inverse(a.data(), tau.data());
  } else {
    spread_rates(d.tree, a.data(), d.ws.a);
    d.into_vector(tau.data(), [&](VectorRef<T> out) {
      if (d.inverse_by_engine()) return d.run_engine_inverse(d.ws.a.data(), out.data());
      d.run(d.inverses, d.inverse,
            [&](auto& algorithm) { algorithm.compute(d.tree, d.ws, d.tree.gravity.template cast<T>(), out); });
    });
  }
  if (!d.has_armature) return;
  for (size_t i = 0; i < Impl::at(d.tree.coordinates); ++i) tau[i] += T(d.tree.armature[i]) * a[i];
}

template <class T>
Status BasicDynamics<T>::forward(std::span<const T> tau, std::span<T> qdd) noexcept {
  Impl& d = *impl_;
  if (d.forward_by_factor()) return d.solve_by_factor(tau, qdd);
  const ConstVectorRef<T> torque(tau.data(), d.tree.coordinates);
  const VectorRef<T> result(qdd.data(), d.tree.coordinates);
  if (d.forward_by_lanes()) return d.solve_by_lanes(tau, qdd);
  auto& fused = std::get<forward::Fused<T>>(d.forwards);
  if (d.forward_by_engine(fused)) return fused.solve(d.tree, d.ws, torque, result);
  Status status;
  d.run(d.forwards, d.forward, [&](auto& algorithm) { status = algorithm.compute(d.tree, d.ws, torque, result); });
  return status;
}

template <class T>
Status BasicDynamics<T>::inverse_mass_matrix(std::span<T> inverse_M) noexcept {
  return impl_->invert_mass_matrix(inverse_M);
}

template class BasicDynamics<double>;
template class BasicDynamics<float>;

}  // namespace dyn
