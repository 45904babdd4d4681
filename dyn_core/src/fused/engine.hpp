// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The lane form of the `fused` algorithms: M, C and g (any of them in one pass) and the inverse dynamics, one body a
// lane, for the best instruction set that this machine has. In body order, like every algorithm; Dynamics maps to the
// user's. Only the constructor allocates. docs/speed.md has the method.
#pragma once

#include "dyn_core/error.hpp"
#include "dyn_core/model/tree.hpp"
#include "dyn_core/terms.hpp"
#include "fused/kernel.hpp"
#include "fused/plan.hpp"
#include "lanes/kernel_sets.hpp"

namespace dyn::fused {

class Engine {
 public:
  // In memory of its own, or in `room`, which has room_bytes() for it.
  explicit Engine(const Tree& tree, lanes::KernelSet set = lanes::select_kernel_set(), lanes::Room* room = nullptr)
      : Engine(tree, set, kernels_of(set), room) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  Engine(Engine&&) = delete;
  Engine& operator=(Engine&&) = delete;
  ~Engine() = default;
  [[nodiscard]] static size_t room_bytes(const Tree& tree, lanes::KernelSet set = lanes::select_kernel_set()) {
    return PlanMemory::bytes(tree, kernels_of(set), set, lanes::width(set));
  }

  // Inertias and gravity anew from a tree that is otherwise the same.
  DYN_REALTIME void refresh(const Tree& tree) noexcept { memory_.fill(tree); }

  // Loads a state. False, and nothing is changed, where it is not finite.
  DYN_REALTIME bool load_state(const double* q, const double* v) noexcept { return load_state_(memory_.plan, q, v); }
  // Terms of the loaded state that are not null, in body order (h with C needs g too); matrices column-major. Entries
  // that are zero by structure (branches) are not written: clear the matrices once.
  DYN_REALTIME void terms(const Output& out) const noexcept { evaluate(nullptr, out); }
  // tau = M a + C v + g (without armature); a null: zero.
  DYN_REALTIME void inverse(const double* a, double* tau) const noexcept {
    evaluate(a, {nullptr, nullptr, nullptr, tau});
  }
  // load_state() and terms() at once.
  DYN_REALTIME bool terms(const double* q, const double* v, const Output& out) noexcept {
    return choose_(memory_.plan, out).load_and_evaluate(memory_.plan, q, v, out);
  }

  // The same with arrays and kernels chosen beforehand: bind() sets the arrays of M, C, g and h, which must not move;
  // bound_terms() computes a set of Terms.
  void bind(double* M, double* C, double* g, double* h) noexcept;
  DYN_REALTIME bool bound_terms(const double* q, const double* v, unsigned terms) noexcept {
    const Route& route = routes_[terms];
    return route.kernels.load_and_evaluate(memory_.plan, q, v, route.out);
  }
  // Asks for what bound_terms() goes by.
  DYN_REALTIME void expect(unsigned terms) const noexcept { __builtin_prefetch(&routes_[terms]); }

  // The loaded state.
  [[nodiscard]] const double* q() const noexcept { return memory_.plan.q; }
  [[nodiscard]] const double* v() const noexcept { return memory_.plan.v; }

 private:
  struct alignas(64) Route {
    KernelPair kernels;
    Output out;
  };

  Engine(const Tree& tree, lanes::KernelSet set, const Kernels& kernels, lanes::Room* room)
      : load_state_(kernels.load_state),
        choose_(kernels.choose),
        memory_(tree, kernels, set, lanes::width(set), room) {}

  void evaluate(const double* a, const Output& out) const noexcept {
    const Plan& plan = memory_.plan;
    choose_(plan, out).evaluate(plan, plan.q, plan.v, a, out);
  }

  decltype(Kernels::load_state) load_state_;
  decltype(Kernels::choose) choose_;
  Route routes_[16];
  PlanMemory memory_;
};

}  // namespace dyn::fused
