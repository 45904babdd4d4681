// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The lane forms that start from the bodies' frames in base axes, as the front door uses them: which algorithms have
// one, and what they have seen of the state and of the inertias.
#pragma once

#include <array>

#include "dyn_core/registry.hpp"
#include "forward/denoc_lanes.hpp"
#include "jsim/explicit_lanes.hpp"
#include "lanes/base_frames.hpp"
#include "lanes/mass_forms.hpp"

namespace dyn {

struct LaneForms {
  using Jsims = AlgorithmList<JsimAlgorithms<double>>;

  explicit LaneForms(const Tree& tree)
      : mass(lanes::MassForms<JsimAlgorithms<double>>::all(lanes::select_kernel_set())), denoc(tree), frames(tree) {}

  // Null where the algorithm has none.
  [[nodiscard]] lanes::MassForm mass_form(int jsim) const noexcept { return mass[static_cast<size_t>(jsim)]; }

  DYN_REALTIME void forget_state() noexcept { placed_ = false; }
  DYN_REALTIME void forget_inertias() noexcept { stale_ = true; }

  // Ready for the state q of the bodies.
  DYN_REALTIME const lanes::Plan& at(const Tree& tree, const double* q) noexcept {
    if (stale_) frames.set_inertias(tree);
    if (stale_ || !placed_) frames.set_positions(q);
    stale_ = false;
    placed_ = true;
    return frames.plan();
  }

  std::array<lanes::MassForm, static_cast<size_t>(Jsims::size)> mass;
  jsim::ExplicitElement element;
  forward::DenocLanes denoc;
  lanes::BaseFrames frames;

 private:
  bool placed_ = false;
  bool stale_ = false;
};

}  // namespace dyn
