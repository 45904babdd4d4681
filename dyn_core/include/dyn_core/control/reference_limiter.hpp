// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Keeps references within the limits of their joints: within the position limits with enough distance to stop before
// them, within the velocity limit, within an acceleration. A reference within them passes unchanged, to the bit. Any
// other is approached on a trajectory of the limiter's own: it accelerates with A, then brakes so that at the end of
// every period T the remaining distance is just enough to stop. With e the distance to the reference and v0 the
// velocity, both relative to it, the velocity at the end of the period is
//   v = -A T/2 + sqrt((A T/2)^2 + 2 A (e - v0 T/2)).
// Once reached, the reference passes again. Runs on the loop's thread, one object a joint.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "dyn_core/control/prediction.hpp"

namespace dyn::control {

enum class ReferenceLimit : std::uint8_t { none, position, velocity, acceleration };

// Where a reference began not to be followed as given, the last time that this happened.
struct ReferenceCut {
  std::uint32_t count = 0;  // how often this happened since activation
  int coordinate = -1;      // the first one that was limited then
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
  double braking = 0.0;       // at least `acceleration`: used where the remaining distance is too short for that
  double passing = 0.0;       // the largest acceleration of a reference that passes
  double stop_at_lower = 0.0, stop_at_upper = 0.0;  // decelerations with which a reference must be able to stop

  // Whether a reference within these limits can get from `from` to `to` in the time `ahead_s`.
  [[nodiscard]] DYN_REALTIME bool connected(const Point& from, const Point& to, bool wraps, double ahead_s,
                                            double period_s) const noexcept;
  [[nodiscard]] DYN_REALTIME ReferenceCut cut(ReferenceLimit by, const Point& given, std::uint32_t count,
                                              int coordinate) const noexcept;
};

// The velocity at the end of a period, begun with v0, from which the deceleration just stops within the distance `way`:
// the equation above.
[[nodiscard]] DYN_REALTIME double approach_velocity(double way, double v0, double acceleration,
                                                    double period_s) noexcept;

class JointLimiter {
 public:
  // Starts at the measured state in this period.
  DYN_REALTIME void reset(double q, double v) noexcept;
  // The same without a jump: starts at the current reference, with the velocity v, and shifts it by at most 2 mrad (mm)
  // a period to the measured position.
  DYN_REALTIME void restart(double q, double v, bool wraps) noexcept;
  // The next period: now() is its reference, as given or as near as the limits allow. `wraps`: q and q + 2 pi are the
  // same place. All numbers must be finite.
  DYN_REALTIME ReferenceLimit follow(const Point& given, bool wraps, const MotionLimits& limits,
                                     double period_s) noexcept;
  // The next period without a reference: brakes to rest and stays there.
  DYN_REALTIME void stop(const MotionLimits& limits, double period_s) noexcept;
  // a: from now to the end of the period.
  [[nodiscard]] const Point& now() const noexcept { return now_; }
  [[nodiscard]] bool limited() const noexcept { return limited_; }

 private:
  struct Budgets {  // how much passing references have used of the tolerance for an unsteady clock; it decays with time
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
  double to_measured_ = 0.0;  // remaining distance to the measured position after restart()
  bool planned_ = false;
  bool limited_ = false;
};

}  // namespace dyn::control
