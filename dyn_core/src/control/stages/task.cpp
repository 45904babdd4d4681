// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The stage law for task_space, in place of apply_law().
#include <algorithm>
#include <cmath>
#include <limits>

#include "control/cycle.hpp"

namespace dyn::control {
Status Controller::Impl::apply_task(live::Generation& generation, CycleReport& report) noexcept {
  Dynamics& dynamics = generation.dynamics;
  if (generation.frames.count() == 0) return Status::not_finite(-1, std::numeric_limits<double>::quiet_NaN());
  if (offset_moves) {  // which damped a swing under another law
    for (auto* x : {&offset_q, &offset_v, &offset_a}) std::fill(x->begin(), x->end(), 0.0);
    offset_moves = false;
  }
  TaskReference wanted;
  if (usable && reference.task != nullptr) wanted = *reference.task;
  const size_t size = n;
  const TaskInput in{state.q.first(n),
                     state.v.first(n),
                     {q_hat.data(), size},
                     {v_hat.data(), size},
                     terms.external,
                     passive,
                     actuation.followed,
                     actuation.lower,
                     actuation.upper,
                     ramp_in(),
                     hold_s,
                     parameters->prediction,
                     period_s,
                     (parameters->reference_lead + reference.lead) * period_s,
                     holding};
  const Status status = task_law.evaluate(parameters->task, wanted, in, dynamics, generation.frames, 0, task,
                                          {write_view(terms.inertia), write_view(terms.feedback)});
  if (!status.ok()) return status;
  report.reference_limited = task.cycle.limited;
  for (int i = 0; i < n; ++i) {
    terms.gravity[i] = dynamics.g()[i];
    terms.coriolis[i] = dynamics.h()[i] - dynamics.g()[i];
    ref_v[i] = v_hat[i];
    terms.friction[i] = friction_at(i);
  }
  task.cycle.effort_share = share_within_effort_limits();
  for (int i = 0; i < n; ++i) {
    terms.inertia[i] *= task.cycle.effort_share;
    terms.feedback[i] *= task.cycle.effort_share;
    pid[i] = terms.inertia[i] + terms.feedback[i] + terms.coriolis[i] + terms.gravity[i];  // of M a + h
  }
  for (const int i : passive.coordinates()) pid[i] = 0.0;
  report.saturated = task.cycle.effort_share < 1.0;
  (void)dynamics.forward({pid.data(), size}, {a_command.data(), size});
  return {};
}

// The share of the force that effort limits allow, the same for all joints, so that the frame accelerates less but in
// the same direction. A joint that is beyond its limit without any force is ignored here and clamped later.
double Controller::Impl::share_within_effort_limits() const noexcept {
  double share = 1.0;
  for (int i = 0; i < robot_n; ++i) {
    if (!drives(i)) continue;
    const double gravity = parameters->gravity_compensation == GravityCompensation::full ? terms.gravity[i] : 0.0;
    const double least = terms.coriolis[i] + gravity + terms.friction[i];
    const double more = terms.inertia[i] + terms.feedback[i];
    const double bound = effort_bound(i);
    if (std::abs(least) >= bound || std::abs(least + more) <= bound) continue;
    share = std::min(share, (std::copysign(bound, more) - least) / more);
  }
  return share;
}

}  // namespace dyn::control
