// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Accumulates ~/controller_state and ~/validation while a scenario is played, in the form in which `dyn run` records
// its own runs, so that it gets the same report and log. Not for the loop; the thread that spins the node writes it,
// and it is read after the scenario has ended.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "dyn_msgs/msg/controller_state.hpp"
#include "dyn_msgs/msg/validation.hpp"
#include "dyn_sim/run/judge.hpp"
#include "dyn_sim/run/record.hpp"
#include "rclcpp/time.hpp"

namespace dyn_controllers {

class ScenarioRecord {
 public:
  // `joints`: those whose tracking is judged. `arm` must outlive this object.
  ScenarioRecord(const dyn::sim::ArmConfig& arm, const std::vector<std::string>& joints);

  // States before it do not belong to the scenario.
  void begin_at(const rclcpp::Time& begin);
  void add(const dyn_msgs::msg::ControllerState& state);
  void add(const dyn_msgs::msg::Validation& residual);
  void add(const dyn::sim::Event& event, double applied_s, const std::string& error);

  [[nodiscard]] bool has_seen_a_state() const;
  // Judged by the criteria of `dyn run`.
  [[nodiscard]] dyn::sim::ArmRecord result(const dyn::sim::Ending& ending) const;
  [[nodiscard]] std::string summary() const;  // one line

 private:
  [[nodiscard]] bool counts(const rclcpp::Time& stamp) const;
  void put_signals(const dyn_msgs::msg::ControllerState& state);
  void put_errors(const dyn_msgs::msg::ControllerState& state);
  void judge(double time_s, const dyn_msgs::msg::ControllerState& state);

  mutable std::mutex mutex_;
  dyn::sim::ArmRecord record_;
  dyn::sim::Judge judge_;
  std::vector<bool> tracked_;  // by coordinate of the robot
  rclcpp::Time begin_;
  bool seen_ = false, begun_ = false, collision_ = false;
  double squares_ = 0.0, last_error_ = 0.0;
  double errors_ = 0.0;  // number of errors that were added
};

}  // namespace dyn_controllers
