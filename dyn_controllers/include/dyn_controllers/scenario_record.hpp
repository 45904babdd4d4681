// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What ~/controller_state and ~/validation say while a scenario is played, in the form in which `dyn run` keeps its own
// runs, so that the same report and log are made of it. Off the loop; whoever spins the node writes, and it is read
// when the playing is over.
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
  // `joints`: those whose tracking counts. `arm` outlives this.
  ScenarioRecord(const dyn::sim::ArmConfig& arm, const std::vector<std::string>& joints);

  // States before it are none of the scenario's.
  void begin_at(const rclcpp::Time& begin);
  void add(const dyn_msgs::msg::ControllerState& state);
  void add(const dyn_msgs::msg::Validation& residual);
  void add(const dyn::sim::Event& event, double applied_s, const std::string& error);

  [[nodiscard]] bool has_seen_a_state() const;
  // Judged as `dyn run` judges its own.
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
  double errors_ = 0.0;  // how many were added up
};

}  // namespace dyn_controllers
