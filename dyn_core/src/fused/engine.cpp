// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/fused/engine.hpp"

#include "plan.hpp"

namespace dyn::fused {

struct Engine::Impl {
  Impl(const Tree& tree, const Kernels& chosen) : kernels(&chosen), memory(tree, chosen, chosen.width) {}
  const Kernels* kernels;
  PlanMemory memory;
};

Engine::Engine(const Tree& tree, const Kernels& kernels) : impl_(std::make_unique<Impl>(tree, kernels)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

void Engine::refresh(const Tree& tree) noexcept { impl_->memory.fill(tree); }

bool Engine::terms(const double* q, const double* v, double* M, double* C, double* g, double* h) noexcept {
  return impl_->kernels->terms(impl_->memory.plan, q, v, nullptr, {M, C, g, h});
}

bool Engine::inverse(const double* q, const double* v, const double* a, double* tau) noexcept {
  return impl_->kernels->terms(impl_->memory.plan, q, v, a, {nullptr, nullptr, nullptr, tau});
}

}  // namespace dyn::fused
