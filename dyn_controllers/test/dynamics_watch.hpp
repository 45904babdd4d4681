// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a DynamicsBroadcaster for arm7 says, whoever moves the arm and however often the broadcaster is started anew:
// every message has the arm's state at its stamp, and the terms of the model at that state. The first that has not is
// kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "dyn_core/dynamics.hpp"
#include "dyn_msgs/msg/dynamics.hpp"
#include "plugin_fixture.hpp"

namespace dyn_controllers::test {

class DynamicsWatch {
 public:
  // `seen`: the arm's positions by time, ns.
  DynamicsWatch(rclcpp::Node& node, const std::string& topic, const std::map<std::int64_t, std::vector<double>>& seen)
      : seen_(seen),
        dynamics_(dyn::load_model("arm7", with_armature())),
        subscription_(node.create_subscription<dyn_msgs::msg::Dynamics>(
            topic, 10, [this](const dyn_msgs::msg::Dynamics::ConstSharedPtr& message) { check(*message); })) {}

  std::string breach;
  long messages = 0;              // whose stamp is known
  double largest_external = 0.0;  // N m

 private:
  static dyn::ModelOptions with_armature() {
    dyn::ModelOptions options;
    options.armature = true;
    return options;
  }
  void check(const dyn_msgs::msg::Dynamics& message) {
    const auto then = seen_.find(rclcpp::Time(message.header.stamp).nanoseconds());
    if (then == seen_.end()) return;
    ++messages;
    for (const double tau : message.external_effort) largest_external = std::max(largest_external, std::abs(tau));
    if (!breach.empty()) return;
    if (message.joint_names != arm7_joints() || message.position != then->second ||
        message.external_effort.size() != 7 || !dynamics_.update(message.position, message.velocity).ok()) {
      breach = "a message does not have the arm's joints, their positions at its stamp and external efforts";
      return;
    }
    double largest = 0.0;  // NaN stays: it is not below any bound
    const auto note = [&largest](double difference) {
      if (!(std::abs(difference) <= largest)) largest = std::abs(difference);
    };
    for (int i = 0; i < 7; ++i) {
      note(message.gravity[i] - dynamics_.g()[i]);
      note(0.0 * message.external_effort[i]);
      for (int j = 0; j < 7; ++j) {
        const auto entry = static_cast<size_t>(7 * i + j);
        note(message.mass_matrix[entry] - dynamics_.M()(i, j));
        note(message.coriolis_matrix[entry] - dynamics_.C()(i, j));
      }
    }
    if (largest <= 1e-9) return;
    std::ostringstream text;
    text << "message " << messages << " of the broadcaster differs from the model by " << largest;
    breach = text.str();
  }

  const std::map<std::int64_t, std::vector<double>>& seen_;
  dyn::Dynamics dynamics_;
  rclcpp::Subscription<dyn_msgs::msg::Dynamics>::SharedPtr subscription_;
};

}  // namespace dyn_controllers::test
