// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Precision of the model-based laws on a plant equal to the model: the sampled loop of `dyn run` at several rates, a
// payload attached in motion, and the laws evaluated inside the integrator. `dyn precision` prints the tables, the
// tests check the figures.
#pragma once

#include "dyn_sim/run/config.hpp"

namespace dyn::sim {

struct Tracking {
  double rms = 0.0, max = 0.0;  // rad or m, all coordinates, reference minus state at the beginning of each cycle
};

// Five quintic moves of arm7 at 80 % of the velocity limits, computed torque with p = 400, d = 40; the native plant
// is the model, without friction and limits.
[[nodiscard]] RunConfig arm7_moves(double rate_hz, double prediction);

// The same at 1 kHz, with 3 kg attached to the flange in motion (at 3 s, during the third move).
enum class Belief : std::uint8_t {
  from_the_start,   // plant and model have it all the time
  same_cycle,       // the model has it from the same cycle on as the plant
  one_cycle_late,   // one period later
  ramped,           // from the same cycle on, over 0.1 s
  late_and_ramped,  // both
  never
};
inline constexpr double payload_at_s = 3.0;
[[nodiscard]] RunConfig arm7_with_payload(Belief belief);

// Runs it without a clock; cycles from `from_s` on count.
[[nodiscard]] Tracking track(const RunConfig& run, double from_s = 0.0);

// The law evaluated at every stage of the integrator, with steps that adapt to `tolerance`; errors every millisecond.
[[nodiscard]] Tracking track_continuously(const ArmConfig& arm, double duration_s, double tolerance);

// Paper 004 (Truc, Quyen and Quang): three-link arm, feedforward (eq 72) alone along eq 73.
[[nodiscard]] ArmConfig paper_004_feedforward();

}  // namespace dyn::sim
