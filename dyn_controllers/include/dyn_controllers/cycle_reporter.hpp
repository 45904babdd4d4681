// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Reports about the cycles to the user: the log (every change of mode and its reason, once) and /diagnostics once a
// second. The loop only counts and leaves events (cycle_events.hpp); timers of the node's executor do the rest.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "diagnostic_msgs/msg/diagnostic_array.hpp"
#include "dyn_controllers/arm.hpp"
#include "dyn_controllers/callback_gate.hpp"
#include "dyn_controllers/cycle_events.hpp"
#include "dyn_controllers/motion_watch.hpp"
#include "dyn_core/lockfree/ring.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"

namespace dyn_controllers {

// Cycles since configuration, and how many of them had each kind of irregularity.
struct CycleCounts {
  std::uint64_t all = 0, held_reference = 0, held_torque = 0, safe_torque = 0, failed = 0, saturated = 0,
                velocity_held = 0, limited = 0, bad_reference = 0, collision = 0, fallback = 0, no_motion = 0, late = 0,
                damped = 0;
};

class CycleReporter {
 public:
  CycleReporter(rclcpp_lifecycle::LifecycleNode& node, const Arm& arm, double period_s);

  // The loop.
  DYN_REALTIME void begin() noexcept;
  DYN_REALTIME void end() noexcept { active_.store(false, std::memory_order_relaxed); }
  DYN_REALTIME void refuse_activation(const Arm& arm) noexcept;
  // `bad_reference`: the controller above wrote a number that is not finite.
  DYN_REALTIME void note(const Arm& arm, const dyn::control::CycleReport& report, bool bad_reference) noexcept;

  // The log text of an event, without the name of the controller; also for tests.
  [[nodiscard]] std::string text_of(const CycleEvent& event) const;

 private:
  using Mode = dyn::control::CycleReport::Mode;
  using Number = std::atomic<std::uint64_t>;

  DYN_REALTIME static void find_cause(const Arm& arm, const dyn::control::CycleReport& report,
                                      CycleEvent& event) noexcept;
  DYN_REALTIME void push(const CycleEvent& event) noexcept;
  DYN_REALTIME void push_at_begin(CycleEvent::What what, bool now, double& quiet_s, const CycleEvent& like) noexcept;
  [[nodiscard]] CycleCounts counts() const;
  [[nodiscard]] std::string name_of(int coordinate) const;
  [[nodiscard]] std::string cause_of(const CycleEvent& event) const;
  void log(const CycleEvent& event, const std::string& text);
  void log_events();
  void diagnose();

  const double period_s_;
  const std::vector<std::string> names_;  // of the coordinates

  // The loop's.
  MotionWatch motion_;
  Mode mode_ = Mode::tracking;
  bool fallback_ = false;
  double unlimited_s_ = 1.0, good_reference_s_ = 1.0, undamped_s_ = 1.0;  // for how long

  // From the loop to the executor. Relaxed ordering suffices, since each number is used by itself.
  dyn::lockfree::Ring<CycleEvent> events_{64};
  Number lost_{0};  // events dropped because the ring was full
  std::atomic<bool> active_{false};
  std::atomic<double> delay_periods_{std::numeric_limits<double>::quiet_NaN()};  // NaN: not known
  std::atomic<int> jsim_{-1}, coriolis_{-1};
  Number generation_{0};
  Number all_{0}, held_reference_{0}, held_torque_{0}, safe_torque_{0}, failed_{0}, saturated_{0}, velocity_held_{0},
      limited_{0}, bad_reference_{0}, collision_{0}, fallbacks_{0}, no_motion_{0}, late_{0}, damped_{0};
  // Of the controlled frame in the last cycle; NaN: none is controlled, or there was no cycle.
  std::atomic<double> smallest_singular_value_{std::numeric_limits<double>::quiet_NaN()}, effort_share_{1.0};

  // The executor's.
  rclcpp::Logger logger_;
  CycleCounts reported_;  // at the last publication of /diagnostics
  std::string failure_;   // why the controller failed, until it is active again; empty: it did not fail
  std::string cause_;     // of the last lost state or result
  std::uint64_t told_lost_ = 0;
  diagnostic_msgs::msg::DiagnosticArray diagnosis_;
  rclcpp::Publisher<diagnostic_msgs::msg::DiagnosticArray>::SharedPtr diagnostics_;
  rclcpp::Clock::SharedPtr clock_;
  rclcpp::TimerBase::SharedPtr log_timer_, diagnosis_timer_;
  CallbackGate gate_;
};

}  // namespace dyn_controllers
