// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What the validator gets of a cycle.
#include <algorithm>
#include <iterator>

#include "control/cycle.hpp"

namespace dyn::control {

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
  if (n > std::ssize(sample.q) || generation.active_ramps > std::ssize(sample.ramps)) return false;
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
    for (int i = 0; i < n; ++i) sample.Cv[i] += C(i, j) * v_hat[j];
  }
  sample.ramp_count = 0;
  for (int body = 0; body < generation.ramps.size() && generation.active_ramps > 0; ++body) {
    const live::Ramp& ramp = generation.ramps[body];
    if (!ramp.active) continue;
    sample.ramps[sample.ramp_count++] = {body, ramp.progress(), ramp.start};
  }
  return true;
}

}  // namespace dyn::control
