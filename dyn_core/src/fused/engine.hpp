// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The lane form of the `fused` algorithms: M, C and g (any of them in one pass) and the inverse dynamics, one body a
// lane, for the best instruction set that this machine has. In body order, like every algorithm; Dynamics maps to the
// user's. Only the constructor allocates. docs/speed.md has the method.
#pragma once

#include <memory>

#include "dyn_core/error.hpp"
#include "dyn_core/model/tree.hpp"
#include "dyn_core/terms.hpp"
#include "fused/kernel.hpp"
#include "lanes/kernel_sets.hpp"

namespace dyn::fused {

class Engine {
 public:
  explicit Engine(const Tree& tree, lanes::KernelSet set = lanes::select_kernel_set());
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  // Inertias and gravity anew from a tree that is otherwise the same.
  DYN_REALTIME void refresh(const Tree& tree) noexcept;

  // Loads a state. False, and nothing is changed, where it is not finite.
  DYN_REALTIME bool load_state(const double* q, const double* v) noexcept;
  // Terms of the loaded state that are not null, in body order (h with C needs g too); matrices column-major. Entries
  // that are zero by structure (branches) are not written: clear the matrices once.
  DYN_REALTIME void terms(const Output& out) const noexcept;
  // tau = M a + C v + g (without armature); a null: zero.
  DYN_REALTIME void inverse(const double* a, double* tau) const noexcept;
  // load_state() and terms() at once.
  DYN_REALTIME bool terms(const double* q, const double* v, const Output& out) noexcept;

  // The same with arrays and kernels chosen beforehand: bind() sets the arrays of M, C, g and h, which must not move;
  // bound_terms() computes a set of Terms.
  void bind(double* M, double* C, double* g, double* h) noexcept;
  DYN_REALTIME bool bound_terms(const double* q, const double* v, unsigned terms) noexcept;

  // The loaded state.
  [[nodiscard]] const double* q() const noexcept;
  [[nodiscard]] const double* v() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn::fused
