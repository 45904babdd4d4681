// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What the validator gets of a cycle.
#include <algorithm>

#include "control/cycle.hpp"

namespace dyn::control {
namespace {
size_t at(int i) { return static_cast<size_t>(i); }
}  // namespace

void Controller::Impl::write_sample(const live::Generation& generation) noexcept {
  live::Sample* const sample = ring != nullptr ? ring->begin() : nullptr;
  if (sample == nullptr) return;
  if (fill(*sample, generation)) {
    ring->commit();
  } else {
    ring->drop();
  }
}

// False where the slot is too small.
bool Controller::Impl::fill(live::Sample& sample, const live::Generation& generation) const noexcept {
  const Dynamics& dynamics = generation.dynamics;
  if (at(n) > sample.q.size() || at(generation.active_ramps) > sample.ramps.size()) return false;
  sample.generation = generation.id;
  sample.algorithms = dynamics.algorithms();
  sample.gravity_mps2 = dynamics.tree().gravity;
  sample.n = n;
  std::copy_n(q_hat.data(), n, sample.q.data());
  std::copy_n(v_hat.data(), n, sample.v.data());
  std::copy_n(dynamics.M().data(), n * n, sample.M.data());
  std::copy_n(dynamics.g().data(), n, sample.g.data());
  const auto C = dynamics.C();
  std::fill_n(sample.Cv.data(), n, 0.0);
  for (int j = 0; j < n; ++j) {  // not h - g, which would lose what C v has of digits beside g
    for (int i = 0; i < n; ++i) sample.Cv[at(i)] += C(i, j) * v_hat[at(j)];
  }
  sample.ramp_count = 0;
  for (int body = 0; body < generation.ramps.size() && generation.active_ramps > 0; ++body) {
    const live::Ramp& ramp = generation.ramps[body];
    if (!ramp.active) continue;
    sample.ramps[at(sample.ramp_count++)] = {body, ramp.progress(), ramp.start};
  }
  return true;
}

}  // namespace dyn::control
