// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/pose_trajectory.hpp"

#include <algorithm>
#include <string>

#include "dyn_core/error.hpp"
#include "progress.hpp"

namespace dyn::sim {

PoseTrajectory::PoseTrajectory(std::vector<PoseGoal> goals) : goals_(std::move(goals)) {
  constexpr double shortest_move_s = 1e-3;
  if (goals_.empty()) throw ModelError("there are no poses");
  for (size_t k = 1; k < goals_.size(); ++k) {
    if (!(goals_[k].time_s >= goals_[k - 1].time_s + shortest_move_s)) {
      throw ModelError("the pose at " + std::to_string(goals_[k].time_s) +
                       " s is not at least 1 ms after the one before, at " + std::to_string(goals_[k - 1].time_s) +
                       " s");
    }
    const Eigen::AngleAxisd turn(goals_[k].R * goals_[k - 1].R.transpose());
    turns_.emplace_back(turn.angle() * turn.axis());
  }
}

control::TaskReference PoseTrajectory::sample(double time_s) const noexcept {
  size_t k = 0;
  while (k + 1 < turns_.size() && time_s >= goals_[k + 1].time_s) ++k;
  const PoseGoal& from = goals_[k];
  control::TaskReference reference;
  reference.given = true;
  reference.point.p_m = from.p_m;
  reference.point.R = from.R;
  reference.wrench = from.wrench;
  if (turns_.empty()) return reference;
  const PoseGoal& to = goals_[k + 1];
  const double duration_s = to.time_s - from.time_s, x = std::clamp((time_s - from.time_s) / duration_s, 0.0, 1.0);
  const Progress progress = quintic(x, duration_s);
  const Vec3d way = to.p_m - from.p_m, &turn = turns_[k];
  const double angle = turn.norm();
  reference.point.p_m += progress.s * way;
  if (angle > 0.0) reference.point.R = Eigen::AngleAxisd(progress.s * angle, turn / angle) * from.R;
  reference.point.twist << progress.rate * way, progress.rate * turn;
  reference.point.acceleration << progress.acceleration * way, progress.acceleration * turn;
  reference.wrench += progress.s * (to.wrench - from.wrench);
  return reference;
}

}  // namespace dyn::sim
