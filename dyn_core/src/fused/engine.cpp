// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/fused/engine.hpp"

#include "plan.hpp"

namespace dyn::fused {

struct Engine::Impl {
  Impl(const Tree& tree, const Kernels& chosen)
      : keep(chosen.keep), choose(chosen.choose), memory(tree, chosen, chosen.width) {}

  // After a while without calls every page that one touches must be found anew: asked for at once, not one by one.
  void expect(const Ways& ways, const double* q, const double* v) const noexcept {
    constexpr int some = 32;  // numbers: lines come with their neighbours
    __builtin_prefetch(reinterpret_cast<const void*>(ways.answer));
    __builtin_prefetch(reinterpret_cast<const void*>(ways.take));
    __builtin_prefetch(q);
    __builtin_prefetch(v);
    __builtin_prefetch(memory.plan.q);
    for (int i = 0; i < 4; ++i) __builtin_prefetch(memory.plan.constants + i * some);
  }

  void answer(const double* a, const Output& out) const noexcept {
    const Plan& plan = memory.plan;
    choose(plan, out).answer(plan, plan.q, plan.v, a, out);
  }

  struct Route {
    Ways ways;
    Output out;
  };
  decltype(Kernels::keep) keep;  // here and not in *kernels, which is a page more
  decltype(Kernels::choose) choose;
  PlanMemory memory;
  Route routes[16];
};

Engine::Engine(const Tree& tree, const Kernels& kernels) : impl_(std::make_unique<Impl>(tree, kernels)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

void Engine::refresh(const Tree& tree) noexcept { impl_->memory.fill(tree); }

bool Engine::keep(const double* q, const double* v) noexcept { return impl_->keep(impl_->memory.plan, q, v); }
const double* Engine::q() const noexcept { return impl_->memory.plan.q; }
const double* Engine::v() const noexcept { return impl_->memory.plan.v; }

void Engine::bind(double* M, double* C, double* g, double* h) noexcept {
  for (unsigned terms = 0; terms < 16; ++terms) {
    const bool with_h = (terms & want_h) != 0U, with_C = (terms & want_C) != 0U;
    const bool with_g = (terms & want_g) != 0U || (with_h && with_C);
    const Output out{(terms & want_M) != 0U ? M : nullptr, with_C ? C : nullptr, with_g ? g : nullptr,
                     with_h ? h : nullptr};
    impl_->routes[terms] = {impl_->choose(impl_->memory.plan, out), out};
  }
}

bool Engine::bound_terms(const double* q, const double* v, unsigned terms) noexcept {
  const Impl& d = *impl_;
  const Impl::Route& route = d.routes[terms];
  d.expect(route.ways, q, v);
  return route.ways.take(d.memory.plan, q, v, route.out);
}

bool Engine::terms(const double* q, const double* v, double* M, double* C, double* g, double* h) noexcept {
  const Impl& d = *impl_;
  const Output out{M, C, g, h};
  const Ways ways = d.choose(d.memory.plan, out);
  d.expect(ways, q, v);
  return ways.take(d.memory.plan, q, v, out);
}

void Engine::terms(double* M, double* C, double* g, double* h) noexcept { impl_->answer(nullptr, {M, C, g, h}); }

void Engine::inverse(const double* a, double* tau) noexcept { impl_->answer(a, {nullptr, nullptr, nullptr, tau}); }

}  // namespace dyn::fused
