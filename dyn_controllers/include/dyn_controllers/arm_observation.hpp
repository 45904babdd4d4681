// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a controller of an arm estimates in every cycle besides its torque: the wrench at a frame, whether it is a
// contact, and how late its torques act. ~/external_wrench and ~/contact are published as in state_publisher.hpp:
// samples from the loop, messages from a timer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dyn_controllers/callback_gate.hpp"
#include "dyn_controllers/dyn_controllers_parameters.hpp"
#include "dyn_core/control/controller.hpp"
#include "dyn_core/control/delay_estimate.hpp"
#include "dyn_core/control/external_wrench.hpp"
#include "dyn_core/lockfree/latest.hpp"
#include "dyn_msgs/msg/contact.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"

namespace dyn_controllers {

// The frame named by external_wrench.frame; if that is empty, `frame`; if that is empty too, the last link that is
// fixed to the link moved by the last of `joints`. Empty: none.
std::string observed_frame(const parameters::Params& params, const dyn::RobotDescription& robot);

class ArmObservation {
 public:
  struct Frame {
    int index = -1;  // in Generation::frames; -1: no frame, no wrench
    std::string name, root;
  };
  ArmObservation(rclcpp_lifecycle::LifecycleNode& node, Frame frame, const parameters::Params& params,
                 int max_coordinates, double period_s);

  // Any thread but the loop's.
  void set_parameters(const parameters::Params& params);

  // The loop: after a step of `controller` from the measured velocities `v`.
  DYN_REALTIME void note(const rclcpp::Time& time, const dyn::control::Controller& controller,
                         const dyn::control::CycleReport& report, std::span<const double> v) noexcept;
  DYN_REALTIME void begin() noexcept;
  [[nodiscard]] DYN_REALTIME bool observes_frame() const noexcept { return frame_.index >= 0; }
  [[nodiscard]] bool frame_is_named() const noexcept { return observes_frame() && frame_is_named_; }
  // In the axes of external_wrench.axes.
  [[nodiscard]] DYN_REALTIME const dyn::control::WrenchEstimate& wrench() const noexcept { return shown_; }
  [[nodiscard]] DYN_REALTIME const dyn::control::DelayEstimate& delay() const noexcept { return delay_; }

 private:
  struct Settings {
    dyn::control::WrenchParameters wrench;
    bool frame_axes = false;
    bool drive_adds_gravity = false;
    double settles_s = 0.0;  // settling time of the observer after a ramp
  };
  struct Sample {
    std::int64_t stamp_ns = 0;
    bool frame_axes = false;
    dyn::control::WrenchEstimate wrench;
  };
  DYN_REALTIME void observe_wrench(const rclcpp::Time& time, const dyn::control::Controller& controller,
                                   const dyn::control::CycleReport& report) noexcept;
  DYN_REALTIME void observe_delay(const dyn::control::Controller& controller, const dyn::control::CycleReport& report,
                                  std::span<const double> v) noexcept;
  void publish();

  const Frame frame_;
  const bool frame_is_named_;  // by external_wrench.frame
  const long every_;           // cycles; 0: never
  const double period_s_;
  dyn::lockfree::Latest<Settings> settings_;

  // The loop's.
  dyn::control::ExternalWrench observed_;
  dyn::control::WrenchEstimate shown_;
  dyn::control::DelayEstimator delays_;
  dyn::control::DelayEstimate delay_;
  std::vector<double> effort_;  // including the drive's own gravity compensation
  std::uint64_t generation_ = 0;
  double unsettled_s_ = 0.0;
  long cycle_ = 0;

  dyn::lockfree::Latest<Sample> samples_;
  dyn_msgs::msg::Contact contact_;
  geometry_msgs::msg::WrenchStamped wrench_;
  rclcpp::Publisher<dyn_msgs::msg::Contact>::SharedPtr contacts_;
  rclcpp::Publisher<geometry_msgs::msg::WrenchStamped>::SharedPtr wrenches_;
  rclcpp::TimerBase::SharedPtr timer_;
  CallbackGate gate_;
};

}  // namespace dyn_controllers
