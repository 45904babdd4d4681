// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/reference_limiter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dyn_core/precondition.hpp"

namespace dyn::control {
namespace {

constexpr double far_away = 1e9;        // rad or m, and their rates: beyond any joint, and nothing overflows
constexpr double most_turns_rad = 1e6;  // of a continuous joint; a larger angle has too few digits
constexpr double rounding = 1e-9;       // relative, and of positions in rad or m
constexpr double cruising = 0.95;       // of the velocity limit: the arm itself is to stay below it
constexpr double most_leap = 4e-3;      // rad or m by which a reference may be ahead or behind due to a late clock
constexpr double nearer = 2e-3;         // rad or m a period, towards the measured position
constexpr double unsteady = 0.25;       // of a period, by which a clock may always be off

double gap(double to, double from, bool wraps) noexcept {
  return wraps ? std::remainder(to - from, 2.0 * std::numbers::pi) : to - from;
}

double towards(double limit) noexcept { return rounding * std::max(1.0, std::abs(limit)); }

// approach_velocity() to a position limit that is `room` away: at least 0, so that it never turns back.
double before_wall(double room, double v0, const MotionLimits& limits, double period_s) noexcept {
  return std::max(0.0, approach_velocity(room, v0, limits.acceleration, period_s));
}

// The velocity v towards a position limit that is `room` away, reduced where only more than limits.braking stops there:
// then with the constant deceleration v0^2 / (2 room).
double braked(double v, double v0, double room, const MotionLimits& limits, double period_s) noexcept {
  if (v0 <= 0.0 || room <= 0.0) return v;
  const double needed = 0.5 * v0 * v0 / room;
  return needed > limits.braking ? std::min(v, std::max(0.0, v0 - needed * period_s)) : v;
}

Point within_reach(const Point& given, bool wraps) noexcept {
  const auto bounded = [](double x) { return std::clamp(x, -far_away, far_away); };
  const bool lost = wraps && std::abs(given.q) > most_turns_rad;
  return {lost ? gap(given.q, 0.0, true) : bounded(given.q), bounded(given.v), bounded(given.a)};
}

// The reference at the end of the period, clamped to the limits of the joint.
Point target_of(Point given, bool moves, const MotionLimits& limits, double period_s) noexcept {
  if (!moves) given.v = given.a = 0.0;
  given.a = std::clamp(given.a, -limits.acceleration, limits.acceleration);
  Point target = given.after(period_s);
  const double q = std::clamp(target.q, limits.lower, limits.upper);
  if (q != target.q) return {q, 0.0, 0.0};
  const double highest = std::min(limits.velocity, std::sqrt(2.0 * limits.acceleration * (limits.upper - q)));
  const double lowest = std::max(-limits.velocity, -std::sqrt(2.0 * limits.acceleration * (q - limits.lower)));
  return {q, std::clamp(target.v, lowest, highest), target.a};
}

}  // namespace

double approach_velocity(double way, double v0, double acceleration, double period_s) noexcept {
  const double left = way - 0.5 * v0 * period_s;
  const double half = 0.5 * acceleration * period_s;
  return std::copysign(std::sqrt(half * half + 2.0 * acceleration * std::abs(left)) - half, left);
}

std::string describe(const ReferenceCut& cut, const std::string& joint) {
  const auto number = [](double x) {
    std::string text = std::to_string(x);
    return text.size() > 20 ? (x < 0.0 ? "less than -1e9" : "more than 1e9") : text;
  };
  const std::string of = "the reference of joint '" + joint + "' ";
  switch (cut.limit) {
    case ReferenceLimit::none: return {};
    case ReferenceLimit::position:
      return of + "(" + number(cut.given) + ") does not stop before the position limit " + number(cut.limit_value) +
             ": it is held there";
    case ReferenceLimit::velocity:
      return of + "moves at " + number(cut.given) + ", beyond the velocity limit " + number(cut.limit_value) +
             ": it is followed within that";
    case ReferenceLimit::acceleration:
      return of + "jumps, or accelerates too fast: it is followed with at most " + number(cut.limit_value) +
             " per second squared";
  }
  return {};
}

bool MotionLimits::connected(const Point& from, const Point& to, bool wraps, double ahead_s,
                             double period_s) const noexcept {
  const double gained = passing * (ahead_s + period_s);
  const double speed = std::max(std::abs(from.v), std::abs(to.v));
  const double leapt = std::abs(gap(to.q, from.q, wraps) - 0.5 * (from.v + to.v) * ahead_s);
  return std::abs(to.a) <= passing * (1.0 + rounding) && std::abs(to.v - from.v) <= gained &&
         speed <= velocity + gained && leapt <= (speed + gained) * period_s;
}

ReferenceCut MotionLimits::cut(ReferenceLimit by, const Point& given, std::uint32_t count,
                               int coordinate) const noexcept {
  switch (by) {
    case ReferenceLimit::position: {
      const bool up = given.q > upper || (given.q >= lower && given.v > 0.0);
      return {count, coordinate, by, given.q, up ? upper : lower};
    }
    case ReferenceLimit::velocity: return {count, coordinate, by, given.v, velocity};
    default: return {count, coordinate, by, given.q, acceleration};
  }
}

void JointLimiter::reset(double q, double v) noexcept {
  now_ = next_ = last_given_ = {q, v, 0.0};
  budgets_ = {};
  to_measured_ = 0.0;
  planned_ = true;
  limited_ = false;
}

void JointLimiter::restart(double q, double v, bool wraps) noexcept {
  const double way = gap(q, now_.q, wraps);
  reset(q - way, v);
  to_measured_ = way;
  come_nearer();
}

// Shifts position and plan by the same step towards the measured position.
void JointLimiter::come_nearer() noexcept {
  const double step = std::clamp(to_measured_, -nearer, nearer);
  to_measured_ -= step;
  next_.q += step;
  now_.q += step;
}

ReferenceLimit JointLimiter::follow(const Point& given, bool wraps, const MotionLimits& limits,
                                    double period_s) noexcept {
  DYN_EXPECTS(limits.acceleration > 0.0 && limits.braking >= limits.acceleration && period_s > 0.0);
  const Point asked = within_reach(given, wraps);
  const bool lost = asked.q != given.q;
  Budgets budgets = budgets_;
  const double step = gap(asked.q, now_.q, wraps);
  const bool restarts = to_measured_ != 0.0;
  const ReferenceLimit limit = lost       ? ReferenceLimit::position
                               : restarts ? ReferenceLimit::acceleration
                                          : judge(asked, step, limits, period_s, budgets);
  const bool moves = !lost && steady(asked, wraps, limits, period_s);
  last_given_ = asked;
  limited_ = limit != ReferenceLimit::none;
  if (!limited_) {
    now_ = asked;
    planned_ = false;
    budgets_ = budgets;
    return limit;
  }
  const double before = now_.q;
  begin_period(limits, period_s);
  budgets_.way = std::max(0.0, budgets_.way + std::abs(now_.q - before) - limits.velocity * period_s);
  budgets_.step = budgets_.leap = MotionLimits::none;
  const Point target = target_of(asked, moves, limits, period_s);
  plan_towards(target, gap(target.q, now_.q + to_measured_, wraps), limits, period_s);
  return limit;
}

void JointLimiter::stop(const MotionLimits& limits, double period_s) noexcept {
  DYN_EXPECTS(limits.acceleration > 0.0 && limits.braking >= limits.acceleration && period_s > 0.0);
  begin_period(limits, period_s);
  limited_ = true;
  const double most = limits.acceleration * period_s;
  plan(now_.v - std::clamp(now_.v, -most, most), limits, period_s);
}

// The first limit that the reference breaks. A trajectory within the limits breaks none; the budgets are tolerances for
// clocks: a controller above samples its trajectory at times that are not quite a period apart, or misses one. There
// are none while the limiter is catching up.
ReferenceLimit JointLimiter::judge(const Point& given, double step, const MotionLimits& limits, double period_s,
                                   Budgets& budgets) const noexcept {
  if (given.q > limits.upper + towards(limits.upper) || given.q < limits.lower - towards(limits.lower)) {
    return ReferenceLimit::position;
  }
  const double room = given.v > 0.0 ? limits.upper - given.q : given.q - limits.lower;
  const double own = given.v * given.a < 0.0 ? std::min(std::abs(given.a), limits.passing) : 0.0;
  const double stop = std::max(own, given.v > 0.0 ? limits.stop_at_upper : limits.stop_at_lower);
  if (given.v * given.v > 2.0 * stop * (std::max(0.0, room) + rounding)) return ReferenceLimit::position;

  if (std::abs(given.v) > limits.velocity * (1.0 + rounding)) return ReferenceLimit::velocity;

  const double gained = limits.passing * period_s;  // velocity, in a period
  budgets.step = std::max(0.0, std::min(budgets.step, gained) + std::abs(given.v - now_.v) - gained);
  const double speed = std::max(std::abs(now_.v), std::abs(given.v));
  const double leapt = std::abs(step - 0.5 * (now_.v + given.v) * period_s);
  const double most = std::min(most_leap, 2.0 * limits.velocity * period_s);
  budgets.leap = std::max(0.0, std::min(budgets.leap, most) + leapt - unsteady * (speed + gained) * period_s);
  const bool jumps = budgets.step > gained * (1.0 + rounding) || budgets.leap > most * (1.0 + rounding);
  if (jumps || std::abs(given.a) > limits.passing * (1.0 + rounding)) return ReferenceLimit::acceleration;

  budgets.way = std::max(0.0, budgets.way + std::abs(step) - limits.velocity * period_s);
  return budgets.way > 2.0 * limits.velocity * period_s * (1.0 + rounding) ? ReferenceLimit::velocity
                                                                           : ReferenceLimit::none;
}

// Do the reference's positions move as its velocities say? If not, its velocity is taken as 0.
bool JointLimiter::steady(const Point& given, bool wraps, const MotionLimits& limits, double period_s) const noexcept {
  const double moved = gap(given.q, last_given_.q, wraps);
  const double said = 0.5 * (given.v + last_given_.v) * period_s;
  const double speed = std::max(std::abs(given.v), std::abs(last_given_.v));
  return std::abs(moved - said) <= (0.5 * speed + limits.passing * period_s) * period_s;
}

// Where there is no plan, the last reference that passed is extrapolated by a period.
void JointLimiter::begin_period(const MotionLimits& limits, double period_s) noexcept {
  if (!planned_) {
    next_ = now_.after(period_s);
    next_.q = std::clamp(next_.q, std::min(now_.q, limits.lower), std::max(now_.q, limits.upper));
  }
  now_ = next_;
  planned_ = true;
  come_nearer();
}

void JointLimiter::plan_towards(const Point& target, double way, const MotionLimits& limits, double period_s) noexcept {
  const double v0 = now_.v - target.v;
  const double left = way - target.v * period_s;  // to where the target is now
  const double gained = limits.acceleration * period_s;
  if (std::abs(v0) <= gained && std::abs(left - 0.5 * v0 * period_s) <= unsteady * gained * period_s) {
    next_ = {now_.q + way, target.v, 0.0};
    now_.a = -v0 / period_s;
    return;
  }
  const double relative = std::max(limits.acceleration - std::abs(target.a), 0.25 * limits.acceleration);
  const double fastest = std::max(cruising * limits.velocity, std::abs(target.v));
  const double wanted = std::clamp(target.v + approach_velocity(left, v0, relative, period_s), -fastest, fastest);
  const double v = std::clamp(wanted, -before_wall(now_.q - limits.lower, -now_.v, limits, period_s),
                              before_wall(limits.upper - now_.q, now_.v, limits, period_s));
  const double change = v - now_.v;
  const bool too_near = v != wanted || (v0 * left > 0.0 && change * v0 < 0.0);
  const double most = (too_near ? limits.braking : limits.acceleration) * period_s;
  plan(now_.v + std::clamp(change, -most, most), limits, period_s);
}

// Plans the velocity v at the end of the period, or a lower one where a position limit is too near for that.
void JointLimiter::plan(double v, const MotionLimits& limits, double period_s) noexcept {
  v = braked(v, now_.v, limits.upper - now_.q, limits, period_s);
  v = -braked(-v, -now_.v, now_.q - limits.lower, limits, period_s);
  double q = now_.q + 0.5 * (now_.v + v) * period_s;
  const double lowest = std::min(now_.q, limits.lower);
  const double highest = std::max(now_.q, limits.upper);
  if (now_.q <= limits.upper && q > highest) v = std::min(v, 0.0);
  if (now_.q >= limits.lower && q < lowest) v = std::max(v, 0.0);
  if (now_.q <= limits.upper) q = std::min(q, highest);
  if (now_.q >= limits.lower) q = std::max(q, lowest);
  now_.a = (v - now_.v) / period_s;
  next_ = {q, v, 0.0};
}

}  // namespace dyn::control
