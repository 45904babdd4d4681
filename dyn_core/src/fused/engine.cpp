// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/fused/engine.hpp"

#include "plan.hpp"

namespace dyn::fused {

struct Engine::Impl {
  Impl(const Tree& tree, const Kernels& chosen)
      : keep(chosen.keep), run(chosen.terms), memory(tree, chosen, chosen.width) {}

  // After a while without calls every page that one touches must be found anew: asked for at once, not one by one.
  void expect(const double* q, const double* v) const noexcept {
    constexpr int some = 32;  // numbers: lines come with their neighbours
    __builtin_prefetch(reinterpret_cast<const void*>(run));
    __builtin_prefetch(q);
    __builtin_prefetch(v);
    __builtin_prefetch(memory.plan.q);
    for (int i = 0; i < 4; ++i) __builtin_prefetch(memory.plan.constants + i * some);
  }

  decltype(Kernels::keep) keep;  // here and not in *kernels, which is a page more
  decltype(Kernels::terms) run;
  PlanMemory memory;
};

Engine::Engine(const Tree& tree, const Kernels& kernels) : impl_(std::make_unique<Impl>(tree, kernels)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

void Engine::refresh(const Tree& tree) noexcept { impl_->memory.fill(tree); }

bool Engine::keep(const double* q, const double* v) noexcept { return impl_->keep(impl_->memory.plan, q, v); }
const double* Engine::q() const noexcept { return impl_->memory.plan.q; }
const double* Engine::v() const noexcept { return impl_->memory.plan.v; }

bool Engine::terms(const double* q, const double* v, double* M, double* C, double* g, double* h) noexcept {
  const Impl& d = *impl_;
  d.expect(q, v);
  if (!d.keep(d.memory.plan, q, v)) return false;
  d.run(d.memory.plan, q, v, nullptr, {M, C, g, h});
  return true;
}

void Engine::terms(double* M, double* C, double* g, double* h) noexcept {
  const Plan& plan = impl_->memory.plan;
  impl_->run(plan, plan.q, plan.v, nullptr, {M, C, g, h});
}

void Engine::inverse(const double* a, double* tau) noexcept {
  const Plan& plan = impl_->memory.plan;
  impl_->run(plan, plan.q, plan.v, a, {nullptr, nullptr, nullptr, tau});
}

}  // namespace dyn::fused
