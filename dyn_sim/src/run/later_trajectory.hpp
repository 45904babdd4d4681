// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Trajectories of a robot that takes the place of another one in a run.
#pragma once

#include <memory>
#include <vector>

#include "dyn_sim/trajectory.hpp"

namespace dyn::sim {

// Begins at a time of the run.
std::shared_ptr<const Trajectory> make_later(std::shared_ptr<const Trajectory> trajectory, double begin_s);
// Coordinate i moves as coordinate from[i] of a trajectory of `coordinates` does, or stands at 0 where that is -1.
// Takes memory of its own for a sample: of one thread alone.
std::shared_ptr<const Trajectory> make_carried(std::shared_ptr<const Trajectory> trajectory, int coordinates,
                                               std::vector<int> from);

}  // namespace dyn::sim
