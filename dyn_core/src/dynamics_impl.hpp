// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The implementation of dynamics.hpp: the algorithms with their memory, which of them runs, and the permutation from
// body order to the user's. State, kinematics and kernels are state_cache.hpp's.
#pragma once

#include <algorithm>
#include <array>
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
#include "forward/elimination_lanes.hpp"
#include "forward/mass_solver.hpp"
#include "jsim/explicit_lanes.hpp"
#include "lanes/form_tables.hpp"
#include "state_cache.hpp"
#include "user_order.hpp"

namespace dyn {

// All algorithms of a list: those for which `needed` is true made for `capacity` bodies, the others for none.
template <class Tuple>
struct Make;
template <class... A>
struct Make<std::tuple<A...>> {
  template <class Needed>
  static std::tuple<A...> all([[maybe_unused]] int capacity, [[maybe_unused]] const Needed& needed) {
    return std::tuple<A...>(A(needed.template operator()<A>() ? capacity : 0)...);
  }
};

template <class T>
Status first_not_finite(std::span<const T> q, std::span<const T> v) noexcept {
  T sum(0.0);  // 0 x is 0 where x is finite, else NaN
  for (size_t i = 0; i < q.size(); ++i) sum += T(0.0) * q[i] + T(0.0) * v[i];
  if (sum == T(0.0)) return {};
  for (size_t i = 0; i < q.size(); ++i) {
    if (!std::isfinite(q[i])) return Status::not_finite(static_cast<int>(i), static_cast<double>(q[i]));
    if (!std::isfinite(v[i])) return Status::not_finite(static_cast<int>(i), static_cast<double>(v[i]));
  }
  return {};
}

// The lane forms by algorithm, null where one has none; those of `fused` belong to the cache.
struct LaneForms {
  explicit LaneForms(const Tree& tree, lanes::KernelSet set = lanes::select_kernel_set())
      : mass(lanes::FormTable<JsimAlgorithms<double>>::mass(set)),
        coriolis(lanes::FormTable<CoriolisAlgorithms<double>>::rates(set)),
        inverse(lanes::FormTable<InverseAlgorithms<double>>::rates(set)),
        denoc(forward::EliminationLanes::denoc(tree, set)),
        aba(forward::EliminationLanes::aba(tree, set)),
        solver(tree) {}

  std::array<lanes::MassForm, std::tuple_size_v<JsimAlgorithms<double>>> mass;
  std::array<lanes::RatesForm, std::tuple_size_v<CoriolisAlgorithms<double>>> coriolis;
  std::array<lanes::RatesForm, std::tuple_size_v<InverseAlgorithms<double>>> inverse;
  jsim::ExplicitElement element;
  forward::EliminationLanes denoc, aba;
  forward::MassSolver solver;
};

template <class T>
struct BasicDynamics<T>::Impl {
  using Jsims = AlgorithmList<JsimAlgorithms<T>>;
  using CoriolisList = AlgorithmList<CoriolisAlgorithms<T>>;
  using Forwards = AlgorithmList<ForwardAlgorithms<T>>;
  using Inverses = AlgorithmList<InverseAlgorithms<T>>;
  using Cache = StateCache<T>;

  // Indices in the lists; kJsim, kCoriolis, kForward and kInverse are those of `fused`.
  static constexpr int kJsim = Jsims::find("fused"), kCoriolis = CoriolisList::find("fused");
  static constexpr int kForward = Forwards::find("fused"), kInverse = Inverses::find("fused");
  static constexpr int kForwardDenoc = Forwards::find("denoc"), kForwardAba = Forwards::find("aba");
  static constexpr int kForwardCholesky = Forwards::find("cholesky"), kJsimDenoc = Jsims::find("denoc");
  static constexpr bool kLanes = Cache::kLanes;

  // Does this number type run the class template, the paper form, for M, C or inverse dynamics?
  static constexpr auto runs_paper_form = []<class A>() {
    if constexpr (requires { A::lane_form; }) return !kLanes;
    return true;
  };

  Impl(std::shared_ptr<const Model> m, const AlgorithmChoice& choice);

  // All terms come from the kernels of `fused`, which write directly into the user's matrices.
  [[nodiscard]] bool goes_straight() const noexcept {
    return straight && jsim == kJsim && coriolis == kCoriolis && cache.ready_for_bound();
  }
  // All other cases. Not inlined, so that the short path in update_terms() is inlined.
  [[gnu::noinline]] Status update_mixed(std::span<const T> q, std::span<const T> v, unsigned terms) noexcept;

  // The terms that the kernels of `fused` compute in update_mixed(), where they are written, and what follows then: the
  // user's order, symmetry, armature.
  [[nodiscard]] unsigned engine_terms(unsigned terms) const noexcept;
  [[nodiscard]] fused::Output engine_output(unsigned terms) noexcept;
  void finish_engine_terms(unsigned terms) noexcept;

  // One term each, for the state that was loaded.
  bool compute_mass_by_lanes() noexcept;  // false where the algorithm has no lane form
  bool compute_coriolis_by_lanes() noexcept;
  void compute_mass_matrix() noexcept;
  void compute_coriolis_matrix() noexcept;
  void compute_gravity() noexcept;
  void compute_bias(const T* v) noexcept;  // from C and g

  // With mimic joints the sums round differently above and below the diagonal: makes M symmetric to the bit.
  void finish_mass_matrix() noexcept;
  void add_armature() noexcept;

  // By the kernels of `fused` directly into tau, or by compute_inverse_mixed().
  [[nodiscard]] bool inverse_by_engine() const noexcept { return kLanes && inverse == kInverse; }
  void compute_inverse(std::span<const T> a, std::span<T> tau) noexcept {
    if constexpr (kLanes) {
      if (straight && inverse_by_engine()) {
        cache.engine().inverse(a.data(), tau.data());
        if (has_armature) add_armature(a, tau);
        return;
      }
    }
    compute_inverse_mixed(a, tau);
  }
  [[gnu::noinline]] void compute_inverse_mixed(std::span<const T> a, std::span<T> tau) noexcept;
  void add_armature(std::span<const T> a, std::span<T> tau) noexcept;

  // By a factor of M, which the kernels of `fused`, or denoc's lane form for `cholesky`, write where it is factorized;
  // or by denoc's or aba's elimination. The bias C v + g comes from the kernels where the algorithm does not compute
  // it. None of these with mimic joints.
  [[nodiscard]] bool forward_by_factor() const noexcept {
    return kLanes && !has_mimic && (forward == kForwardCholesky || (forward == kForward && !has_long_chains));
  }
  [[nodiscard]] bool forward_by_aba_lanes() const noexcept { return kLanes && forward == kForwardAba && !has_mimic; }
  [[nodiscard]] bool forward_by_denoc_lanes() const noexcept {
    return kLanes && (forward == kForwardDenoc || (forward == kForward && has_long_chains)) && !has_mimic;
  }
  // A pivot of M's factor that is this small relative to the carried inertia (forward/pivot_scale.hpp) loses seven
  // digits of qdd: a body far heavier than the links that carry it. There `fused` uses aba, which does not lose them.
  static constexpr double weak_pivot = 1e-7;
  Status solve_by_factor(std::span<const T> tau, std::span<T> qdd) noexcept;
  Status solve_by_denoc_lanes(std::span<const T> tau, std::span<T> qdd) noexcept;
  Status solve_by_aba_lanes(std::span<const T> tau, std::span<T> qdd) noexcept;
  // tau - h of the bodies, from h in body_h; not ok where tau is not finite.
  Status load_torques(std::span<const T> tau, T* phi) noexcept;
  Status solve_by_algorithm(int algorithm, std::span<const T> tau, std::span<T> qdd) noexcept;

  // Computes M() for the loaded state, unless it is current.
  void refresh_mass_matrix() noexcept;
  // M^-1, column-major.
  Status invert_mass_matrix(std::span<T> inverse_M) noexcept;

  T element(int u, int k) noexcept;

  // Runs f(algorithm, workspace) on the chosen one of the algorithms.
  template <class Tuple, class F>
  void run(Tuple& algorithms, int index, F&& f) noexcept {
    with_algorithm(algorithms, index, [&](auto& algorithm) { f(algorithm, cache.workspace(algorithm.needs)); });
  }
  // Runs compute(matrix or vector in body order) and brings the result to the user's order.
  template <class Compute>
  void into(std::vector<T>& user, Compute&& compute) noexcept {
    const Tree& tree = cache.tree();
    if (tree.bodies_are_coordinates) return compute(matrix_view(user.data(), tree.size, tree.size));
    compute(matrix_view(body_matrix.data(), tree.size, tree.size));
    matrix_to_user(tree, body_matrix, user);
  }
  template <class Compute>
  void into_vector(T* user, Compute&& compute) noexcept {
    const Tree& tree = cache.tree();
    if (tree.bodies_are_coordinates) return compute(VectorRef<T>(user, tree.size));
    compute(VectorRef<T>(body_vector.data(), tree.size));
    vector_to_user(tree, body_vector.data(), user);
  }

  struct None {
    explicit None(const Tree& /*tree*/) {}
  };

  std::shared_ptr<const Model> model;

  // Members that every cycle with `fused` uses, side by side: few lines of a cold cache.
  int coordinates, jsim, coriolis, forward, inverse;
  bool has_armature, has_mimic, straight;
  bool has_long_chains;          // so long that `fused` forward dynamics is faster in O(n), by denoc's lane form
  bool mass_is_current = false;  // M belongs to the loaded state and to the tree's inertias
  std::vector<T> M, C, g, h;
  Cache cache;

  std::vector<T> body_M, body_C, body_h, body_vector;  // results in body order, where the user's order differs
  JsimAlgorithms<T> jsims;
  CoriolisAlgorithms<T> coriolis_list;
  ForwardAlgorithms<T> forwards;
  InverseAlgorithms<T> inverses;
  Gravity<T> gravity;
  std::vector<T> body_matrix;
  std::conditional_t<kLanes, LaneForms, None> lane_forms;
};

}  // namespace dyn
