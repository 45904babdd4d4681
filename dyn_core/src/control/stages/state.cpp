// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a cycle begins with: inputs that are finite, and the model of this cycle.
#include "control/cycle.hpp"

namespace dyn::control {

bool Controller::Impl::state_is_finite() const noexcept {
  double sum = 0.0;  // NaN and infinity survive multiplication by zero
  for (int i = 0; i < n; ++i) sum += 0.0 * (state.q[i] + state.v[i]);
  if (state.gravity_mps2 != nullptr) sum += 0.0 * state.gravity_mps2->sum();
  return sum == 0.0;
}

void Controller::Impl::note_model_change(live::Generation& generation) noexcept {
  first_cycle_of_generation = first_cycle_of_generation || generation.id != generation_id;
  generation_id = generation.id;
  if (!first_cycle_of_generation) return;
  n = generation.model->coordinates();
  passive.choose(actuation.actuated, robot_n, n);
  place_payload(generation.model->tree());
}

void Controller::Impl::place_payload(const Tree& tree) noexcept {
  int body = -1;
  for (int i = 0; i < tree.size && payload_coordinate >= 0; ++i) {
    if (tree.coordinate[i] == payload_coordinate) body = i;
  }
  payload.choose(tree, body, body_T_payload);
}

}  // namespace dyn::control
