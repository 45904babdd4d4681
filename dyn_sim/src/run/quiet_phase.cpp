// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "quiet_phase.hpp"

#include <algorithm>

namespace dyn::sim {
namespace {

size_t bin_of(std::int64_t time_ns, std::int64_t period_ns) {
  return static_cast<size_t>((time_ns % period_ns) * phase_bins / period_ns);
}

}  // namespace

PhaseLoad watch_phases(std::int64_t period_ns, std::int64_t duration_ns, const std::function<std::int64_t()>& now_ns) {
  constexpr std::int64_t gap_ns = 2000;
  PhaseLoad load{};
  const std::int64_t end = now_ns() + duration_ns;
  for (std::int64_t last = now_ns(); last < end;) {
    const std::int64_t now = now_ns();
    const std::int64_t step_ns = std::max<std::int64_t>(1, period_ns / phase_bins);
    for (std::int64_t t = last; now - last > gap_ns && t < std::min(now, last + period_ns); t += step_ns) {
      load[bin_of(t, period_ns)] += std::min(step_ns, now - t);
    }
    last = now;
  }
  return load;
}

std::int64_t quietest_phase(const PhaseLoad& load, std::int64_t period_ns, std::int64_t before_ns,
                            std::int64_t after_ns) {
  const auto bins_of = [&](std::int64_t ns) { return static_cast<int>((ns * phase_bins + period_ns - 1) / period_ns); };
  const int before = bins_of(before_ns), after = bins_of(after_ns);
  const auto at = [&](int bin) { return load[(bin % phase_bins + phase_bins) % phase_bins]; };
  int best = 0;
  std::int64_t best_cost = -1;
  for (int bin = 0; bin < phase_bins; ++bin) {
    std::int64_t cost = 0;
    for (int k = -phase_bins / 2; k < phase_bins / 2; ++k) {  // full weight in the window, less with the distance to it
      const int beyond = k < -before ? -before - k : std::max(0, k - after);
      cost += at(bin + k) * (beyond == 0 ? 10 * phase_bins : std::max(0, phase_bins / 2 - beyond));
    }
    if (best_cost < 0 || cost < best_cost) {
      best = bin;
      best_cost = cost;
    }
  }
  return best * period_ns / phase_bins + period_ns / (2 * phase_bins);
}

}  // namespace dyn::sim
