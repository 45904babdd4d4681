// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What is behind the front door (dynamics.hpp): the algorithms with their memory, which of them runs, the kinematics
// that they share, and the way from body order to the user's.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/gravity/gravity.hpp"
#include "dyn_core/registry.hpp"
#include "forward/mass_factor.hpp"
#include "fused/engine.hpp"
#include "lane_forms.hpp"

namespace dyn {

// All algorithms of a list made for `capacity` bodies.
template <class Tuple>
struct Make;
template <class... A>
struct Make<std::tuple<A...>> {
  static std::tuple<A...> all([[maybe_unused]] int capacity) { return std::tuple<A...>(A(capacity)...); }
};

template <class T>
Status first_not_finite(std::span<const T> q, std::span<const T> v) noexcept {
  T sum(0.0);  // 0 x is 0 where x is finite, NaN else
  for (size_t i = 0; i < q.size(); ++i) sum += T(0.0) * q[i] + T(0.0) * v[i];
  if (sum == T(0.0)) return {};
  for (size_t i = 0; i < q.size(); ++i) {
    if (!std::isfinite(q[i])) return Status::not_finite(static_cast<int>(i), static_cast<double>(q[i]));
    if (!std::isfinite(v[i])) return Status::not_finite(static_cast<int>(i), static_cast<double>(v[i]));
  }
  return {};
}

template <class T>
struct BasicDynamics<T>::Impl {
  using Jsims = AlgorithmList<JsimAlgorithms<T>>;
  using Corioleis = AlgorithmList<CoriolisAlgorithms<T>>;
  using Forwards = AlgorithmList<ForwardAlgorithms<T>>;
  using Inverses = AlgorithmList<InverseAlgorithms<T>>;

  static constexpr int kJsim = Jsims::find("fused"), kCoriolis = Corioleis::find("fused");
  static constexpr int kForward = Forwards::find("fused"), kInverse = Inverses::find("fused");
  static constexpr int kForwardDenoc = Forwards::find("denoc");
  static constexpr bool kVectors = std::is_same_v<T, double>;

  Impl(std::shared_ptr<const Model> m, const AlgorithmChoice& choice)
      : model(std::move(m)),
        tree(model->tree()),
        jsim(AlgorithmIndex::find_jsim(choice.jsim)),
        coriolis(AlgorithmIndex::find_coriolis(choice.coriolis)),
        forward(AlgorithmIndex::find_forward(choice.forward)),
        inverse(AlgorithmIndex::find_inverse(choice.inverse)),
        has_armature(std::any_of(tree.armature.begin(), tree.armature.end(), [](double x) { return x != 0.0; })),
        engine(tree),
        M(at(tree.coordinates) * at(tree.coordinates)),
        C(M.size()),
        g(at(tree.coordinates)),
        h(at(tree.coordinates)),
        body_M(tree.bodies_are_coordinates ? 0 : at(tree.size) * at(tree.size)),
        body_C(body_M.size()),
        body_h(at(tree.size)),
        body_vector(at(tree.size)),
        factor(tree),
        ws(tree.size),
        jsims(Make<JsimAlgorithms<T>>::all(tree.size)),
        corioleis(Make<CoriolisAlgorithms<T>>::all(tree.size)),
        forwards(Make<ForwardAlgorithms<T>>::all(tree.size)),
        inverses(Make<InverseAlgorithms<T>>::all(tree.size)),
        gravity(tree.size),
        body_matrix(at(tree.size) * at(tree.size)),
        lane_forms(tree) {
    if constexpr (kVectors) {
      if (straight) engine.bind(M.data(), C.data(), g.data(), h.data());
    }
  }

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

  // All that is asked for comes from the kernels, straight into the user's matrices.
  [[nodiscard]] bool goes_straight() const noexcept {
    return straight && !stale && jsim == kJsim && coriolis == kCoriolis && M_clear && C_clear;
  }
  Status update_straight(std::span<const T> q, std::span<const T> v, unsigned terms) noexcept {
    if constexpr (kVectors) {
      if (!engine.bound_terms(q.data(), v.data(), terms & terms_all)) return first_not_finite(q, v);
      fresh = needs_nothing;
      state_in_ws = false;
      lane_forms.forget_state();
      if (has_armature && (terms & term_M) != 0U) add_armature();
    }
    return {};
  }

  // Not inlined, so that the way above is short.
  [[gnu::noinline]] Status update_mixed(std::span<const T> q, std::span<const T> v, unsigned terms) noexcept;

  // Takes in the state, and out of the terms those that the vector kernels make for it. False where it is not finite.
  bool take_state(std::span<const T> q, std::span<const T> v, unsigned& terms) noexcept {
    if (kVectors && tree.bodies_are_coordinates) {
      if (!run_engine(q.data(), v.data(), terms)) return false;
      fresh = needs_nothing;
      state_in_ws = false;
      lane_forms.forget_state();
      return true;
    }
    if (!first_not_finite(q, v).ok()) return false;
    fresh = needs_nothing;
    state_in_ws = true;
    lane_forms.forget_state();
    spread_positions(tree, q.data(), ws);
    spread_rates(tree, v.data(), ws.v);
    return run_engine(ws.q.data(), ws.v.data(), terms);
  }

  // The engine has the state already; other algorithms look for it in ws.
  void need_state() noexcept {
    if constexpr (kVectors) {
      if (state_in_ws) return;
      std::copy_n(engine.q(), tree.size, ws.q.data());
      std::copy_n(engine.v(), tree.size, ws.v.data());
      state_in_ws = true;
    }
  }

  // The kinematics passes that an algorithm builds on, each at most once a state.
  void ensure(unsigned needs) noexcept {
    need_state();
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

  // What the vector kernels can do of the terms, in one pass; takes it out of them. False, and nothing changed, where q
  // or v is not finite. q and v of the bodies: the caller's where they serve, since values just copied would be waited
  // for.
  bool run_engine(const T* q, const T* v, unsigned& terms) noexcept {
    refresh_engine();
    if constexpr (!kVectors) {
      return true;
    } else {
      const bool want_M = (terms & term_M) != 0U && jsim == kJsim;
      const bool want_C = (terms & term_C) != 0U && coriolis == kCoriolis;
      const bool want_h = (terms & term_h) != 0U && coriolis == kCoriolis;
      const bool want_g = (terms & term_g) != 0U || (want_h && want_C);
      if (!want_M && !want_C && !want_g && !want_h) return engine.load_state(q, v);
      const bool direct = tree.bodies_are_coordinates;
      std::vector<T>& out_M = direct ? M : body_M;
      std::vector<T>& out_C = direct ? C : body_C;
      T* out_g = direct ? g.data() : body_vector.data();
      T* out_h = direct ? h.data() : body_h.data();
      if (want_M) clear(out_M, M_clear);
      if (want_C) clear(out_C, C_clear);
      if (!engine.terms(q, v, want_M ? out_M.data() : nullptr, want_C ? out_C.data() : nullptr,
                        want_g ? out_g : nullptr, want_h ? out_h : nullptr)) {
        return false;
      }
      if (!direct && want_M) to_user(body_M, M);
      if (!direct && want_C) to_user(body_C, C);
      if (!direct && want_g) to_user(body_vector.data(), g.data());
      if (!direct && want_h) to_user(body_h.data(), h.data());
      if (want_M) finish_mass_matrix();
      terms &= ~((want_M ? term_M : 0U) | (want_C ? term_C : 0U) | (want_g ? term_g : 0U) | (want_h ? term_h : 0U));
      return true;
    }
  }

  [[nodiscard]] bool bias_by_engine() const noexcept { return kVectors && coriolis == kCoriolis; }

  // Where fused is chosen for the inverse or forward dynamics, tau in body order, or M and h for the solver, from the
  // kernels for the state that they have.
  [[nodiscard]] bool inverse_by_engine() const noexcept { return kVectors && inverse == kInverse; }
  void run_engine_inverse(const T* a, T* tau) noexcept {
    if constexpr (kVectors) {
      refresh_engine();
      engine.inverse(a, tau);
    }
  }
  bool forward_by_engine(forward::Fused<T>& fused) noexcept {
    if constexpr (!kVectors) {
      return false;
    } else {
      if (forward != kForward) return false;
      refresh_engine();
      engine.terms(fused.M(), nullptr, nullptr, fused.h());
      return true;
    }
  }
  // The same where no joint follows another: M goes where it is factorized.
  [[nodiscard]] bool forward_by_factor() const noexcept { return kVectors && forward == kForward && !tree.has_mimic; }
  Status solve_by_factor(std::span<const T> tau, std::span<T> qdd) noexcept;

  // Forward dynamics by denoc's vector form; the bias, which the paper leaves out, comes from the engine.
  [[nodiscard]] bool forward_by_lanes() const noexcept {
    return kVectors && forward == kForwardDenoc && !tree.has_mimic;
  }
  Status solve_by_lanes(std::span<const T> tau, std::span<T> qdd) noexcept {
    if constexpr (kVectors) {
      refresh_engine();
      engine.terms(nullptr, nullptr, nullptr, body_h.data());
      if (factor.needs_state()) need_state();
      for (size_t i = 0; i < at(tree.size); ++i) {
        const size_t c = at(tree.coordinate[i]);
        if (!std::isfinite(tau[c])) return Status::not_finite(static_cast<int>(i), static_cast<double>(tau[c]));
        body_h[i] = tau[c] - body_h[i];
      }
      if (const Status status =
              lane_forms.denoc.solve(plan_at_state(), body_h.data(), factor.pivot_scales(tree, ws), body_vector.data());
          !status.ok()) {
        return status;
      }
      for (size_t i = 0; i < at(tree.size); ++i) qdd[at(tree.coordinate[i])] = body_vector[i];
    }
    return {};
  }

  // M() for the state in ws, then its inverse, column-major.
  Status invert_mass_matrix(std::span<T> inverse_M) noexcept;
  // Where the user's matrices have what the factor has at (row, column).
  [[nodiscard]] size_t entry(int row, int column) const noexcept {
    return at(factor.coordinate(tree, column)) * at(tree.coordinates) + at(factor.coordinate(tree, row));
  }

  // Gravity or an inertia of the tree is another one now: centres of mass and inertias in ws are not up to date.
  void tree_changed() noexcept {
    stale = true;
    fresh &= needs_trigonometry | (needs_velocities ^ needs_positions);
  }
  void refresh_engine() noexcept {
    if (!stale) return;
    engine.refresh(tree);
    factor.forget();
    stale = false;
    lane_forms.forget_inertias();
  }

  // What the lane forms in base axes start from, at the state and with the inertias of now.
  const lanes::Plan& plan_at_state() noexcept requires kVectors {
    refresh_engine();
    return lane_forms.at(tree, engine.q());
  }

  // The kernels write no structural zeros: they must be there when another algorithm has used the matrix before.
  static void clear(std::vector<T>& matrix, bool& is_clear) noexcept {
    if (!is_clear) std::fill(matrix.begin(), matrix.end(), T(0.0));
    is_clear = true;
  }

  void finish_mass_matrix() noexcept {
    if (tree.has_mimic) mirror_mass_matrix();
    if (has_armature) add_armature();
  }
  void add_armature() noexcept {
    const size_t n = at(tree.coordinates);
    for (size_t i = 0; i < n; ++i) M[i * (n + 1)] += T(tree.armature[i]);
  }

  // False where the algorithm has no vector form.
  bool compute_mass_by_lanes() noexcept {
    if constexpr (kVectors) {
      const lanes::MassForm form = lane_forms.mass_form(jsim);
      if (form == nullptr) return false;
      const bool direct = tree.bodies_are_coordinates;
      if (direct) clear(M, M_clear);
      form(plan_at_state(), direct ? M.data() : body_M.data());
      if (!direct) to_user(body_M, M);
      return true;
    }
    return false;
  }

  void compute_mass_matrix() noexcept {
    if (compute_mass_by_lanes()) return finish_mass_matrix();
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

  struct NoEngine {
    explicit NoEngine(const Tree& /*tree*/) {}
    void refresh(const Tree& /*tree*/) noexcept {}
    void forget_state() noexcept {}
    void forget_inertias() noexcept {}
  };

  std::shared_ptr<const Model> model;
  Tree tree;  // working copy

  // What every cycle with `fused` touches stands together: few lines of a cold cache.
  int jsim, coriolis, forward, inverse;
  unsigned fresh = needs_nothing;  // passes of the kinematics that are up to date in ws
  bool state_in_ws = true;         // else the engine alone has it
  bool stale = false;              // the engine has not seen the tree's inertias and gravity yet
  bool M_clear = true, C_clear = true;
  bool has_armature;
  bool straight = kVectors && tree.bodies_are_coordinates;
  std::conditional_t<kVectors, fused::Engine, NoEngine> engine;
  std::vector<T> M, C, g, h;
  std::vector<T> body_M, body_C, body_h, body_vector;  // the engine's, where the user's order is another

  MassFactor<T> factor;
  Workspace<T> ws;
  JsimAlgorithms<T> jsims;
  CoriolisAlgorithms<T> corioleis;
  ForwardAlgorithms<T> forwards;
  InverseAlgorithms<T> inverses;
  Gravity<T> gravity;
  std::vector<T> body_matrix;

  std::conditional_t<kVectors, LaneForms, NoEngine> lane_forms;
};

}  // namespace dyn
