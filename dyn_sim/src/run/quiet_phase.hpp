// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Where in its period a loop is disturbed least. The kernel's tick, and on virtual machines the host's, take a
// processor away for some microseconds at regular times. A loop whose period is a multiple of theirs meets them at the
// same place in every period: in the middle of its work, or while it sleeps, as its first beat will have it. The loop's
// thread, before it begins.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace dyn::sim {

inline constexpr int phase_bins = 50;
using PhaseLoad = std::array<std::int64_t, phase_bins>;  // ns that were taken away, by part of the period

// Watches the clock awake for `duration_ns` and adds up what was taken away in gaps of more than 2 us. `now_ns`: a
// clock.
PhaseLoad watch_phases(std::int64_t period_ns, std::int64_t duration_ns, const std::function<std::int64_t()>& now_ns);

// The time in the period, from its beginning, at which work should begin that is critical from `before_ns` before it to
// `after_ns` after it: where least is taken away from that window, and of such times the one farthest from what is.
std::int64_t quietest_phase(const PhaseLoad& load, std::int64_t period_ns, std::int64_t before_ns,
                            std::int64_t after_ns);

}  // namespace dyn::sim
