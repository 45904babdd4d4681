// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/arm_observation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "dyn_controllers/vector_messages.hpp"

namespace dyn_controllers {
namespace {

using dyn::control::CycleReport, dyn::control::Vec6d;

Vec6d turned(const dyn::Mat3d& R, const Vec6d& x) noexcept {
  Vec6d y;
  y << R * x.head<3>(), R * x.tail<3>();
  return y;
}

}  // namespace

std::string observed_frame(const parameters::Params& params, const dyn::RobotDescription& robot) {
  if (!params.external_wrench.frame.empty()) return params.external_wrench.frame;
  if (!params.frame.empty() || params.joints.empty()) return params.frame;
  std::string last;
  bool more = true;
  const auto child_of = [&](const auto& wanted) {
    std::string child;
    for (const dyn::JointDescription& joint : robot.joints) {
      if (wanted(joint)) child = joint.child_link;
    }
    return child;
  };
  last = child_of([&](const dyn::JointDescription& joint) { return joint.name == params.joints.back(); });
  while (more && !last.empty()) {
    const std::string next = child_of([&](const dyn::JointDescription& joint) {
      return joint.type == dyn::JointType::fixed && joint.parent_link == last;
    });
    more = !next.empty();
    if (more) last = next;
  }
  return last;
}

ArmObservation::ArmObservation(rclcpp_lifecycle::LifecycleNode& node, Frame frame, const parameters::Params& params,
                               int max_coordinates, double period_s)
    : frame_(std::move(frame)),
      frame_is_named_(!params.external_wrench.frame.empty()),
      every_(params.state_publish_rate > 0.0 ? std::max(1L, std::lround(1.0 / (params.state_publish_rate * period_s)))
                                             : 0),
      period_s_(period_s),
      settings_(Settings{}),
      observed_(max_coordinates),
      delays_(max_coordinates, period_s),
      effort_(max_coordinates),
      samples_(Sample{}) {
  set_parameters(params);
  if (every_ == 0 || !observes_frame()) return;
  contact_.frame = frame_.name;
  const auto qos = rclcpp::SystemDefaultsQoS();
  contacts_ = rclcpp::create_publisher<dyn_msgs::msg::Contact>(node, "~/contact", qos);
  wrenches_ = rclcpp::create_publisher<geometry_msgs::msg::WrenchStamped>(node, "~/external_wrench", qos);
  timer_ = node.create_wall_timer(std::chrono::duration<double>(0.5 / params.state_publish_rate),
                                  gate_.guard([this] { publish(); }));
}

void ArmObservation::set_parameters(const parameters::Params& params) {
  constexpr double settled = 6.0;  // time constants
  const auto& wanted = params.external_wrench;
  settings_.back() = {{wanted.damp_below, wanted.force_threshold, wanted.torque_threshold},
                      wanted.axes == "frame",
                      params.gravity_compensation == "hardware",
                      settled / std::max(params.observer_gain, 1e-3)};
  settings_.publish();
}

void ArmObservation::begin() noexcept {
  observed_.reset();
  delays_.interrupt();
  shown_ = {};
  unsettled_s_ = 0.0;
}

void ArmObservation::note(const rclcpp::Time& time, const dyn::control::Controller& controller,
                          const CycleReport& report, std::span<const double> v) noexcept {
  (void)settings_.take();
  if (observes_frame()) observe_wrench(time, controller, report);
  observe_delay(controller, report, v);
}

// While a payload is ramped, and until the observer has settled after it, the load is unknown: no contact is reported.
// Only in cycles in which it is read: all of them if it is exported as state interfaces, else those of the topics.
void ArmObservation::observe_wrench(const rclcpp::Time& time, const dyn::control::Controller& controller,
                                    const CycleReport& report) noexcept {
  unsettled_s_ = report.ramping ? settings_.front().settles_s : unsettled_s_ - period_s_;
  cycle_ = every_ > 0 ? (cycle_ + 1) % every_ : 1;
  const bool published = cycle_ == 0;
  if (!published && !frame_is_named_) return;
  dyn::live::Generation* const generation = controller.last_generation();
  if (generation == nullptr) {
    observed_.reset();
    shown_ = {};
  } else {
    const Settings& settings = settings_.front();
    shown_ = observed_.update(settings.wrench, generation->dynamics, generation->frames, frame_.index,
                              controller.terms().external, unsettled_s_ <= 0.0);
    if (settings.frame_axes) {
      shown_.wrench = turned(shown_.R.transpose(), shown_.wrench);
      shown_.direction = shown_.R.transpose() * shown_.direction;
    }
  }
  if (!published) return;
  samples_.back() = {time.nanoseconds(), settings_.front().frame_axes, shown_};
  samples_.publish();
}

void ArmObservation::observe_delay(const dyn::control::Controller& controller, const CycleReport& report,
                                   std::span<const double> v) noexcept {
  const dyn::live::Generation* const generation = controller.last_generation();
  const bool same = generation != nullptr && report.generation == generation_ && !report.ramping && !report.late;
  generation_ = report.generation;
  if (!same) {
    delays_.interrupt();
    return;
  }
  const dyn::Dynamics& dynamics = generation->dynamics;
  const auto n = static_cast<int>(dynamics.g().size());
  const auto& applied = controller.terms().applied;
  for (int i = 0; i < n; ++i) {
    effort_[i] = applied[i] + (settings_.front().drive_adds_gravity ? dynamics.g()[i] : 0.0);
  }
  delays_.update(dynamics, controller.prediction(), v, effort_, n);
  delay_ = delays_.estimate();
}

void ArmObservation::publish() {
  if (!samples_.take()) return;
  const Sample& sample = samples_.front();
  if (!sample.wrench.known) return;
  contact_.header.stamp = rclcpp::Time(sample.stamp_ns);
  contact_.header.frame_id = sample.frame_axes ? frame_.name : frame_.root;
  put(sample.wrench.wrench, contact_.wrench);
  contact_.contact = sample.wrench.contact;
  put(sample.wrench.direction, contact_.direction);
  contact_.smallest_singular_value = sample.wrench.smallest_singular_value;
  contact_.damped = sample.wrench.damped;
  contact_.unexplained = sample.wrench.unexplained;
  wrench_.header = contact_.header;
  wrench_.wrench = contact_.wrench;
  contacts_->publish(contact_);
  wrenches_->publish(wrench_);
}

}  // namespace dyn_controllers
