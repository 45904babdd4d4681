// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A fault of the sensors, played by `dyn run` and by the simulated arm of ros2_control: for a while the controller
// reads something else than the measured state.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace dyn::sim {

class Plant;

struct StateFault {
  // Of all joints positions are NaN, velocities infinite, or both frozen; or the first position has an offset.
  enum class Kind : std::uint8_t { none, nan, infinite, frozen, offset };
  Kind kind = Kind::none;
  double begin_s = 0.0, duration_s = 0.0;

  static constexpr double offset = 0.5;  // rad or m
};
inline constexpr std::array<std::pair<std::string_view, StateFault::Kind>, 4> state_fault_names{
    {{"nan", StateFault::Kind::nan},
     {"infinite", StateFault::Kind::infinite},
     {"frozen", StateFault::Kind::frozen},
     {"offset", StateFault::Kind::offset}}};

// Measures the plant's state, or what the fault makes of it at this time. Frozen: q and v keep what they had.
void measure(Plant& plant, const StateFault& fault, double time_s, std::span<double> q, std::span<double> v);

}  // namespace dyn::sim
