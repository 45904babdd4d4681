// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What an arm commands: efforts, and to drives that close a loop of their own the reference that they follow.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dyn_controllers/arm.hpp"
#include "dyn_controllers/handles.hpp"

namespace dyn_controllers {

// A joint that the model does not have is where it is.
void Arm::take_followed() noexcept {
  const dyn::control::FollowedReference reference = controller_->reference();
  if (controller_->has_entries()) {
    std::copy_n(q_.begin(), states(), followed_q_.begin());
    for (auto* x : {&followed_v_, &followed_a_}) std::fill(x->begin(), x->end(), 0.0);
  }
  for (size_t i = 0; i < reference.q.size(); ++i) {
    const size_t entry = controller_->entry_of(i);
    followed_q_[entry] = reference.q[i];
    followed_v_[entry] = reference.v[i];
    followed_a_[entry] = reference.a[i];
  }
}

// Where the state is lost the reference stands still, and a drive would go on with the last velocity: what it follows
// is braked to rest from the first such cycle on, with the acceleration limit of the joint, or where it has none within
// 0.1 s, or as fast as it is braking already:
//   v' = v -/+ a T,  q' = q + (v + v') T/2
void Arm::brake_reference() noexcept {
  constexpr double within_s = 0.1;
  for (const size_t i : controlled_) {
    const double v = followed_v_[i];
    if (!state_is_lost_) {
      const double now = v * followed_a_[i] < 0.0 ? std::abs(followed_a_[i]) : 0.0;
      const double limit = given_acceleration_limit_[i];
      braking_[i] = limit > 0.0 ? limit : std::max(std::abs(v) / within_s, now);
    }
    const double most = braking_[i] * period_s_;
    const double next = v - std::clamp(v, -most, most);
    followed_q_[i] += 0.5 * (v + next) * period_s_;
    followed_v_[i] = next;
    followed_a_[i] = (next - v) / period_s_;
  }
}

double Arm::command(Command what, size_t coordinate) const noexcept {
  switch (what) {
    case Command::position: return followed_q_[coordinate];
    case Command::velocity: return followed_v_[coordinate];
    case Command::effort: return effort_[coordinate];
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void Arm::write(std::vector<hardware_interface::LoanedCommandInterface>& interfaces) noexcept {
  size_t next = 0;
  for (const Command what : commands_) {
    for (const size_t i : controlled_) put(interfaces[next++], command(what, i));
  }
}

// A state that is lost does not say where the arm is, also where it is finite: it may be frozen. Then its drives stay
// where they were braked to.
void Arm::write_rest(std::vector<hardware_interface::LoanedCommandInterface>& interfaces) noexcept {
  if (!stepped_) return;  // gravity is not known yet; the interfaces still hold the previous controller's commands
  const bool holds_gravity = holds_gravity_.load(std::memory_order_relaxed);
  for (const size_t i : controlled_) {
    if (!state_is_lost_ && std::isfinite(q_[i])) followed_q_[i] = q_[i];
    followed_v_[i] = 0.0;
    const double gravity = holds_gravity ? terms().gravity[i] : 0.0;
    const double limit = coordinate_of(i) < 0 ? 0.0 : controller_->effort_bound(coordinate_of(i));
    effort_[i] = std::isfinite(gravity) ? std::clamp(gravity, -limit, limit) : 0.0;
  }
  write(interfaces);
}

}  // namespace dyn_controllers
