// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/state_fault.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dyn_sim/plant.hpp"

namespace dyn::sim {

void measure(Plant& plant, const StateFault& fault, double time_s, std::span<double> q, std::span<double> v) {
  using Kind = StateFault::Kind;
  const bool faulty = time_s >= fault.begin_s && time_s < fault.begin_s + fault.duration_s;
  const Kind kind = faulty ? fault.kind : Kind::none;
  if (kind == Kind::frozen) return;
  plant.measure(q, v);
  if (kind == Kind::nan) std::fill(q.begin(), q.end(), std::nan(""));
  if (kind == Kind::infinite) std::fill(v.begin(), v.end(), std::numeric_limits<double>::infinity());
  if (kind == Kind::offset) q.front() += StateFault::offset;
}

}  // namespace dyn::sim
