// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The intended motion of a frame, and the wrench that it is to exert: what the law task_space follows.
#pragma once

#include <vector>

#include "dyn_core/control/task_space.hpp"

namespace dyn::sim {

struct PoseGoal {
  double time_s = 0.0;  // of arrival
  Vec3d p_m = Vec3d::Zero();
  Mat3d R = Mat3d::Identity();
  control::Vec6d wrench = control::Vec6d::Zero();  // N and N m, on the environment, base axes
};

// From goal to goal, at rest in each: position, rotation about a fixed axis the short way round, and wrench change by
// the same quintic.
class PoseTrajectory {
 public:
  // Throws ModelError unless the times ascend, by at least 1 ms.
  explicit PoseTrajectory(std::vector<PoseGoal> goals);

  // Before the first and after the last goal: at rest there.
  [[nodiscard]] DYN_REALTIME control::TaskReference sample(double time_s) const noexcept;

 private:
  std::vector<PoseGoal> goals_;
  std::vector<Vec3d> turns_;  // rotation vectors from each goal to the next, base axes, rad
};

}  // namespace dyn::sim
