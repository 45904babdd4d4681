// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// How much of a log bodies explain that are possible, whatever the maker says of them: a fit of bodies, armature and
// friction, without offsets, to four blocks of the log, judged on the fifth, for each of them.
#pragma once

#include <memory>
#include <vector>

#include "dyn_core/model/model.hpp"
#include "dyn_sim/identify/motion.hpp"

namespace dyn::sim::identify {

struct Unexplained {
  std::vector<double> error, torque;  // by compared joint: sums of squares
  // Of the torque of some joints (places among the compared ones; none: all), norm over norm.
  [[nodiscard]] double relative(const std::vector<int>& joints = {}) const;
};

[[nodiscard]] Unexplained left_by_bodies(const std::shared_ptr<const Model>& model, const Motion& motion);

}  // namespace dyn::sim::identify
