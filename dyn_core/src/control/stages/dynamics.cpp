// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M, C, g at the predicted time, and what of them the next cycle wants to know.
#include <algorithm>

#include "control/cycle.hpp"

namespace dyn::control {

Status Controller::Impl::update_dynamics(Dynamics& dynamics) noexcept {
  if (parameters->law == Law::feedforward) {  // eq 72 has the model at the reference
    for (int i = 0; i < robot_n; ++i) {
      if (!actuation.actuated[i]) continue;
      q_hat[i] = ref_q[i];
      v_hat[i] = ref_v[i];
    }
  }
  return dynamics.update(std::span<const double>(q_hat.data(), n), std::span<const double>(v_hat.data(), n));
}

// The first cycle has no model of a cycle before, which the limits of the reference take.
Status Controller::Impl::know_model(Dynamics& dynamics) noexcept {
  if (model_known) return {};
  const Status status = dynamics.update(state.q.first(n), state.v.first(n));
  if (status.ok()) remember_model(dynamics);
  return status;
}

void Controller::Impl::remember_model(const Dynamics& dynamics) noexcept {
  const auto M = dynamics.M();
  const auto g = dynamics.g();
  const auto h = dynamics.h();
  const bool ours = parameters->gravity_compensation == GravityCompensation::full;
  for (int i = 0; i < n; ++i) {
    gravity_last[i] = g[i];
    diagonal_last[i] = M(i, i);
    bias_last[i] = ours ? h[i] : h[i] - g[i];
  }
  for (int j = 0; j < robot_n; ++j) std::copy_n(M.data() + j * M.outerStride(), robot_n, M_last.data() + j * robot_n);
  model_known = true;
}

}  // namespace dyn::control
