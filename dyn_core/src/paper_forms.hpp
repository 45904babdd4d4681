// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The vector forms of the papers' algorithms as the front door uses them: which names have one, and what they have seen
// of the state and of the inertias.
#pragma once

#include <array>

#include "dyn_core/papers/engine.hpp"
#include "dyn_core/registry.hpp"

namespace dyn {

struct PaperForms {
  using Jsims = AlgorithmList<JsimAlgorithms<double>>;

  explicit PaperForms(const Tree& tree) : engine(tree) {
    for (size_t k = 0; k < forms_.size(); ++k) forms_[k] = papers::mass_form(Jsims::names[k]);
  }

  [[nodiscard]] papers::MassForm mass_form(int jsim) const noexcept { return forms_[static_cast<size_t>(jsim)]; }

  DYN_REALTIME void forget_state() noexcept { placed_ = false; }
  DYN_REALTIME void forget_inertias() noexcept { stale_ = true; }

  // Ready for the state q of the bodies.
  DYN_REALTIME papers::Engine& at(const Tree& tree, const double* q) noexcept {
    if (stale_) engine.refresh(tree);
    if (stale_ || !placed_) engine.positions(q);
    stale_ = false;
    placed_ = true;
    return engine;
  }

  papers::Engine engine;

 private:
  std::array<papers::MassForm, static_cast<size_t>(Jsims::size)> forms_{};
  bool placed_ = false;
  bool stale_ = false;
};

}  // namespace dyn
