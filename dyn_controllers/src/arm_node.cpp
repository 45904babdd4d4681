// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/arm_node.hpp"

#include <cmath>
#include <vector>

#include "dyn_core/dynamics.hpp"

namespace dyn_controllers {

ArmNode::ArmNode(const rclcpp_lifecycle::LifecycleNode::SharedPtr& node, ControllerJointNumbers& numbers,
                 const std::string& urdf, dyn::control::Law law,
                 const std::shared_ptr<parameters::ParamListener>& listener, double rate_hz)
    : node_(node),
      listener_(listener),
      arm_(node, numbers, urdf, law, listener->get_params(), 1.0 / rate_hz),
      state_(*node, arm_, listener->get_params().state_publish_rate, 1.0 / rate_hz),
      reporter_(*node, arm_, 1.0 / rate_hz),
      introspection_(node->get_name(), arm_),
      driver_load_(*node, listener->get_params().driver_load, arm_.live()),
      payloads_(*node,
                {[this](const dyn::Payload& payload, double time_s) { return driver_load_.attach(payload, time_s); },
                 [this](const std::string& name, double time_s) { return driver_load_.detach(name, time_s); }}),
      joints_(*node, payloads_.one_at_a_time(),
              [this](const std::string& robot, const dyn::CoordinateMap& map, double time_s) {
                return arm_.replace_joints(robot, map, time_s);
              }),
      estimation_(*node, arm_, payloads_) {
  on_set_ = node->add_on_set_parameters_callback(
      [this](const std::vector<rclcpp::Parameter>& changes) { return judge(changes); });
  post_set_ = node->add_post_set_parameters_callback([this](const std::vector<rclcpp::Parameter>&) { apply(); });
  try {
    use_newest_parameters();  // some may have been set since arm_ was made
  } catch (...) {
    forget_parameters();
    throw;
  }
  const auto latched = rclcpp::QoS(1).reliable().transient_local();
  rclcpp::SubscriptionOptions one_at_a_time;
  one_at_a_time.callback_group = payloads_.one_at_a_time();
  description_ = rclcpp::create_subscription<std_msgs::msg::String>(
      *node, "robot_description", latched,
      gate_.guard([this](const std_msgs::msg::String::ConstSharedPtr& message) { take_description(message->data); }),
      one_at_a_time);
}

ArmNode::~ArmNode() {
  driver_load_.stop();
  forget_parameters();
}

// rclcpp has one mutex for these and for the callbacks, so that none of them runs when this returns.
void ArmNode::forget_parameters() {
  node_->remove_on_set_parameters_callback(on_set_.get());
  node_->remove_post_set_parameters_callback(post_set_.get());
}

namespace {

// generate_parameter_library accepts NaN within any bounds.
void require_finite(const rclcpp::Parameter& change) {
  const bool number = change.get_type() == rclcpp::ParameterType::PARAMETER_DOUBLE;
  const bool numbers = change.get_type() == rclcpp::ParameterType::PARAMETER_DOUBLE_ARRAY;
  bool finite = !number || std::isfinite(change.as_double());
  for (const double x : numbers ? change.as_double_array() : std::vector<double>{}) finite = finite && std::isfinite(x);
  if (!finite) {
    throw dyn::ModelError(change.get_name() + ": " + change.value_to_string() + " is not " +
                          (numbers ? "finite in every entry" : "a finite number"));
  }
}

}  // namespace

// Checks that generate_parameter_library cannot make. It checks types and bounds itself; a parameter changes only if
// both accept it.
rcl_interfaces::msg::SetParametersResult ArmNode::judge(const std::vector<rclcpp::Parameter>& changes) const {
  rcl_interfaces::msg::SetParametersResult result;
  result.successful = true;
  try {
    parameters::Params wanted = listener_->get_params();
    for (const rclcpp::Parameter& change : changes) {
      require_finite(change);
      if (change.get_name() == "jsim_algorithm") wanted.jsim_algorithm = change.as_string();
      if (change.get_name() == "coriolis_algorithm") wanted.coriolis_algorithm = change.as_string();
      if (change.get_name() == "law") wanted.law = change.as_string();
      if (change.get_name() == "adaptation_gain") wanted.adaptation_gain = change.as_double();
      if (change.get_name() == "adaptation_mass") wanted.adaptation_mass = change.as_double();
      if (change.get_name() == "adaptation_radius") wanted.adaptation_radius = change.as_double();
      if (change.get_name() == "effort_limit_scale") wanted.effort_limit_scale = change.as_double();
      if (change.get_name() == "gravity") wanted.gravity = change.as_double_array();
      if (change.get_name() == "task.posture") wanted.task.posture = change.as_double_array();
      for (auto& [joint, gains] : wanted.gains.joints_map) {
        const std::string prefix = "gains." + joint + '.';
        if (change.get_name() == prefix + "p") gains.p = change.as_double();
        if (change.get_name() == prefix + "d") gains.d = change.as_double();
      }
    }
    arm_.check_parameters(wanted);
  } catch (const std::exception& error) {
    result.successful = false;
    result.reason = error.what();
  }
  return result;
}

// Locked, so that what is applied last is what is newest.
void ArmNode::use_newest_parameters() {
  const std::scoped_lock lock(applying_);
  arm_.set_parameters(listener_->get_params());
}

void ArmNode::apply() {
  try {
    use_newest_parameters();
  } catch (const std::exception& error) {
    RCLCPP_ERROR(node_->get_logger(), "parameters are not applied: %s", error.what());
  }
}

void ArmNode::take_description(const std::string& urdf) {
  try {
    const std::string applied = arm_.replace_description(urdf);
    if (!applied.empty()) RCLCPP_INFO(node_->get_logger(), "%s", applied.c_str());
  } catch (const std::exception& error) {
    RCLCPP_ERROR(node_->get_logger(), "the new robot_description is refused: %s", error.what());
  }
}

}  // namespace dyn_controllers
