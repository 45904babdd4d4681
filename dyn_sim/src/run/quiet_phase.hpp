// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Finds the phase of its period at which a loop is disturbed least. The kernel's tick, and on virtual machines the
// host's, take CPU time for some microseconds at regular times. A loop whose period is a multiple of theirs meets them
// at the same phase of every period: during its work, or while it sleeps, depending on when its first cycle starts.
// Runs on the loop's thread, before the loop.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace dyn::sim {

inline constexpr int phase_bins = 50;
using PhaseLoad = std::array<std::int64_t, phase_bins>;  // ns of CPU time lost, by part of the period

// Reads the clock in a busy loop for `duration_ns` and adds up gaps of more than 2 us. `now_ns`:
// a clock.
PhaseLoad watch_phases(std::int64_t period_ns, std::int64_t duration_ns, const std::function<std::int64_t()>& now_ns);

// The phase at which to start work that is critical from `before_ns` before to `after_ns` after its start: where the
// least is lost in that window; among several such phases the one farthest from losses.
std::int64_t quietest_phase(const PhaseLoad& load, std::int64_t period_ns, std::int64_t before_ns,
                            std::int64_t after_ns);

}  // namespace dyn::sim
