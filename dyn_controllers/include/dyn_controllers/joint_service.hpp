// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// ~/replace_joints on any node, for what has a robot whose joints may become others while it runs: a controller's
// model, a simulated arm. It works whether the owner is active or not. A request is applied completely or refused with
// the reason.
#pragma once

#include <functional>
#include <string>

#include "dyn_controllers/callback_gate.hpp"
#include "dyn_core/live/live_model.hpp"
#include "dyn_msgs/srv/replace_joints.hpp"
#include "rclcpp/rclcpp.hpp"

namespace dyn_controllers {

// Throws dyn::ModelError with the reason, and then nothing has changed.
using JointReplacement =
    std::function<dyn::live::Applied(const std::string& urdf, const dyn::CoordinateMap& map, double transition_time_s)>;

class JointService {
 public:
  // `group`: of the other services that change the model, one at a time.
  template <class Node>
  JointService(Node& node, const rclcpp::CallbackGroup::SharedPtr& group, JointReplacement replace)
      : JointService(node.get_node_base_interface(), node.get_node_services_interface(), group, node.get_logger(),
                     std::move(replace)) {}

 private:
  using Service = dyn_msgs::srv::ReplaceJoints;
  JointService(const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr& base,
               const rclcpp::node_interfaces::NodeServicesInterface::SharedPtr& services,
               const rclcpp::CallbackGroup::SharedPtr& group, const rclcpp::Logger& logger, JointReplacement replace);
  void replace(const Service::Request& request, Service::Response& response);

  rclcpp::Logger logger_;
  JointReplacement replace_;
  rclcpp::Service<Service>::SharedPtr service_;
  CallbackGate gate_;
};

}  // namespace dyn_controllers
