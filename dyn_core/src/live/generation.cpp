// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
// Runs on the loop's thread, but for begin_anew().
#include "dyn_core/live/generation.hpp"

namespace dyn::live {

void Generation::begin_anew(std::shared_ptr<const Model> next) {
  dynamics.set_inertias_of(next);
  frames.begin_anew(next);
  model = std::move(next);
  for (Ramp& ramp : ramps) ramp.active = false;
  active_ramps = 0;
  begin_cycle();
}

void Generation::begin_cycle() noexcept {
  momentum_step_unknown = false;
  if (changed_count == 0) return;
  for (auto& flag : changed) flag = 0;
  changed_count = 0;
}

void Generation::change(int body, const BodyInertia& before) noexcept {
  if (changed[body] != 0) return;
  changed[body] = 1;
  previous[body] = before;
  ++changed_count;
}

void RampStart::add(std::uint64_t generation, double weight) noexcept {
  if (count < 0) return;
  Share* share = shares.data();
  Share* const last = share + count;
  while (share != last && share->generation != generation) ++share;
  if (share != last) {
    share->weight += weight;
  } else if (count == most_shares) {
    count = -1;
  } else {
    *share = {generation, weight};
    ++count;
  }
}

// Of the inertia in effect in this cycle.
RampStart Generation::ramp_start(int body) const noexcept {
  RampStart start;
  const Ramp& ramp = ramps[body];
  const double s = ramp.active ? ramp.progress() : 1.0;
  start.add(id, s);
  if (!ramp.active) return start;
  for (const RampStart::Share& share : ramp.start) start.add(share.generation, (1.0 - s) * share.weight);
  if (ramp.start.count < 0) start.count = -1;
  return start;
}

void Generation::take_over(const Generation& before) noexcept {
  momentum_step_unknown = geometry != before.geometry;
  for (const Transition& old : before.transitions) {
    momentum_step_unknown = momentum_step_unknown || !body_of_key.has(old.key) || body_of_key[old.key] < 0;
  }
  for (int body = 0; body < transitions.size(); ++body) {
    const Transition& now = transitions[body];
    const int old_body = before.body_of_key.has(now.key) ? before.body_of_key[now.key] : -1;
    if (old_body < 0) {  // a new body is not ramped: its joint has a state of its own
      change(body, BodyInertia{});
      continue;
    }
    const BodyInertia effective_inertia = body_inertia(before.dynamics.tree(), old_body);
    if (now.version == before.transitions[old_body].version) {
      ramps[body] = before.ramps[old_body];
    } else {
      change(body, effective_inertia);
      if (now.duration_s > 0.0) {
        ramps[body] = Ramp{true, 0.0, now.duration_s, effective_inertia, before.ramp_start(old_body)};
      }
    }
    if (!ramps[body].active) continue;
    ++active_ramps;
    dynamics.set_body_inertia(body, effective_inertia);
  }
}

void Generation::advance(double period_s) noexcept {
  if (active_ramps == 0) return;
  for (int body = 0; body < ramps.size(); ++body) {
    Ramp& ramp = ramps[body];
    if (!ramp.active) continue;
    ramp.elapsed_s += period_s;
    change(body, body_inertia(dynamics.tree(), body));
    const BodyInertia target = body_inertia(model->tree(), body);
    if (ramp.elapsed_s >= ramp.duration_s) {
      ramp.active = false;
      --active_ramps;
      dynamics.set_body_inertia(body, target);  // not blended: equal to the target to the bit
    } else {
      dynamics.set_body_inertia(body, blend(ramp.from, target, ramp.progress()));
    }
  }
}

void Generation::swap_previous_inertias() noexcept {
  for (int body = 0; body < changed.size(); ++body) {
    if (changed[body] == 0) continue;
    const BodyInertia now = body_inertia(dynamics.tree(), body);
    dynamics.set_body_inertia(body, previous[body]);
    previous[body] = now;
  }
}

}  // namespace dyn::live
