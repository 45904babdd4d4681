// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "dyn_core/precondition.hpp"
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
void BasicDynamics<T>::set_inertias_of(std::shared_ptr<const Model> model) {
  DYN_EXPECTS(model->bodies() == tree().size && model->tree().coordinate == tree().coordinate);
  impl_->cache.set_inertias(model->tree());
  impl_->mass_is_current = false;
  impl_->model.swap(model);
}
template <class T>
AlgorithmIndex BasicDynamics<T>::algorithms() const noexcept {
  return {impl_->jsim, impl_->coriolis, impl_->forward, impl_->inverse};
}
template <class T>
void BasicDynamics<T>::set_algorithms(const AlgorithmIndex& index) noexcept {
  DYN_EXPECTS(index.jsim < Impl::Jsims::size && index.coriolis < Impl::CoriolisList::size &&
              index.forward < Impl::Forwards::size && index.inverse < Impl::Inverses::size);
  if (index.jsim >= 0 && index.jsim != impl_->jsim) {
    impl_->jsim = index.jsim;
    impl_->mass_is_current = false;
  }
  if (index.coriolis >= 0) impl_->coriolis = index.coriolis;
  if (index.forward >= 0) impl_->forward = index.forward;
  if (index.inverse >= 0) impl_->inverse = index.inverse;
}
template <class T>
const Tree& BasicDynamics<T>::tree() const noexcept {
  return impl_->cache.tree();
}
template <class T>
void BasicDynamics<T>::set_gravity(const Vec3d& gravity_mps2) noexcept {
  DYN_EXPECTS(gravity_mps2.allFinite());
  impl_->cache.set_gravity(gravity_mps2);
}
template <class T>
void BasicDynamics<T>::set_body_inertia(int body, const BodyInertia& inertia) noexcept {
  DYN_EXPECTS(body >= 0 && body < tree().size);
  impl_->cache.set_body_inertia(body, inertia);
  impl_->mass_is_current = false;
}
template <class T>
bool BasicDynamics<T>::set_jsim(std::string_view name) noexcept {
  impl_->mass_is_current = false;
  return choose<typename Impl::Jsims>(name, impl_->jsim);
}
template <class T>
bool BasicDynamics<T>::set_coriolis(std::string_view name) noexcept {
  return choose<typename Impl::CoriolisList>(name, impl_->coriolis);
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
Status BasicDynamics<T>::update_terms(std::span<const T> q, std::span<const T> v, unsigned terms) noexcept {
  Impl& d = *impl_;
  DYN_EXPECTS(std::ssize(q) == d.coordinates && std::ssize(v) == d.coordinates);
  if (!d.goes_straight() || terms == 0U) return d.update_mixed(q, v, terms);
  if constexpr (Impl::kLanes) {
    if (!d.cache.load_state_bound(q.data(), v.data(), terms & terms_all)) return first_not_finite(q, v);
    d.mass_is_current = (terms & term_M) != 0U;
    if (d.has_armature && (terms & term_M) != 0U) d.add_armature();
  }
  return {};
}

template <class T>
ConstMatrixRef<T> BasicDynamics<T>::M() const noexcept {
  const int n = impl_->coordinates;
  return {impl_->M.data(), n, n, Eigen::OuterStride<>(n)};
}
template <class T>
ConstMatrixRef<T> BasicDynamics<T>::C() const noexcept {
  const int n = impl_->coordinates;
  return {impl_->C.data(), n, n, Eigen::OuterStride<>(n)};
}
template <class T>
ConstVectorRef<T> BasicDynamics<T>::g() const noexcept {
  return {impl_->g.data(), impl_->coordinates};
}
template <class T>
ConstVectorRef<T> BasicDynamics<T>::h() const noexcept {
  return {impl_->h.data(), impl_->coordinates};
}

template <class T>
T BasicDynamics<T>::element(int u, int k) noexcept {
  DYN_EXPECTS(u >= 0 && u < impl_->coordinates && k >= 0 && k < impl_->coordinates);
  return impl_->element(u, k);
}

template <class T>
void BasicDynamics<T>::inverse(std::span<const T> a, std::span<T> tau) noexcept {
  DYN_EXPECTS(std::ssize(a) == impl_->coordinates && std::ssize(tau) == impl_->coordinates);
  impl_->compute_inverse(a, tau);
}

template <class T>
Status BasicDynamics<T>::forward(std::span<const T> tau, std::span<T> qdd) noexcept {
  Impl& d = *impl_;
  DYN_EXPECTS(std::ssize(tau) == d.coordinates && std::ssize(qdd) == d.coordinates);
  if (d.forward_by_factor()) return d.solve_by_factor(tau, qdd);
  if (d.forward_by_denoc_lanes()) return d.solve_by_denoc_lanes(tau, qdd);
  if (d.forward_by_aba_lanes()) return d.solve_by_aba_lanes(tau, qdd);
  return d.solve_by_algorithm(d.forward, tau, qdd);
}

template <class T>
Status BasicDynamics<T>::inverse_mass_matrix(std::span<T> inverse_M) noexcept {
  DYN_EXPECTS(std::ssize(inverse_M) == impl_->coordinates * impl_->coordinates);
  return impl_->invert_mass_matrix(inverse_M);
}

template class BasicDynamics<double>;
template class BasicDynamics<float>;

}  // namespace dyn
