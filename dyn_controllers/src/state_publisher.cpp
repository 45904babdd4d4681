// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/state_publisher.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "dyn_controllers/algorithm_names.hpp"

namespace dyn_controllers {
namespace {

using dyn_msgs::msg::ControllerState;

CycleSample first_sample(const Arm& arm) {
  CycleSample sample;
  sample.q = sample.v = sample.reference_q = sample.reference_v = sample.reference_a = arm.q();
  sample.terms = arm.terms();
  return sample;
}

std::uint8_t mode_of(dyn::control::CycleReport::Mode mode) {
  using Mode = dyn::control::CycleReport::Mode;
  switch (mode) {
    case Mode::tracking: return ControllerState::TRACKING;
    case Mode::holding_reference: return ControllerState::HOLDING_REFERENCE;
    case Mode::holding_torque: return ControllerState::HOLDING_TORQUE;
    case Mode::safe_torque: return ControllerState::SAFE_TORQUE;
    case Mode::failed: return ControllerState::FAILED;
  }
  return ControllerState::FAILED;
}

}  // namespace

StatePublisher::StatePublisher(rclcpp_lifecycle::LifecycleNode& node, const Arm& arm, double rate_hz, double period_s)
    : every_(rate_hz > 0.0 ? std::max(1L, std::lround(1.0 / (rate_hz * period_s))) : 0), samples_(first_sample(arm)) {
  if (every_ == 0) return;
  message_.joint_names = arm.all_coordinate_names();
  publisher_ = rclcpp::create_publisher<ControllerState>(node, "~/controller_state", rclcpp::SystemDefaultsQoS());
  // Not by the node's clock: a paused simulation leaves no samples anyway.
  timer_ = node.create_wall_timer(std::chrono::duration<double>(0.5 / rate_hz), gate_.guard([this] { publish(); }));
}

void StatePublisher::sample(const rclcpp::Time& time, const Arm& arm,
                            const dyn::control::CycleReport& report) noexcept {
  if (every_ == 0) return;
  cycle_ = (cycle_ + 1) % every_;
  if (cycle_ != 0) return;
  CycleSample& sample = samples_.back();
  sample.stamp_ns = time.nanoseconds();
  sample.q = arm.q();  // all vectors have their final size: nothing is allocated
  sample.v = arm.v();
  const dyn::control::FollowedReference reference = arm.followed();
  std::copy(reference.q.begin(), reference.q.end(), sample.reference_q.begin());
  std::copy(reference.v.begin(), reference.v.end(), sample.reference_v.begin());
  std::copy(reference.a.begin(), reference.a.end(), sample.reference_a.begin());
  sample.delay = arm.observation().delay();
  sample.terms = arm.terms();
  sample.report = report;
  samples_.publish();
}

void StatePublisher::publish() {
  if (!samples_.take()) return;
  const CycleSample& sample = samples_.front();
  const size_t n = message_.joint_names.size();
  const auto put = [n](const std::vector<double>& from, std::vector<double>& to) {
    to.assign(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(n));
  };
  message_.header.stamp = rclcpp::Time(sample.stamp_ns);
  put(sample.q, message_.position);
  put(sample.v, message_.velocity);
  put(sample.reference_q, message_.reference_position);
  put(sample.reference_v, message_.reference_velocity);
  put(sample.reference_a, message_.reference_acceleration);
  put(sample.terms.position_error, message_.position_error);
  put(sample.terms.velocity_error, message_.velocity_error);
  put(sample.terms.inertia, message_.effort_inertia);
  put(sample.terms.coriolis, message_.effort_coriolis);
  put(sample.terms.gravity, message_.effort_gravity);
  put(sample.terms.friction, message_.effort_friction);
  put(sample.terms.feedback, message_.effort_feedback);
  put(sample.terms.demanded, message_.effort_demanded);
  put(sample.terms.applied, message_.effort_applied);
  put(sample.terms.external, message_.effort_external);
  const bool known = sample.delay.known;
  message_.measured_delay = known ? sample.delay.periods : std::nan("");
  message_.proposed_prediction = known ? sample.delay.proposed_prediction() : std::nan("");
  message_.mode = mode_of(sample.report.mode);
  message_.saturated = sample.report.saturated;
  message_.collision = sample.report.collision;
  message_.ramping = sample.report.ramping;
  message_.fallback = sample.report.fallback;
  message_.generation = sample.report.generation;
  message_.reference_limited = sample.report.reference_limited;
  message_.jsim_algorithm = jsim_name(sample.report.algorithms.jsim);
  message_.coriolis_algorithm = coriolis_name(sample.report.algorithms.coriolis);
  publisher_->publish(message_);
}

}  // namespace dyn_controllers
