// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dynamics_impl.hpp"

namespace dyn {
namespace {

bool any_armature(const Tree& tree) {
  return std::any_of(tree.armature.begin(), tree.armature.end(), [](double x) { return x != 0.0; });
}

// Factorizing M costs about the sum of the squared depths of the bodies, denoc's elimination a constant for each body;
// equal on a chain of 20 (dyn bench --chain 20 --only forward).
bool any_long_chain(const Tree& tree) {
  constexpr double level = 150.0;  // mean squared depth at which both cost the same
  std::vector<double> depth(tree.parent.size());
  double sum = 0.0;
  for (int i = 0; i < tree.size; ++i) {
    depth[i] = 1.0 + (tree.parent[i] < 0 ? 0.0 : depth[tree.parent[i]]);
    sum += depth[i] * depth[i];
  }
  return sum > level * tree.size;
}

}  // namespace

template <class T>
BasicDynamics<T>::Impl::Impl(std::shared_ptr<const Model> m, const AlgorithmChoice& choice)
    : model(std::move(m)),
      coordinates(model->coordinates()),
      jsim(AlgorithmIndex::find_jsim(choice.jsim)),
      coriolis(AlgorithmIndex::find_coriolis(choice.coriolis)),
      forward(AlgorithmIndex::find_forward(choice.forward)),
      inverse(AlgorithmIndex::find_inverse(choice.inverse)),
      has_armature(any_armature(model->tree())),
      has_mimic(model->tree().has_mimic),
      straight(kLanes && model->tree().bodies_are_coordinates),
      has_long_chains(any_long_chain(model->tree())),
      M(coordinates * coordinates),
      C(M.size()),
      g(coordinates),
      h(g.size()),
      cache(model->tree()),
      body_h(model->bodies()),
      body_vector(body_h.size()),
      jsims(Make<JsimAlgorithms<T>>::all(model->bodies(), runs_paper_form)),
      coriolis_list(Make<CoriolisAlgorithms<T>>::all(model->bodies(), runs_paper_form)),
      forwards(Make<ForwardAlgorithms<T>>::all(
          model->bodies(),
          [this]<class A>() { return runs_paper_form.template operator()<A>() || has_mimic || A::name == "aba"; })),
      inverses(Make<InverseAlgorithms<T>>::all(model->bodies(), runs_paper_form)),
      gravity(kLanes ? 0 : model->bodies()),
      body_matrix(body_h.size() * body_h.size()),
      lane_forms(model->tree()) {
  if (straight) {
    cache.bind(M.data(), C.data(), g.data(), h.data());
  } else {
    body_M.resize(body_matrix.size());
    body_C.resize(body_matrix.size());
  }
}

template <class T>
Status BasicDynamics<T>::Impl::update_mixed(std::span<const T> q, std::span<const T> v, unsigned terms) noexcept {
  if ((terms & term_h) != 0U && !(kLanes && coriolis == kCoriolis)) terms |= term_C | term_g;
  const unsigned by_engine = engine_terms(terms);
  const fused::Output out = by_engine == 0U ? fused::Output{} : engine_output(by_engine);
  bool finite = true;
  if constexpr (kLanes) {
    if (straight)
      finite = by_engine == 0U ? cache.load_state(q.data(), v.data()) : cache.load_state(q.data(), v.data(), out);
  }
  if (!straight) finite = first_not_finite(q, v).ok() && cache.load_coordinates(q.data(), v.data(), out);
  if (!finite) return first_not_finite(q, v);
  mass_is_current = (terms & term_M) != 0U;
  if (by_engine != 0U) finish_engine_terms(by_engine);
  const unsigned remaining = terms & ~by_engine;
  if ((remaining & term_M) != 0U) compute_mass_matrix();
  if ((remaining & term_C) != 0U) compute_coriolis_matrix();
  if ((remaining & term_g) != 0U) compute_gravity();
  if ((remaining & term_h) != 0U) compute_bias(v.data());
  return {};
}

template <class T>
unsigned BasicDynamics<T>::Impl::engine_terms(unsigned terms) const noexcept {
  if constexpr (!kLanes) return 0U;
  unsigned chosen = terms & term_g;
  if (jsim == kJsim) chosen |= terms & term_M;
  if (coriolis == kCoriolis) chosen |= terms & (term_C | term_h);
  constexpr unsigned needs_g = term_C | term_h;  // C v + g from C and g
  return (chosen & needs_g) == needs_g ? chosen | term_g : chosen;
}

template <class T>
fused::Output BasicDynamics<T>::Impl::engine_output(unsigned terms) noexcept {
  fused::Output out;
  if constexpr (kLanes) {
    const auto wanted = [terms](Terms term, T* where) { return (terms & term) != 0U ? where : nullptr; };
    if (!straight) {
      return {wanted(term_M, body_M.data()), wanted(term_C, body_C.data()), wanted(term_g, body_vector.data()),
              wanted(term_h, body_h.data())};
    }
    if ((terms & term_M) != 0U) out.M = cache.for_lanes(Cache::result_M, M);
    if ((terms & term_C) != 0U) out.C = cache.for_lanes(Cache::result_C, C);
    out.g = wanted(term_g, g.data());
    out.h = wanted(term_h, h.data());
  }
  return out;
}

template <class T>
void BasicDynamics<T>::Impl::finish_engine_terms(unsigned terms) noexcept {
  if (!straight) {
    const Tree& tree = cache.tree();
    if ((terms & term_M) != 0U) matrix_to_user(tree, body_M, M);
    if ((terms & term_C) != 0U) matrix_to_user(tree, body_C, C);
    if ((terms & term_g) != 0U) vector_to_user(tree, body_vector.data(), g.data());
    if ((terms & term_h) != 0U) vector_to_user(tree, body_h.data(), h.data());
  }
  if ((terms & term_M) != 0U) finish_mass_matrix();
}

template <class T>
bool BasicDynamics<T>::Impl::compute_mass_by_lanes() noexcept {
  if constexpr (kLanes) {
    const lanes::MassForm form = lane_forms.mass[jsim];
    if (form == nullptr) return false;
    form(cache.plan(), straight ? cache.for_lanes(Cache::result_M, M) : body_M.data());
    if (!straight) matrix_to_user(cache.tree(), body_M, M);
    return true;
  } else {
    return false;
  }
}

template <class T>
void BasicDynamics<T>::Impl::compute_mass_matrix() noexcept {
  if (!compute_mass_by_lanes()) {
    into(M, [&](MatrixRef<T> out) {
      run(jsims, jsim, [&](auto& algorithm, const auto& ws) { algorithm.compute(cache.tree(), ws, out); });
    });
    cache.written_in_full(Cache::result_M);
  }
  finish_mass_matrix();
}

template <class T>
bool BasicDynamics<T>::Impl::compute_coriolis_by_lanes() noexcept {
  if constexpr (kLanes) {
    const lanes::RatesForm form = lane_forms.coriolis[coriolis];
    if (form == nullptr) return false;
    form(cache.plan(), cache.rates(), straight ? cache.for_lanes(Cache::result_C, C) : body_C.data());
    if (!straight) matrix_to_user(cache.tree(), body_C, C);
    return true;
  } else {
    return false;
  }
}

template <class T>
void BasicDynamics<T>::Impl::compute_coriolis_matrix() noexcept {
  if (compute_coriolis_by_lanes()) return;
  into(C, [&](MatrixRef<T> out) {
    run(coriolis_list, coriolis, [&](auto& algorithm, const auto& ws) { algorithm.compute(cache.tree(), ws, out); });
  });
  cache.written_in_full(Cache::result_C);
}

template <class T>
void BasicDynamics<T>::Impl::compute_gravity() noexcept {
  const Workspace<T>& ws = cache.workspace(gravity.needs);
  into_vector(g.data(), [&](VectorRef<T> out) {
    gravity.compute(cache.tree(), ws, cache.tree().gravity.template cast<T>(), out);
  });
}

template <class T>
void BasicDynamics<T>::Impl::compute_bias(const T* v) noexcept {
  const int n = coordinates;
  h = g;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) h[i] += C[j * n + i] * v[j];
  }
}

template <class T>
void BasicDynamics<T>::Impl::finish_mass_matrix() noexcept {
  if (has_mimic) {
    auto m = matrix_view(M.data(), cache.tree().coordinates, cache.tree().coordinates);
    for (int j = 0; j < m.cols(); ++j) {
      for (int i = 0; i < j; ++i) m(i, j) = m(j, i);
    }
  }
  if (has_armature) add_armature();
}

template <class T>
void BasicDynamics<T>::Impl::add_armature() noexcept {
  const int n = coordinates;
  for (int i = 0; i < n; ++i) M[i * (n + 1)] += T(cache.tree().armature[i]);
}

template <class T>
void BasicDynamics<T>::Impl::add_armature(std::span<const T> a, std::span<T> tau) noexcept {
  for (int i = 0; i < coordinates; ++i) tau[i] += T(cache.tree().armature[i]) * a[i];
}

template <class T>
void BasicDynamics<T>::Impl::compute_inverse_mixed(std::span<const T> a, std::span<T> tau) noexcept {
  const T* rates = cache.load_accelerations(a.data());
  into_vector(tau.data(), [&](VectorRef<T> out) {
    if constexpr (kLanes) {
      if (inverse_by_engine()) return cache.engine().inverse(rates, out.data());
      if (const lanes::RatesForm form = lane_forms.inverse[inverse]; form != nullptr) {
        return form(cache.plan(), cache.rates(rates), out.data());
      }
    }
    run(inverses, inverse, [&](auto& algorithm, const auto& ws) {
      algorithm.compute(cache.tree(), ws, cache.tree().gravity.template cast<T>(), out);
    });
  });
  if (has_armature) add_armature(a, tau);
}

template <class T>
Status BasicDynamics<T>::Impl::load_torques(std::span<const T> tau, T* phi) noexcept {
  const Tree& tree = cache.tree();
  for (int i = 0; i < tree.size; ++i) {
    const T& torque = tau[tree.coordinate[i]];
    if (!std::isfinite(torque)) return Status::not_finite(i, static_cast<double>(torque));
    phi[i] = torque - body_h[i];
  }
  return {};
}

template <class T>
Status BasicDynamics<T>::Impl::solve_by_factor(std::span<const T> tau, std::span<T> qdd) noexcept {
  if constexpr (kLanes) {
    const Tree& tree = cache.tree();
    const fused::Engine& engine = cache.engine();
    MassFactor<T>& factor = cache.factor();
    const bool cholesky = forward == kForwardCholesky;
    engine.terms({cholesky ? nullptr : factor.matrix(), nullptr, nullptr, body_h.data()});
    if (cholesky) lane_forms.mass[kJsimDenoc](cache.plan(), factor.matrix());
    if (const Status status = load_torques(tau, body_vector.data()); !status.ok()) return status;
    const int n = tree.size;
    for (int i = 0; has_armature && i < n; ++i) {
      factor.matrix()[i * (n + 1)] += T(tree.armature[tree.coordinate[i]]);
    }
    if (cholesky) {
      if (const Status status = factor.factorize(body_vector.data()); !status.ok()) return status;
    } else if (!factor.factorize(body_vector.data(), weak_pivot).ok()) {
      return solve_by_algorithm(kForwardAba, tau, qdd);
    }
    for (int i = 0; i < n; ++i) qdd[tree.coordinate[i]] = body_vector[i];
  }
  return {};
}

template <class T>
Status BasicDynamics<T>::Impl::solve_by_denoc_lanes(std::span<const T> tau, std::span<T> qdd) noexcept {
  if constexpr (kLanes) {
    const Tree& tree = cache.tree();
    cache.engine().terms({nullptr, nullptr, nullptr, body_h.data()});
    if (const Status status = load_torques(tau, body_h.data()); !status.ok()) return status;
    if (const Status status =
            lane_forms.denoc.solve(cache.plan(), {}, body_h.data(), cache.factor().pivot_scales(), body_vector.data());
        !status.ok()) {
      return status;
    }
    for (int i = 0; i < tree.size; ++i) qdd[tree.coordinate[i]] = body_vector[i];
  }
  return {};
}

template <class T>
Status BasicDynamics<T>::Impl::solve_by_aba_lanes(std::span<const T> tau, std::span<T> qdd) noexcept {
  if constexpr (kLanes) {
    const Tree& tree = cache.tree();
    std::fill(body_h.begin(), body_h.end(), T(0.0));  // the bias is in the elimination
    if (const Status status = load_torques(tau, body_h.data()); !status.ok()) return status;
    if (const Status status = lane_forms.aba.solve(cache.plan(), cache.rates(), body_h.data(),
                                                   cache.factor().pivot_scales(), body_vector.data());
        !status.ok()) {
      return status;
    }
    for (int i = 0; i < tree.size; ++i) qdd[tree.coordinate[i]] = body_vector[i];
  }
  return {};
}

template <class T>
Status BasicDynamics<T>::Impl::solve_by_algorithm(int algorithm, std::span<const T> tau, std::span<T> qdd) noexcept {
  const Tree& tree = cache.tree();
  const ConstVectorRef<T> torque(tau.data(), tree.coordinates);
  const VectorRef<T> result(qdd.data(), tree.coordinates);
  if constexpr (kLanes) {
    if (algorithm == kForward) {  // mimic joints: M and h by the kernels, solved by the paper form
      auto& fused = std::get<forward::Fused<T>>(forwards);
      cache.engine().terms({fused.M(), nullptr, nullptr, fused.h()});
      return fused.solve(tree, cache.workspace(), torque, result);
    }
  }
  Status status;
  run(forwards, algorithm, [&](auto& chosen, const auto& ws) { status = chosen.compute(tree, ws, torque, result); });
  return status;
}

template <class T>
void BasicDynamics<T>::Impl::refresh_mass_matrix() noexcept {
  if (mass_is_current) return;
  if (engine_terms(term_M) == 0U) {
    compute_mass_matrix();
  } else {
    if constexpr (kLanes) cache.engine().terms(engine_output(term_M));
    finish_engine_terms(term_M);
  }
  mass_is_current = true;
}

template <class T>
Status BasicDynamics<T>::Impl::invert_mass_matrix(std::span<T> inverse_M) noexcept {
  refresh_mass_matrix();
  if constexpr (kLanes) {
    return lane_forms.solver.invert(M.data(), cache.factor().pivot_scales(), inverse_M.data());
  }
  const Tree& tree = cache.tree();
  MassFactor<T>& factor = cache.factor();
  const int n = coordinates;
  const auto entry = [&](int row, int column) {  // index in the user's matrices of an entry of the factor
    return factor.coordinate(tree, column) * n + factor.coordinate(tree, row);
  };
  for (int j = 0; j < tree.coordinates; ++j) {
    for (int i = j; i < tree.coordinates; ++i) {
      factor.matrix()[i * n + j] = M[entry(i, j)];
    }
  }
  if (const Status status = factor.factorize(nullptr); !status.ok()) return status;
  factor.invert([&](int i, int j, const T& value) {
    inverse_M[entry(i, j)] = value;
    inverse_M[entry(j, i)] = value;
  });
  return {};
}

// The sum over the bodies that the two coordinates move, in the order of compute_mass_matrix().
template <class T>
T BasicDynamics<T>::Impl::element(int u, int k) noexcept {
  const Tree& tree = cache.tree();
  const auto element_of_bodies = [this](int i, int j) -> T {
    if constexpr (kLanes) {
      return lane_forms.element(cache.plan(), i, j);
    } else {
      using Explicit = jsim::Explicit<T>;
      return std::get<Explicit>(jsims).element(cache.tree(), cache.workspace(Explicit::needs), i, j);
    }
  };
  if (u < k) std::swap(u, k);
  T sum(0);
  for (int j = 0; j < tree.size; ++j) {
    if (tree.coordinate[j] != k) continue;
    for (int i = 0; i < tree.size; ++i) {
      if (tree.coordinate[i] != u) continue;
      sum += T(tree.ratio[i]) * element_of_bodies(i, j) * T(tree.ratio[j]);
    }
  }
  return u == k ? T(sum + T(tree.armature[u])) : sum;
}

template struct BasicDynamics<double>::Impl;
template struct BasicDynamics<float>::Impl;

}  // namespace dyn
