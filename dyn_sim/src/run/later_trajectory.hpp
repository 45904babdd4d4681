// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Trajectories of a robot that replaces another one during a run.
#pragma once

#include <memory>
#include <vector>

#include "dyn_sim/trajectory.hpp"

namespace dyn::sim {

// The trajectory begins at a given time of the run.
std::shared_ptr<const Trajectory> make_later(std::shared_ptr<const Trajectory> trajectory, double begin_s);
// Coordinate i moves like coordinate from[i] of a trajectory of `coordinates`, or is held at 0 if that is -1. Has its
// own memory for a sample, so it may be used by one thread only.
std::shared_ptr<const Trajectory> make_carried(std::shared_ptr<const Trajectory> trajectory, int coordinates,
                                               std::vector<int> from);

}  // namespace dyn::sim
