// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The part of the Judge that compares a frame with its target, under the law task_space.
#pragma once

#include "dyn_core/realtime.hpp"
#include "dyn_sim/run/record.hpp"

namespace dyn::sim {

// Of one cycle; base axes.
struct FrameSight {
  double distance_m = 0.0, angle_rad = 0.0;  // of the frame from its target
  Vec3d target_m = Vec3d::Zero();
  bool touched = false;  // by a wall
};

class FrameJudge {
 public:
  explicit FrameJudge(const ArmConfig& config) : config_(config) {}

  // The loop, every cycle, in the order of time.
  DYN_REALTIME void note(double time_s, const FrameSight& seen) noexcept;
  // Adds to the record's `failures`.
  void tell(ArmRecord& record) const;

  // An impedance yields to walls and pushes, and is not judged meanwhile nor for so long afterwards.
  static constexpr double return_s = 1.0;
  static constexpr double least_motion_rms_m = 0.02;  // smaller motions and errors count as followed

 private:
  [[nodiscard]] bool yields(double time_s, bool touched) noexcept;
  void note_following(const FrameSight& seen) noexcept;

  const ArmConfig& config_;
  double distance_m_ = 0.0, distance_s_ = -1.0;  // largest, and when it was first too large
  double angle_rad_ = 0.0, angle_s_ = -1.0;
  double yields_until_s_ = -1.0;
  std::size_t next_event_ = 0;
  double error_squares_ = 0.0, way_squares_ = 0.0;
  Vec3d target_first_ = Vec3d::Zero(), way_sum_ = Vec3d::Zero();  // sum of target - first
  std::int64_t cycles_ = 0;
};

}  // namespace dyn::sim
