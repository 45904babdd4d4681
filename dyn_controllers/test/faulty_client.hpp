// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A controller above the one named `computed`, which can be made to fail.
#pragma once

#include <string>
#include <vector>

#include "controller_interface/controller_interface.hpp"
#include "plugin_fixture.hpp"

namespace dyn_controllers::test {

// Writes where the arm is to the references of a controller below; reports an error when it is told to.
class FaultyClient : public controller_interface::ControllerInterface {
 public:
  controller_interface::CallbackReturn on_init() override { return controller_interface::CallbackReturn::SUCCESS; }
  [[nodiscard]] controller_interface::InterfaceConfiguration command_interface_configuration() const override {
    std::vector<std::string> names;
    for (const std::string& joint : arm7_joints()) {
      for (const char* what : {"/position", "/velocity", "/acceleration"}) names.push_back("computed/" + joint + what);
    }
    return {controller_interface::interface_configuration_type::INDIVIDUAL, names};
  }
  [[nodiscard]] controller_interface::InterfaceConfiguration state_interface_configuration() const override {
    std::vector<std::string> names = arm7_joints();
    for (std::string& name : names) name += "/position";
    return {controller_interface::interface_configuration_type::INDIVIDUAL, names};
  }
  controller_interface::CallbackReturn on_activate(const rclcpp_lifecycle::State&) override {
    at.assign(7, 0.0);
    for (size_t i = 0; i < 7; ++i) at[i] = state_interfaces_[i].get_optional<double>().value();
    fails = false;
    return controller_interface::CallbackReturn::SUCCESS;
  }
  return_type update(const rclcpp::Time&, const rclcpp::Duration&) override {
    for (size_t i = 0; i < 7; ++i) {
      (void)command_interfaces_[3 * i].set_value(at[i]);
      (void)command_interfaces_[3 * i + 1].set_value(0.0);
      (void)command_interfaces_[3 * i + 2].set_value(0.0);
    }
    return fails ? return_type::ERROR : return_type::OK;
  }
  std::vector<double> at;
  bool fails = false;
};

}  // namespace dyn_controllers::test
