// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "fused/engine.hpp"

namespace dyn::fused {

void Engine::bind(double* M, double* C, double* g, double* h) noexcept {
  for (unsigned terms = 0; terms < 16; ++terms) {
    const bool with_h = (terms & term_h) != 0U, with_C = (terms & term_C) != 0U;
    const bool with_g = (terms & term_g) != 0U || (with_h && with_C);
    const Output out{(terms & term_M) != 0U ? M : nullptr, with_C ? C : nullptr, with_g ? g : nullptr,
                     with_h ? h : nullptr};
    routes_[terms] = {choose_(memory_.plan, out), out};
  }
}

}  // namespace dyn::fused
