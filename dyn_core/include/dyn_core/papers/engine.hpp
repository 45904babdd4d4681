// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The vector forms of the papers' algorithms, which Dynamics takes for double: the formulas of the class templates
// (jsim/explicit.hpp, gdahj.hpp, denoc.hpp, momentum.hpp, screw.hpp, pseudo_inertia.hpp, forward/denoc.hpp), arranged
// for the best instruction set that this machine has. In body order. Memory is taken when it is made. docs/speed.md
// tells how they are made.
#pragma once

#include <memory>
#include <string_view>

#include "dyn_core/error.hpp"
#include "dyn_core/fused/engine.hpp"
#include "dyn_core/model/tree.hpp"

namespace dyn::papers {

enum class MassForm { none, explicit_elements, gdahj, denoc, momentum, screw, pseudo_inertia };

// `none` where the algorithm for M of that name has no vector form.
[[nodiscard]] MassForm mass_form(std::string_view name) noexcept;

class Engine {
 public:
  explicit Engine(const Tree& tree, const fused::Kernels& kernels = fused::select_kernels());
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  // Inertias anew from a tree that is otherwise the same.
  DYN_REALTIME void refresh(const Tree& tree) noexcept;

  // A finite state, one number a body: what the calls below are for.
  DYN_REALTIME void positions(const double* q) noexcept;

  // M, column-major. What is zero by structure (branches) must be zero before.
  DYN_REALTIME void mass(MassForm form, double* M) noexcept;
  // M(u, k) alone, the same bits as mass() by explicit_elements writes there.
  [[nodiscard]] DYN_REALTIME double element(int u, int k) noexcept;
  // qdd from phi = tau - (C v + g) by denoc; scale: of each body's pivot (forward/pivot_scale.hpp). No mimic joints.
  DYN_REALTIME Status forward(const double* phi, const double* scale, double* qdd) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn::papers
