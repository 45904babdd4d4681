// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What must hold in every cycle, whoever controls the arm: no joint is faster than its URDF says, no drive gives more
// torque than its URDF says. What was seen is kept, and the first breach with the cycle and the joint. A push from
// outside accelerates a joint for a period before anybody can know: meanwhile 1 % more is allowed.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "controller_manager_fixture.hpp"

namespace dyn_controllers::test {

struct JointBounds {
  double velocity, effort, lower, upper;
};

inline std::vector<JointBounds> arm7_bounds() {
  std::vector<JointBounds> all;
  const dyn::Model model = dyn::load_model("arm7");
  for (const dyn::Joint& joint : model.joints()) {
    const dyn::JointLimits& limits = *joint.description.limits;
    all.push_back({limits.velocity, limits.effort, limits.lower, limits.upper});
  }
  return all;
}

// Claims every state of the joints and commands nothing.
class ArmWatch : public controller_interface::ControllerInterface {
 public:
  controller_interface::CallbackReturn on_init() override { return controller_interface::CallbackReturn::SUCCESS; }
  [[nodiscard]] controller_interface::InterfaceConfiguration command_interface_configuration() const override {
    return {controller_interface::interface_configuration_type::NONE, {}};
  }
  [[nodiscard]] controller_interface::InterfaceConfiguration state_interface_configuration() const override {
    std::vector<std::string> names;
    for (const char* what : {"/position", "/velocity", "/effort"}) {
      for (const std::string& joint : arm7_joints()) names.push_back(joint + what);
    }
    return {controller_interface::interface_configuration_type::INDIVIDUAL, names};
  }
  return_type update(const rclcpp::Time& time, const rclcpp::Duration&) override {
    ++cycle;
    for (size_t i = 0; i < 7; ++i) {
      q[i] = state_interfaces_[i].get_optional<double>().value();
      v[i] = state_interfaces_[7 + i].get_optional<double>().value();
      effort[i] = state_interfaces_[14 + i].get_optional<double>().value();
      fastest = std::max(fastest, std::abs(v[i]) / bounds[i].velocity);
      strongest = std::max(strongest, std::abs(effort[i]) / bounds[i].effort);
      check(v[i], bounds[i].velocity * (pushed ? 1.05 : 1.0), "rad/s", i);
      check(effort[i], bounds[i].effort, "N m", i);
    }
    seen[time.nanoseconds()] = q;
    if (seen.size() > remembered) seen.erase(seen.begin());
    return return_type::OK;
  }

  void forget() {
    breach.clear();
    fastest = strongest = 0.0;
  }

  const std::vector<JointBounds> bounds = arm7_bounds();
  std::vector<double> q = std::vector<double>(7, 0.0), v = q, effort = q;
  double fastest = 0.0, strongest = 0.0;  // shares of the limits
  std::string breach;                     // the first one
  bool pushed = false;
  long cycle = 0;
  std::map<std::int64_t, std::vector<double>> seen;  // positions by time, ns, of the last cycles

 private:
  static constexpr size_t remembered = 5000;
  void check(double value, double limit, const char* unit, size_t joint) {
    if (!breach.empty() || std::abs(value) <= limit * (1.0 + 1e-9)) return;
    std::ostringstream text;
    text << "cycle " << cycle << ": joint" << joint + 1 << " has " << value << ' ' << unit << ", and " << limit
         << " is its limit";
    breach = text.str();
  }
};

}  // namespace dyn_controllers::test
