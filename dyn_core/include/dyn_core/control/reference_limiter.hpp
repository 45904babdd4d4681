// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A reference is followed only where its joint may go: within the position limits and with a distance left to stop in,
// within the velocity limit, within an acceleration. What keeps to that passes as it is, to the bit. What does not is
// approached on a trajectory of the limiter's own: with the acceleration A, then braking so that what is left of the
// way is just enough for it at the end of every period T. With e the way to the reference and v0 the velocity, both
// relative to it, that is the velocity
//   v = -A T/2 + sqrt((A T/2)^2 + 2 A (e - v0 T/2))
// at the end of the period. Caught up with, the reference passes again. Runs on the loop's thread, a joint at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "dyn_core/control/prediction.hpp"

namespace dyn::control {

enum class ReferenceLimit : std::uint8_t { none, position, velocity, acceleration };

// A reference that was not followed as it was given: the newest time that this began.
struct ReferenceCut {
  std::uint32_t count = 0;  // how often it has begun since activation; 0: never
  int coordinate = -1;      // the first one that was cut then
  ReferenceLimit limit = ReferenceLimit::none;
  double given = 0.0;  // position, or velocity at the velocity limit
  double limit_value = 0.0;
};
// One sentence for a log. Not for the loop: it allocates.
[[nodiscard]] std::string describe(const ReferenceCut& cut, const std::string& joint);

// Of one joint, in this period. SI units of the joint.
struct MotionLimits {
  static constexpr double none = std::numeric_limits<double>::infinity();
  double lower = -none, upper = none;
  double velocity = none;
  double acceleration = 0.0;  // of the limiter's own trajectory; above 0
  double braking = 0.0;       // at least `acceleration`: where the way that is left has become too short for that
  double passing = 0.0;       // that a reference may have which passes
  double stop_at_lower = 0.0, stop_at_upper = 0.0;  // decelerations that a reference is trusted to stop with

  // Whether a reference that passes may be at `to` a time of `ahead_s` after it was at `from`.
  [[nodiscard]] DYN_REALTIME bool connected(const Point& from, const Point& to, bool wraps, double ahead_s,
                                            double period_s) const noexcept;
  [[nodiscard]] DYN_REALTIME ReferenceCut cut(ReferenceLimit by, const Point& given, std::uint32_t count,
                                              int coordinate) const noexcept;
};

// The velocity at the end of a period from which `way` can just be stopped in with a deceleration, after a period that
// begins with v0: the equation above.
[[nodiscard]] DYN_REALTIME double approach_velocity(double way, double v0, double acceleration,
                                                    double period_s) noexcept;

class JointLimiter {
 public:
  // From here on: the measured state, in this period.
  DYN_REALTIME void reset(double q, double v) noexcept;
  // The same without a leap: the measured position is come nearer by 2 mrad (mm) a period, beside the motion from
  // there.
  DYN_REALTIME void restart(double q, double v, bool wraps) noexcept;
  // One period on: now() is the reference for this one, as given or as near as it may come. `wraps`: q and q + 2 pi are
  // the same place. All finite.
  DYN_REALTIME ReferenceLimit follow(const Point& given, bool wraps, const MotionLimits& limits,
                                     double period_s) noexcept;
  // One period on, with nothing to follow: to rest, and then there.
  DYN_REALTIME void stop(const MotionLimits& limits, double period_s) noexcept;
  // a: from now to the end of the period.
  [[nodiscard]] const Point& now() const noexcept { return now_; }
  [[nodiscard]] bool limited() const noexcept { return limited_; }

 private:
  struct Budgets {  // what passing references have used of the tolerance for an unsteady clock; it comes back with time
    double way = 0.0, step = 0.0, leap = 0.0;
  };
  [[nodiscard]] ReferenceLimit judge(const Point& given, double step, const MotionLimits& limits, double period_s,
                                     Budgets& budgets) const noexcept;
  [[nodiscard]] bool steady(const Point& given, bool wraps, const MotionLimits& limits, double period_s) const noexcept;
  void come_nearer() noexcept;
  void begin_period(const MotionLimits& limits, double period_s) noexcept;
  void plan_towards(const Point& target, double way, const MotionLimits& limits, double period_s) noexcept;
  void plan(double v, const MotionLimits& limits, double period_s) noexcept;

  Point now_, next_;  // next: the plan for the end of this period
  Point last_given_;
  Budgets budgets_;
  double to_measured_ = 0.0;  // what restart() has left of the way to the measured position
  bool planned_ = false;
  bool limited_ = false;
};

}  // namespace dyn::control
