// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The services and topics of a controller's node outside the loop, for the one arm that it configured: parameters that
// change while active, robot_description, services for payloads and other joints, ~/controller_state, introspection. It
// exists from on_configure to on_cleanup, so that payloads stay attached and services answer while the controller is
// inactive.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "dyn_controllers/arm.hpp"
#include "dyn_controllers/callback_gate.hpp"
#include "dyn_controllers/cycle_reporter.hpp"
#include "dyn_controllers/driver_load.hpp"
#include "dyn_controllers/introspection.hpp"
#include "dyn_controllers/joint_service.hpp"
#include "dyn_controllers/payload_estimation.hpp"
#include "dyn_controllers/payload_services.hpp"
#include "dyn_controllers/state_publisher.hpp"
#include "std_msgs/msg/string.hpp"

namespace dyn_controllers {

class ArmNode {
 public:
  // Throws dyn::ModelError with the reason why this robot and these parameters do not go together.
  // `numbers` must outlive this object.
  ArmNode(const rclcpp_lifecycle::LifecycleNode::SharedPtr& node, ControllerJointNumbers& numbers,
          const std::string& urdf, dyn::control::Law law, const std::shared_ptr<parameters::ParamListener>& listener,
          double rate_hz);
  ~ArmNode();
  ArmNode(const ArmNode&) = delete;
  ArmNode& operator=(const ArmNode&) = delete;
  ArmNode(ArmNode&&) = delete;
  ArmNode& operator=(ArmNode&&) = delete;

  [[nodiscard]] Arm& arm() noexcept { return arm_; }
  [[nodiscard]] const Arm& arm() const noexcept { return arm_; }
  [[nodiscard]] StatePublisher& state() noexcept { return state_; }
  [[nodiscard]] CycleReporter& reporter() noexcept { return reporter_; }
  [[nodiscard]] Introspection& introspection() noexcept { return introspection_; }

 private:
  rcl_interfaces::msg::SetParametersResult judge(const std::vector<rclcpp::Parameter>& changes) const;
  void use_newest_parameters();
  void apply();
  void forget_parameters();
  void take_description(const std::string& urdf);

  rclcpp_lifecycle::LifecycleNode::SharedPtr node_;
  std::shared_ptr<parameters::ParamListener> listener_;
  std::mutex applying_;
  Arm arm_;
  StatePublisher state_;
  CycleReporter reporter_;
  Introspection introspection_;
  DriverLoad driver_load_;
  PayloadServices payloads_;
  JointService joints_;
  PayloadEstimation estimation_;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr on_set_;
  rclcpp::node_interfaces::PostSetParametersCallbackHandle::SharedPtr post_set_;
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr description_;
  CallbackGate gate_;
};

}  // namespace dyn_controllers
