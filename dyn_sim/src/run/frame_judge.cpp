// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/run/frame_judge.hpp"

#include <algorithm>
#include <cmath>

#include "dyn_core/numeric/residual.hpp"
#include "dyn_sim/run/judge.hpp"
#include "judge_text.hpp"

namespace dyn::sim {

void FrameJudge::note(double time_s, const FrameSight& seen) noexcept {
  const Expectations& expect = config_.expect;
  const bool yielding = yields(time_s, seen.touched);
  if (!yielding || expect.tracking_max) {
    distance_m_ = larger_error(seen.distance_m, distance_m_);
    const bool near = seen.distance_m <= expect.tracking_max.value_or(expect.frame_error_m);
    if (!near && distance_s_ < 0.0) distance_s_ = time_s;
  }
  if (yielding) return;
  angle_rad_ = larger_error(seen.angle_rad, angle_rad_);
  if (!(seen.angle_rad <= expect.frame_angle_rad) && angle_s_ < 0.0) angle_s_ = time_s;
  note_following(seen);
}

bool FrameJudge::yields(double time_s, bool touched) noexcept {
  if (config_.controller.task.mode != control::TaskMode::impedance) return false;
  if (touched) yields_until_s_ = std::max(yields_until_s_, time_s + return_s);
  for (; next_event_ < config_.events.size() && config_.events[next_event_].time_s <= time_s; ++next_event_) {
    const Event& event = config_.events[next_event_];
    const auto* const push = std::get_if<PushEvent>(&event.what);
    if (push == nullptr) continue;
    yields_until_s_ = std::max(yields_until_s_, event.time_s + push->duration_s + return_s);
  }
  return time_s < yields_until_s_;
}

void FrameJudge::note_following(const FrameSight& seen) noexcept {
  if (cycles_ == 0) target_first_ = seen.target_m;
  const Vec3d way = seen.target_m - target_first_;
  error_squares_ += seen.distance_m * seen.distance_m;
  way_sum_ += way;
  way_squares_ += way.squaredNorm();
  ++cycles_;
}

void FrameJudge::tell(ArmRecord& record) const {
  const Expectations& expect = config_.expect;
  if (distance_s_ >= 0.0) {
    add_failure(record, distance_s_,
                joined("the frame was up to ", distance_m_, " m away from its target, more than ",
                       expect.tracking_max.value_or(expect.frame_error_m)));
  }
  if (angle_s_ >= 0.0) {
    add_failure(record, angle_s_,
                joined("the frame was turned by up to ", angle_rad_, " rad from its target, more than ",
                       expect.frame_angle_rad));
  }
  if (cycles_ == 0 || expect.tracking_rms) return;
  const auto n = static_cast<double>(cycles_);
  const double error = std::sqrt(error_squares_ / n);
  const double motion = std::sqrt(std::max(0.0, way_squares_ / n - (way_sum_ / n).squaredNorm()));
  if (motion > least_motion_rms_m && error > std::max(least_motion_rms_m, largest_lost_share * motion)) {
    add_failure(record, 0.0,
                joined("the frame did not follow: the rms of its distance from the target, ", error,
                       " m, is more than a third of that of the target's motion, ", motion));
  }
}

}  // namespace dyn::sim
