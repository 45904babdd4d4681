// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/joint_numbers.hpp"

#include <cmath>

#include "dyn_core/error.hpp"

namespace dyn_controllers {
namespace {

double number_in(const std::string& name, const rclcpp::ParameterValue& value) {
  double x = std::nan("");
  if (value.get_type() == rclcpp::ParameterType::PARAMETER_DOUBLE) x = value.get<double>();
  if (value.get_type() == rclcpp::ParameterType::PARAMETER_INTEGER) x = static_cast<double>(value.get<std::int64_t>());
  if (!(x >= 0.0 && std::isfinite(x))) {
    throw dyn::ModelError(name + ": " + rclcpp::to_string(value) + " is not a number of at least 0");
  }
  return x;
}

}  // namespace

JointNumbers::JointNumbers(const rclcpp_lifecycle::LifecycleNode::SharedPtr& node, const std::string& what,
                           const std::string& description)
    : node_(node), prefix_(what + '.'), description_(description + " Read when the controller is configured.") {
  on_set_ = node->add_on_set_parameters_callback(
      [this](const std::vector<rclcpp::Parameter>& changes) { return judge(changes); });
}

JointNumbers::~JointNumbers() { node_->remove_on_set_parameters_callback(on_set_.get()); }

bool JointNumbers::is_given(const std::string& name) const {
  if (!node_->has_parameter(name)) {
    return node_->get_node_parameters_interface()->get_parameter_overrides().count(name) != 0;
  }
  const auto shown = shown_.find(name);
  return shown == shown_.end() || number_in(name, node_->get_parameter(name).get_parameter_value()) != shown->second;
}

double JointNumbers::of(const std::string& joint, double own) const {
  const std::string name = prefix_ + joint;
  if (!is_given(name)) return number_in(name, rclcpp::ParameterValue(own));
  if (node_->has_parameter(name)) return number_in(name, node_->get_parameter(name).get_parameter_value());
  return number_in(name, node_->get_node_parameters_interface()->get_parameter_overrides().at(name));
}

void JointNumbers::show(const std::map<std::string, double>& numbers) {
  showing_ = std::this_thread::get_id();
  rcl_interfaces::msg::ParameterDescriptor descriptor;
  descriptor.description = description_;
  for (const auto& [joint, value] : numbers) {
    const std::string name = prefix_ + joint;
    const bool given = is_given(name);
    if (!node_->has_parameter(name)) {
      node_->declare_parameter(name, value, descriptor);
    } else if (!given) {
      (void)node_->set_parameter(rclcpp::Parameter(name, value));
    }
    if (!given) shown_[name] = value;
  }
  showing_ = std::thread::id();
  fixed_ = true;
}

rcl_interfaces::msg::SetParametersResult JointNumbers::judge(const std::vector<rclcpp::Parameter>& changes) const {
  rcl_interfaces::msg::SetParametersResult result;
  result.successful = true;
  if (!fixed_ || showing_.load() == std::this_thread::get_id()) return result;
  for (const rclcpp::Parameter& change : changes) {
    if (change.get_name().rfind(prefix_, 0) != 0) continue;
    result.successful = false;
    result.reason = change.get_name() + ": is read when the controller is configured; clean it up first";
  }
  return result;
}

void Armature::put_into(dyn::RobotDescription& robot) const {
  for (dyn::JointDescription& joint : robot.joints) {
    if (joint.type != dyn::JointType::fixed) joint.armature = of(joint.name, joint.armature);
  }
}

void Armature::show_of(const dyn::RobotDescription& robot) {
  std::map<std::string, double> numbers;
  for (const dyn::JointDescription& joint : robot.joints) {
    if (joint.type != dyn::JointType::fixed && !joint.is_rotor) numbers[joint.name] = joint.armature;
  }
  show(numbers);
}

}  // namespace dyn_controllers
