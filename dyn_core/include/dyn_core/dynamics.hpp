// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The main interface: one robot, one state, and M, C, g, inverse and forward dynamics by the algorithms chosen by name.
// One object per thread. The constructor allocates all memory; update(), inverse() and forward() are real-time safe.
//
// Sizes: with n = model().coordinates(), q, v, a, tau and qdd have n entries, matrices n x n, column-major. Debug
// builds check them and the indices (precondition.hpp).
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "dyn_core/error.hpp"
#include "dyn_core/model/body_inertia.hpp"
#include "dyn_core/model/model.hpp"
#include "dyn_core/numeric/types.hpp"
#include "dyn_core/terms.hpp"

namespace dyn {

struct AlgorithmChoice {
  std::string_view jsim = "fused";
  std::string_view coriolis = "fused";
  std::string_view forward = "fused";
  std::string_view inverse = "fused";
};

// The same choice as numbers, for the loop: positions in the registries. -1: as chosen before.
struct AlgorithmIndex {
  int jsim = -1, coriolis = -1, forward = -1, inverse = -1;

  // Throw ModelError, listing the names there are, where the name is unknown.
  static int find_jsim(std::string_view name);
  static int find_coriolis(std::string_view name);
  static int find_forward(std::string_view name);
  static int find_inverse(std::string_view name);
};

template <class T>
class BasicDynamics {
 public:
  // Throws ModelError if an algorithm's name is unknown.
  explicit BasicDynamics(std::shared_ptr<const Model> model, const AlgorithmChoice& choice = {});
  explicit BasicDynamics(Model model, const AlgorithmChoice& choice = {});
  BasicDynamics(BasicDynamics&&) noexcept;
  BasicDynamics& operator=(BasicDynamics&&) noexcept;
  BasicDynamics(const BasicDynamics&) = delete;
  BasicDynamics& operator=(const BasicDynamics&) = delete;
  ~BasicDynamics();

  [[nodiscard]] const Model& model() const noexcept;

  // False (and nothing changed) if there is no algorithm of that name. Real-time safe.
  [[nodiscard]] bool set_jsim(std::string_view name) noexcept;
  [[nodiscard]] bool set_coriolis(std::string_view name) noexcept;
  [[nodiscard]] bool set_forward(std::string_view name) noexcept;
  [[nodiscard]] bool set_inverse(std::string_view name) noexcept;

  // Off the loop: the same robot with other inertias (its bodies, joints and frames must be equal).
  void set_inertias_of(std::shared_ptr<const Model> model);

  [[nodiscard]] AlgorithmIndex algorithms() const noexcept;
  DYN_REALTIME void set_algorithms(const AlgorithmIndex& index) noexcept;

  // The working copy of the model's tree: gravity and inertias of bodies may change between updates (moving base, a
  // payload that is ramped in). Real-time safe; model() stays as it was built.
  [[nodiscard]] const Tree& tree() const noexcept;
  DYN_REALTIME void set_gravity(const Vec3d& gravity_mps2) noexcept;
  DYN_REALTIME void set_body_inertia(int body, const BodyInertia& inertia) noexcept;

  // M, C, g at (q, v), in the user's coordinates. Not ok where q or v is not finite.
  DYN_REALTIME Status update(std::span<const T> q, std::span<const T> v) noexcept;
  // The same for some terms only (a set of Terms); the others keep their values.
  DYN_REALTIME Status update_terms(std::span<const T> q, std::span<const T> v, unsigned terms) noexcept;

  [[nodiscard]] ConstMatrixRef<T> M() const noexcept;  // joint-space inertia matrix, symmetric
  [[nodiscard]] ConstMatrixRef<T> C() const noexcept;  // Mdot - 2 C is skew-symmetric
  [[nodiscard]] ConstVectorRef<T> g() const noexcept;  // gravity torque
  [[nodiscard]] ConstVectorRef<T> h() const noexcept;  // C v + g

  // M(u, k) alone at the state of the last update(), by paper 000's explicit expression: no other element is computed.
  // The same bits as in M() by jsim `explicit`.
  [[nodiscard]] DYN_REALTIME T element(int u, int k) noexcept;

  // tau = M a + C v + g at the state of the last update().
  DYN_REALTIME void inverse(std::span<const T> a, std::span<T> tau) noexcept;
  // qdd from M qdd = tau - C v - g at the state of the last update(); a status that names the joint where M is
  // singular.
  DYN_REALTIME Status forward(std::span<const T> tau, std::span<T> qdd) noexcept;

  // M^-1 at the state of the last update() (n x n, symmetric), by a factorization that uses the zeros of M between
  // branches; updates M() too. Where M is singular, the status names the joint.
  DYN_REALTIME Status inverse_mass_matrix(std::span<T> inverse_M) noexcept;

  // update() for Eigen vectors, std::vector, std::array: anything with data() and size().
  template <class V>
  requires requires(const V& x) { x.data() + x.size(); }
  DYN_REALTIME Status update(const V& q, const V& v) noexcept {
    return update(std::span<const T>(q.data(), static_cast<size_t>(q.size())),
                  std::span<const T>(v.data(), static_cast<size_t>(v.size())));
  }

 private:
  friend struct DynamicsAccess;  // for what builds on the same state: src/dynamics_access.hpp
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

using Dynamics = BasicDynamics<double>;
extern template class BasicDynamics<double>;
extern template class BasicDynamics<float>;

}  // namespace dyn
