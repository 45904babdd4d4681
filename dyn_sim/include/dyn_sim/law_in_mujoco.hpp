// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A control law inside another project's simulator: MuJoCo calls it at every stage of its own Runge-Kutta integrator
// (its control callback), so that no torque is held for a step.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn::sim {

// tau at time t and state (q, v).
using TorqueLaw =
    std::function<void(double t_s, std::span<const double> q, std::span<const double> v, std::span<double> tau)>;

struct MujocoRow {
  double t_s = 0.0;
  std::vector<double> q;
};

// From rest at q = 0, in steps of step_s; a row every `steps_a_row` steps. No friction, limits or armature. Only one at
// a time in a process, since the callback is global. Throws ModelError if MuJoCo is missing (mujoco_missing()), and
// passes on exceptions of the law.
[[nodiscard]] std::vector<MujocoRow> simulate_in_mujoco(const Model& model, const TorqueLaw& law, double step_s,
                                                        int steps, int steps_a_row);

}  // namespace dyn::sim
