// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/state_publisher.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

#include "dyn_core/registry.hpp"

namespace dyn_controllers {
namespace {

using diagnostic_msgs::msg::DiagnosticStatus;
using dyn_msgs::msg::ControllerState;

CycleSample first_sample(const Arm& arm) {
  CycleSample sample;
  sample.q = sample.v = sample.reference_q = sample.reference_v = sample.reference_a = arm.q();
  sample.terms = arm.terms();
  return sample;
}

template <class List>
std::string name_of(int index) {
  return index >= 0 && index < List::size ? std::string(List::names[static_cast<size_t>(index)]) : std::string();
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

// What happened between two diagnoses: the worst first.
std::pair<std::uint8_t, const char*> judge(const CycleCounts& before, const CycleCounts& now) {
  if (now.all == before.all) return {DiagnosticStatus::OK, "not active"};
  if (now.held_torque != before.held_torque) return {DiagnosticStatus::ERROR, "a state or result was not finite"};
  if (now.fallback != before.fallback) return {DiagnosticStatus::ERROR, "the validator closed its gate"};
  if (now.collision != before.collision) return {DiagnosticStatus::WARN, "something pushes"};
  if (now.held_reference != before.held_reference) return {DiagnosticStatus::WARN, "no reference: the arm is held"};
  if (now.saturated != before.saturated) return {DiagnosticStatus::WARN, "at an effort limit"};
  return {DiagnosticStatus::OK, "tracking"};
}

}  // namespace

StatePublisher::StatePublisher(rclcpp_lifecycle::LifecycleNode& node, const Arm& arm, double rate_hz, double period_s)
    : every_(rate_hz > 0.0 ? std::max(1L, std::lround(1.0 / (rate_hz * period_s))) : 0), samples_(first_sample(arm)) {
  if (every_ == 0) return;
  message_.joint_names = arm.all_coordinate_names();
  publisher_ = rclcpp::create_publisher<ControllerState>(node, "~/controller_state", rclcpp::SystemDefaultsQoS());
  // Not by the node's clock: a simulation that stands still leaves no samples anyway.
  timer_ = node.create_wall_timer(std::chrono::duration<double>(0.5 / rate_hz), [this] { publish(); });
  clock_ = node.get_clock();
  diagnosis_.status.resize(1);
  diagnosis_.status[0].name = std::string(node.get_name()) + ": torque";
  diagnosis_.status[0].hardware_id = "none";
  diagnostics_ = rclcpp::create_publisher<diagnostic_msgs::msg::DiagnosticArray>(node, "/diagnostics", 1);
  slow_timer_ = node.create_wall_timer(std::chrono::seconds(1), [this] { diagnose(); });
}

void StatePublisher::count(const dyn::control::CycleReport& report) noexcept {
  using Mode = dyn::control::CycleReport::Mode;
  const auto add = [](std::uint64_t& counter, bool happened) { counter += happened ? 1U : 0U; };
  ++counts_.all;
  add(counts_.held_reference, report.mode == Mode::holding_reference);
  add(counts_.held_torque, report.mode != Mode::tracking && report.mode != Mode::holding_reference);
  add(counts_.saturated, report.saturated);
  add(counts_.collision, report.collision);
  add(counts_.fallback, report.fallback);
}

void StatePublisher::sample(const rclcpp::Time& time, const Arm& arm,
                            const dyn::control::CycleReport& report) noexcept {
  if (every_ == 0) return;
  count(report);
  cycle_ = (cycle_ + 1) % every_;
  if (cycle_ != 0) return;
  CycleSample& sample = samples_.back();
  sample.stamp_ns = time.nanoseconds();
  sample.q = arm.q();  // all vectors have their final size: nothing is allocated
  sample.v = arm.v();
  sample.reference_q = arm.reference_q();
  sample.reference_v = arm.reference_v();
  sample.reference_a = arm.reference_a();
  sample.terms = arm.terms();
  sample.report = report;
  sample.counts = counts_;
  samples_.publish();
}

void StatePublisher::publish() {
  if (!samples_.take()) return;
  const CycleSample& sample = samples_.front();
  seen_ = sample.counts;
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
  message_.mode = mode_of(sample.report.mode);
  message_.saturated = sample.report.saturated;
  message_.collision = sample.report.collision;
  message_.ramping = sample.report.ramping;
  message_.fallback = sample.report.fallback;
  message_.generation = sample.report.generation;
  message_.jsim_algorithm = name_of<dyn::AlgorithmList<dyn::JsimAlgorithms<double>>>(sample.report.algorithms.jsim);
  message_.coriolis_algorithm =
      name_of<dyn::AlgorithmList<dyn::CoriolisAlgorithms<double>>>(sample.report.algorithms.coriolis);
  publisher_->publish(message_);
}

void StatePublisher::diagnose() {
  DiagnosticStatus& status = diagnosis_.status[0];
  std::tie(status.level, status.message) = judge(reported_, seen_);
  reported_ = seen_;
  status.values.clear();
  const auto value = [&](const char* key, const std::string& text) {
    status.values.emplace_back();
    status.values.back().key = key;
    status.values.back().value = text;
  };
  value("cycles", std::to_string(seen_.all));
  value("cycles without a reference", std::to_string(seen_.held_reference));
  value("cycles without a finite state or result", std::to_string(seen_.held_torque));
  value("cycles at an effort limit", std::to_string(seen_.saturated));
  value("cycles with a push from outside", std::to_string(seen_.collision));
  value("cycles behind the validator's gate", std::to_string(seen_.fallback));
  value("model generation", std::to_string(message_.generation));
  value("jsim_algorithm", message_.jsim_algorithm);
  value("coriolis_algorithm", message_.coriolis_algorithm);
  diagnosis_.header.stamp = clock_->now();
  diagnostics_->publish(diagnosis_);
}

}  // namespace dyn_controllers
