// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
// Runs on the loop's thread.
#include "dyn_core/live/generation.hpp"

namespace dyn::live {

void Generation::begin_cycle() noexcept {
  momentum_gone = false;
  if (changed_count == 0) return;
  for (auto& flag : changed) flag = 0;
  changed_count = 0;
}

void Generation::change(std::size_t body, const BodyInertia& before) noexcept {
  if (changed[body] != 0) return;
  changed[body] = 1;
  previous[body] = before;
  ++changed_count;
}

void Origin::add(std::uint64_t generation, double weight) noexcept {
  if (count < 0) return;
  for (int k = 0; k < count; ++k) {
    Share& share = shares[static_cast<std::size_t>(k)];
    if (share.generation != generation) continue;
    share.weight += weight;
    return;
  }
  if (count == most_shares) {
    count = -1;
  } else {
    shares[static_cast<std::size_t>(count++)] = {generation, weight};
  }
}

// Of what the body feels in this cycle.
Origin Generation::origin_of(std::size_t body) const noexcept {
  Origin origin;
  const Ramp& ramp = ramps[body];
  const double s = ramp.active ? ramp.progress() : 1.0;
  origin.add(id, s);
  if (!ramp.active) return origin;
  for (int k = 0; k < ramp.origin.count; ++k) {
    const Origin::Share& share = ramp.origin.shares[static_cast<std::size_t>(k)];
    origin.add(share.generation, (1.0 - s) * share.weight);
  }
  if (ramp.origin.count < 0) origin.count = -1;
  return origin;
}

void Generation::take_over(const Generation& before) noexcept {
  momentum_gone = geometry != before.geometry;
  for (const Transition& old : before.transitions) {
    const auto key = static_cast<std::size_t>(old.key);
    momentum_gone = momentum_gone || key >= body_of_key.size() || body_of_key[key] < 0;
  }
  for (std::size_t i = 0; i < transitions.size(); ++i) {
    const Transition& now = transitions[i];
    const auto key = static_cast<std::size_t>(now.key);
    const int old_body = key < before.body_of_key.size() ? before.body_of_key[key] : -1;
    if (old_body < 0) {  // a new body is there at once: its joint brings its own state
      change(i, BodyInertia{});
      continue;
    }
    const auto old = static_cast<std::size_t>(old_body);
    const BodyInertia felt = body_inertia(before.dynamics.tree(), old_body);
    if (now.version == before.transitions[old].version) {
      ramps[i] = before.ramps[old];
    } else {
      change(i, felt);
      if (now.duration_s > 0.0) ramps[i] = Ramp{true, 0.0, now.duration_s, felt, before.origin_of(old)};
    }
    if (!ramps[i].active) continue;
    ++active_ramps;
    dynamics.set_body_inertia(static_cast<int>(i), felt);
  }
}

void Generation::advance(double period_s) noexcept {
  if (active_ramps == 0) return;
  for (std::size_t i = 0; i < ramps.size(); ++i) {
    Ramp& ramp = ramps[i];
    if (!ramp.active) continue;
    ramp.elapsed_s += period_s;
    change(i, body_inertia(dynamics.tree(), static_cast<int>(i)));
    const BodyInertia target = body_inertia(model->tree(), static_cast<int>(i));
    if (ramp.elapsed_s >= ramp.duration_s) {
      ramp.active = false;
      --active_ramps;
      dynamics.set_body_inertia(static_cast<int>(i), target);  // the target's own bits
    } else {
      dynamics.set_body_inertia(static_cast<int>(i), blend(ramp.from, target, ramp.progress()));
    }
  }
}

void Generation::swap_previous_inertias() noexcept {
  for (std::size_t i = 0; i < changed.size(); ++i) {
    if (changed[i] == 0) continue;
    const BodyInertia now = body_inertia(dynamics.tree(), static_cast<int>(i));
    dynamics.set_body_inertia(static_cast<int>(i), previous[i]);
    previous[i] = now;
  }
}

}  // namespace dyn::live
