// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// ~/attach_payload, ~/detach_payload, ~/list_payloads and the latched topic ~/payloads, on any node, for anything that
// can carry payloads: a controller's model, a simulated arm. They work whether the owner is active or not. A request is
// applied completely or refused with the reason.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "dyn_controllers/callback_gate.hpp"
#include "dyn_core/live/live_model.hpp"
#include "dyn_msgs/msg/payloads.hpp"
#include "dyn_msgs/srv/attach_payload.hpp"
#include "dyn_msgs/srv/detach_payload.hpp"
#include "dyn_msgs/srv/list_payloads.hpp"
#include "rclcpp/rclcpp.hpp"

namespace dyn_controllers {

// Throws dyn::ModelError if the message does not describe a possible payload.
dyn::Payload payload_from_message(const dyn_msgs::msg::Payload& message);

// Both throw dyn::ModelError with the reason, and then nothing has changed.
struct PayloadCarrier {
  std::function<dyn::live::Applied(const dyn::Payload&, double transition_time_s)> attach;
  std::function<dyn::live::Applied(const std::string& name, double transition_time_s)> detach;
};

class PayloadServices {
 public:
  template <class Node>
  PayloadServices(Node& node, PayloadCarrier carrier)
      : PayloadServices(
            node.get_node_base_interface(), node.get_node_services_interface(),
            rclcpp::create_publisher<dyn_msgs::msg::Payloads>(node, "~/payloads", rclcpp::QoS(1).transient_local()),
            node.get_logger(), std::move(carrier)) {}

  // What the service does. For callbacks of one_at_a_time().
  void attach(const dyn_msgs::srv::AttachPayload::Request& request, dyn_msgs::srv::AttachPayload::Response& response);
  [[nodiscard]] const rclcpp::CallbackGroup::SharedPtr& one_at_a_time() const noexcept { return one_at_a_time_; }

 private:
  using Publisher = rclcpp::Publisher<dyn_msgs::msg::Payloads>;
  PayloadServices(const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr& base,
                  const rclcpp::node_interfaces::NodeServicesInterface::SharedPtr& services,
                  Publisher::SharedPtr publisher, const rclcpp::Logger& logger, PayloadCarrier carrier);

  void detach(const dyn_msgs::srv::DetachPayload::Request& request, dyn_msgs::srv::DetachPayload::Response& response);

  rclcpp::Logger logger_;
  PayloadCarrier carrier_;
  dyn_msgs::msg::Payloads attached_;  // as requested
  rclcpp::CallbackGroup::SharedPtr one_at_a_time_;
  Publisher::SharedPtr publisher_;
  rclcpp::Service<dyn_msgs::srv::AttachPayload>::SharedPtr attach_service_;
  rclcpp::Service<dyn_msgs::srv::DetachPayload>::SharedPtr detach_service_;
  rclcpp::Service<dyn_msgs::srv::ListPayloads>::SharedPtr list_service_;
  CallbackGate gate_;
};

}  // namespace dyn_controllers
