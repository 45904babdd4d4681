// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dyn_core/fused/engine.hpp"
#include "dyn_core/gravity/gravity.hpp"
#include "dyn_core/registry.hpp"

namespace dyn {
namespace {

// All algorithms of a list made for `capacity` bodies.
template <class Tuple>
struct Make;
template <class... A>
struct Make<std::tuple<A...>> {
  static std::tuple<A...> all([[maybe_unused]] int capacity) { return std::tuple<A...>(A(capacity)...); }
};

template <class List>
int index_or_throw(std::string_view name, const char* parameter) {
  const int index = List::find(name);
  if (index >= 0 || List::size == 0) return index;
  std::string known;
  for (const auto& n : List::names) known += (known.empty() ? "" : ", ") + std::string(n);
  throw ModelError(std::string(parameter) + ": no algorithm '" + std::string(name) + "'; there are " + known);
}

template <class List>
bool choose(std::string_view name, int& index) noexcept {
  const int found = List::find(name);
  if (found >= 0) index = found;
  return found >= 0;
}

template <class T>
Status first_not_finite(std::span<const T> q, std::span<const T> v) noexcept {
  for (size_t i = 0; i < q.size(); ++i) {
    if (!std::isfinite(q[i])) return Status::not_finite(static_cast<int>(i), static_cast<double>(q[i]));
    if (!std::isfinite(v[i])) return Status::not_finite(static_cast<int>(i), static_cast<double>(v[i]));
  }
  return {};
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
struct BasicDynamics<T>::Impl {
  using Jsims = AlgorithmList<JsimAlgorithms<T>>;
  using Corioleis = AlgorithmList<CoriolisAlgorithms<T>>;
  using Forwards = AlgorithmList<ForwardAlgorithms<T>>;
  using Inverses = AlgorithmList<InverseAlgorithms<T>>;

  Impl(std::shared_ptr<const Model> m, const AlgorithmChoice& choice)
      : model(std::move(m)),
        tree(model->tree()),
        jsim(AlgorithmIndex::find_jsim(choice.jsim)),
        coriolis(AlgorithmIndex::find_coriolis(choice.coriolis)),
        forward(AlgorithmIndex::find_forward(choice.forward)),
        inverse(AlgorithmIndex::find_inverse(choice.inverse)),
        ws(tree.size),
        jsims(Make<JsimAlgorithms<T>>::all(tree.size)),
        corioleis(Make<CoriolisAlgorithms<T>>::all(tree.size)),
        forwards(Make<ForwardAlgorithms<T>>::all(tree.size)),
        inverses(Make<InverseAlgorithms<T>>::all(tree.size)),
        gravity(tree.size),
        body_matrix(at(tree.size) * at(tree.size)),
        body_vector(at(tree.size)),
        M(at(tree.coordinates) * at(tree.coordinates)),
        C(M.size()),
        g(at(tree.coordinates)),
        h(at(tree.coordinates)),
        engine(tree),
        body_M(tree.bodies_are_coordinates ? 0 : at(tree.size) * at(tree.size)),
        body_C(body_M.size()) {}

  static size_t at(int n) { return static_cast<size_t>(n); }

  // Runs compute(matrix in body order) and brings the result to the user's order.
  template <class Compute>
  void into(std::vector<T>& user, Compute&& compute) noexcept {
    const int n = tree.coordinates;
    if (tree.bodies_are_coordinates) return compute(matrix_view(user.data(), n, n));
    auto bodies = matrix_view(body_matrix.data(), tree.size, tree.size);
    compute(bodies);
    to_user(body_matrix, user);
  }

  // G^T B G with q_body = G q + offset
  void to_user(const std::vector<T>& bodies, std::vector<T>& user) noexcept {
    const size_t n = at(tree.size);
    std::fill(user.begin(), user.end(), T(0.0));
    for (size_t j = 0; j < n; ++j) {
      T* column = user.data() + at(tree.coordinate[j] * tree.coordinates);
      for (size_t i = 0; i < n; ++i) {
        const T value = bodies[j * n + i];
        column[tree.coordinate[i]] += tree.has_mimic ? T(T(tree.ratio[i]) * value * T(tree.ratio[j])) : value;
      }
    }
  }

  void to_user(const T* bodies, T* user) noexcept {
    VectorRef<T>(user, tree.coordinates).setZero();
    for (int i = 0; i < tree.size; ++i) user[tree.coordinate[at(i)]] += T(tree.ratio[at(i)]) * bodies[i];
  }

  template <class Compute>
  void into_vector(T* user, Compute&& compute) noexcept {
    if (tree.bodies_are_coordinates) return compute(VectorRef<T>(user, tree.size));
    compute(VectorRef<T>(body_vector.data(), tree.size));
    to_user(body_vector.data(), user);
  }

  void set_state(const T* q, const T* v) noexcept {
    fresh = needs_nothing;
    if (tree.bodies_are_coordinates) {
      std::copy_n(q, tree.size, ws.q.data());
      std::copy_n(v, tree.size, ws.v.data());
    } else {
      spread_positions(tree, q, ws);
      spread_rates(tree, v, ws.v);
    }
  }

  // The kinematics passes that an algorithm builds on, each at most once a state.
  void ensure(unsigned needs) noexcept {
    update_kinematics(tree, ws, needs & ~fresh);
    fresh |= needs;
  }

  // Runs f on the chosen algorithm once what it needs is there.
  template <class Tuple, class F>
  void run(Tuple& algorithms, int index, F&& f) noexcept {
    with_algorithm(algorithms, index, [&](auto& algorithm) {
      ensure(algorithm.needs);
      f(algorithm);
    });
  }

  // What the vector kernels can do of the terms, in one pass; gives the terms that remain, or not_finite.
  static constexpr unsigned not_finite = ~0U;
  unsigned run_engine(unsigned terms) noexcept {
    if constexpr (!kVectors) {
      return terms;
    } else {
      if (stale) engine.refresh(tree);
      stale = false;
      const bool want_M = (terms & term_M) != 0U && jsim == Jsims::find("fused");
      const bool want_C = (terms & term_C) != 0U && coriolis == Corioleis::find("fused");
      const bool want_g = (terms & term_g) != 0U;
      if (!want_M && !want_C && !want_g) return terms;
      const bool direct = tree.bodies_are_coordinates;
      std::vector<T>& out_M = direct ? M : body_M;
      std::vector<T>& out_C = direct ? C : body_C;
      T* out_g = direct ? g.data() : body_vector.data();
      if (want_M) clear(out_M, M_clear);
      if (want_C) clear(out_C, C_clear);
      if (!engine.terms(ws.q.data(), ws.v.data(), want_M ? out_M.data() : nullptr, want_C ? out_C.data() : nullptr,
                        want_g ? out_g : nullptr)) {
        return not_finite;
      }
      if (!direct && want_M) to_user(body_M, M);
      if (!direct && want_C) to_user(body_C, C);
      if (!direct && want_g) to_user(body_vector.data(), g.data());
      if (want_M) finish_mass_matrix();
      return terms & ~((want_M ? term_M : 0U) | (want_C ? term_C : 0U) | (want_g ? term_g : 0U));
    }
  }

  // The kernels write no structural zeros: they must be there when another algorithm has used the matrix before.
  static void clear(std::vector<T>& matrix, bool& is_clear) noexcept {
    if (!is_clear) std::fill(matrix.begin(), matrix.end(), T(0.0));
    is_clear = true;
  }

  void finish_mass_matrix() noexcept {
    if (tree.has_mimic) mirror_mass_matrix();
    const size_t n = at(tree.coordinates);
    for (size_t i = 0; i < n; ++i) M[i * (n + 1)] += T(tree.armature[i]);
  }

  void compute_mass_matrix() noexcept {
    into(M, [&](MatrixRef<T> out) { run(jsims, jsim, [&](auto& algorithm) { algorithm.compute(tree, ws, out); }); });
    M_clear = false;
    finish_mass_matrix();
  }

  void compute_coriolis_matrix() noexcept {
    into(C, [&](MatrixRef<T> out) {
      run(corioleis, coriolis, [&](auto& algorithm) { algorithm.compute(tree, ws, out); });
    });
    C_clear = false;
  }

  void compute_gravity() noexcept {
    ensure(gravity.needs);
    into_vector(g.data(), [&](VectorRef<T> out) { gravity.compute(tree, ws, tree.gravity.template cast<T>(), out); });
  }

  // h = C v + g
  void compute_bias(const T* v) noexcept {
    const size_t n = at(tree.coordinates);
    h = g;
    for (size_t j = 0; j < n; ++j) {
      for (size_t i = 0; i < n; ++i) h[i] += C[j * n + i] * v[j];
    }
  }

  // The sums over mimic bodies come in another order above the diagonal than below it; M is to be symmetric to the bit.
  void mirror_mass_matrix() noexcept {
    auto m = matrix_view(M.data(), tree.coordinates, tree.coordinates);
    for (int j = 0; j < tree.coordinates; ++j) {
      for (int i = 0; i < j; ++i) m(i, j) = m(j, i);
    }
  }

  std::shared_ptr<const Model> model;
  Tree tree;  // working copy
  int jsim, coriolis, forward, inverse;
  unsigned fresh = needs_nothing;  // passes of the kinematics that are up to date in ws
  Workspace<T> ws;
  JsimAlgorithms<T> jsims;
  CoriolisAlgorithms<T> corioleis;
  ForwardAlgorithms<T> forwards;
  InverseAlgorithms<T> inverses;
  Gravity<T> gravity;
  std::vector<T> body_matrix, body_vector;
  std::vector<T> M, C, g, h;

  struct NoEngine {
    explicit NoEngine(const Tree& /*tree*/) {}
  };
  static constexpr bool kVectors = std::is_same_v<T, double>;
  std::conditional_t<kVectors, fused::Engine, NoEngine> engine;
  bool stale = false;             // the engine has not seen the tree's inertias and gravity yet
  std::vector<T> body_M, body_C;  // the engine's, where the user's order is another
  bool M_clear = true, C_clear = true;
};

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
  impl_->stale = true;
}
template <class T>
void BasicDynamics<T>::set_body_inertia(int body, const BodyInertia& inertia) noexcept {
  dyn::set_body_inertia(impl_->tree, body, inertia);
  impl_->stale = true;
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
Status BasicDynamics<T>::update_terms(std::span<const T> q, std::span<const T> v, unsigned terms) noexcept {
  Impl& d = *impl_;
  if ((terms & term_h) != 0U) terms |= term_C | term_g;
  d.set_state(q.data(), v.data());
  const unsigned remaining = d.run_engine(terms);
  if (remaining == terms || remaining == Impl::not_finite) {
    const Status status = first_not_finite(q, v);
    if (!status.ok()) return status;
  }
  if ((remaining & term_M) != 0U) d.compute_mass_matrix();
  if ((remaining & term_C) != 0U) d.compute_coriolis_matrix();
  if ((remaining & term_g) != 0U) d.compute_gravity();
  if ((terms & term_h) != 0U) d.compute_bias(v.data());
  return {};
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
  const auto& elements = std::get<jsim::Explicit<T>>(d.jsims);
  d.ensure(elements.needs);
  if (u < k) std::swap(u, k);
  T sum(0);
  for (int j = 0; j < tree.size; ++j) {
    if (tree.coordinate[Impl::at(j)] != k) continue;
    for (int i = 0; i < tree.size; ++i) {
      if (tree.coordinate[Impl::at(i)] != u) continue;
      sum += T(tree.ratio[Impl::at(i)]) * elements.element(tree, d.ws, i, j) * T(tree.ratio[Impl::at(j)]);
    }
  }
  return u == k ? T(sum + T(tree.armature[Impl::at(u)])) : sum;
}

template <class T>
void BasicDynamics<T>::inverse(std::span<const T> a, std::span<T> tau) noexcept {
  Impl& d = *impl_;
  spread_rates(d.tree, a.data(), d.ws.a);
  d.into_vector(tau.data(), [&](VectorRef<T> out) {
    d.run(d.inverses, d.inverse,
          [&](auto& algorithm) { algorithm.compute(d.tree, d.ws, d.tree.gravity.template cast<T>(), out); });
  });
  for (size_t i = 0; i < Impl::at(d.tree.coordinates); ++i) tau[i] += T(d.tree.armature[i]) * a[i];
}

template <class T>
Status BasicDynamics<T>::forward(std::span<const T> tau, std::span<T> qdd) noexcept {
  Impl& d = *impl_;
  const int n = d.tree.coordinates;
  Status status;
  d.run(d.forwards, d.forward, [&](auto& algorithm) {
    status = algorithm.compute(d.tree, d.ws, ConstVectorRef<T>(tau.data(), n), VectorRef<T>(qdd.data(), n));
  });
  return status;
}

template class BasicDynamics<double>;
template class BasicDynamics<float>;

}  // namespace dyn
