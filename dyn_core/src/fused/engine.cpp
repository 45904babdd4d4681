// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "fused/engine.hpp"

#include "fused/plan.hpp"

namespace dyn::fused {

struct Engine::Impl {
  Impl(const Tree& tree, lanes::KernelSet set, const Kernels& kernels)
      : load_state(kernels.load_state), choose(kernels.choose), memory(tree, kernels, set, lanes::width(set)) {}

  // After a pause the TLB has lost the pages that a call uses: prefetches look them up at once, not one after the
  // other.
  void expect(const KernelPair& kernels, const double* q, const double* v) const noexcept {
    constexpr int some = 32;  // numbers: lines come with their neighbours
    __builtin_prefetch(reinterpret_cast<const void*>(kernels.evaluate));
    __builtin_prefetch(reinterpret_cast<const void*>(kernels.load_and_evaluate));
    __builtin_prefetch(q);
    __builtin_prefetch(v);
    __builtin_prefetch(memory.plan.q);
    for (int i = 0; i < 4; ++i) __builtin_prefetch(memory.plan.constants + i * some);
  }

  void evaluate(const double* a, const Output& out) const noexcept {
    const Plan& plan = memory.plan;
    choose(plan, out).evaluate(plan, plan.q, plan.v, a, out);
  }

  struct Route {
    KernelPair kernels;
    Output out;
  };
  decltype(Kernels::load_state) load_state;
  decltype(Kernels::choose) choose;
  PlanMemory memory;
  Route routes[16];
};

Engine::Engine(const Tree& tree, lanes::KernelSet set) : impl_(std::make_unique<Impl>(tree, set, kernels_of(set))) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

void Engine::refresh(const Tree& tree) noexcept { impl_->memory.fill(tree); }

bool Engine::load_state(const double* q, const double* v) noexcept {
  return impl_->load_state(impl_->memory.plan, q, v);
}
const double* Engine::q() const noexcept { return impl_->memory.plan.q; }
const double* Engine::v() const noexcept { return impl_->memory.plan.v; }

void Engine::bind(double* M, double* C, double* g, double* h) noexcept {
  for (unsigned terms = 0; terms < 16; ++terms) {
    const bool with_h = (terms & term_h) != 0U, with_C = (terms & term_C) != 0U;
    const bool with_g = (terms & term_g) != 0U || (with_h && with_C);
    const Output out{(terms & term_M) != 0U ? M : nullptr, with_C ? C : nullptr, with_g ? g : nullptr,
                     with_h ? h : nullptr};
    impl_->routes[terms] = {impl_->choose(impl_->memory.plan, out), out};
  }
}

bool Engine::bound_terms(const double* q, const double* v, unsigned terms) noexcept {
  const Impl& d = *impl_;
  const Impl::Route& route = d.routes[terms];
  d.expect(route.kernels, q, v);
  return route.kernels.load_and_evaluate(d.memory.plan, q, v, route.out);
}

bool Engine::terms(const double* q, const double* v, const Output& out) noexcept {
  const Impl& d = *impl_;
  const KernelPair kernels = d.choose(d.memory.plan, out);
  d.expect(kernels, q, v);
  return kernels.load_and_evaluate(d.memory.plan, q, v, out);
}

void Engine::terms(const Output& out) const noexcept { impl_->evaluate(nullptr, out); }

void Engine::inverse(const double* a, double* tau) const noexcept {
  impl_->evaluate(a, {nullptr, nullptr, nullptr, tau});
}

}  // namespace dyn::fused
