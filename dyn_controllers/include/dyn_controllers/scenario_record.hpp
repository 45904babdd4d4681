// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Accumulates ~/controller_state, ~/task_state, ~/validation and the forces of walls while a scenario is played, in the
// form in which `dyn run` records its own runs, so that it gets the same report and log. Not for the loop; the thread
// that spins the node writes it, and it is read after the scenario has ended.
#pragma once

#include <array>
#include <mutex>
#include <string>
#include <vector>

#include "dyn_msgs/msg/controller_state.hpp"
#include "dyn_msgs/msg/task_state.hpp"
#include "dyn_msgs/msg/validation.hpp"
#include "dyn_sim/run/judge.hpp"
#include "dyn_sim/run/record.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"
#include "rclcpp/time.hpp"

namespace dyn_controllers {

class ScenarioRecord {
 public:
  // `joints`: those whose tracking is judged. `arm` must outlive this object.
  ScenarioRecord(const dyn::sim::ArmConfig& arm, const std::vector<std::string>& joints);

  // States before it do not belong to the scenario.
  void begin_at(const rclcpp::Time& begin);
  void add(const dyn_msgs::msg::ControllerState& state);
  void add(const dyn_msgs::msg::TaskState& state);
  void add(const geometry_msgs::msg::WrenchStamped& wall_force);
  void add(const dyn_msgs::msg::Validation& residual);
  void add(const dyn::sim::Event& event, double applied_s, const std::string& error);

  [[nodiscard]] bool has_seen_a_state() const;  // under task_space, of the frame too
  // Judged by the criteria of `dyn run`.
  [[nodiscard]] dyn::sim::ArmRecord result(const dyn::sim::Ending& ending) const;
  [[nodiscard]] std::string summary() const;  // one line

 private:
  [[nodiscard]] bool counts(const rclcpp::Time& stamp) const;
  void put_signals(const dyn_msgs::msg::ControllerState& state);
  [[nodiscard]] double* at(dyn::sim::FrameSignal first) noexcept;
  void put_errors(const dyn_msgs::msg::ControllerState& state);
  void judge(double time_s, const dyn_msgs::msg::ControllerState& state);

  mutable std::mutex mutex_;
  dyn::sim::ArmRecord record_;
  dyn::sim::Judge judge_;
  std::vector<bool> tracked_;  // by coordinate of the robot
  rclcpp::Time begin_;
  bool seen_ = false, frame_seen_ = false, begun_ = false, collision_ = false;
  // Of joints, or of the frame's distance (and angle) under task_space.
  double squares_ = 0.0, angle_squares_ = 0.0, last_error_ = 0.0;
  double errors_ = 0.0;                                               // number of errors that were added
  std::array<double, dyn::sim::frame_signal_count> frame_signals_{};  // the newest
};

}  // namespace dyn_controllers
