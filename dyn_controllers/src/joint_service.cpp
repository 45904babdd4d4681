// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/joint_service.hpp"

#include <utility>

#include "dyn_controllers/message_duration.hpp"
#include "dyn_controllers/service_answers.hpp"
#include "dyn_core/model/name_limit.hpp"

namespace dyn_controllers {
namespace {

dyn::CoordinateMap map_from_message(const std::vector<dyn_msgs::msg::JointChange>& changes) {
  dyn::CoordinateMap map;
  for (const auto& change : changes) {
    dyn::check_name_length("joint", change.joint);
    dyn::check_name_length("joint", change.becomes);
    const auto becomes = change.becomes.empty() ? std::nullopt : std::optional(change.becomes);
    if (!map.emplace(change.joint, becomes).second) {
      throw dyn::ModelError("map: joint '" + change.joint + "' is listed twice");
    }
  }
  return map;
}

}  // namespace

JointService::JointService(const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr& base,
                           const rclcpp::node_interfaces::NodeServicesInterface::SharedPtr& services,
                           const rclcpp::CallbackGroup::SharedPtr& group, const rclcpp::Logger& logger,
                           JointReplacement replace)
    : logger_(logger), replace_(std::move(replace)) {
  service_ = rclcpp::create_service<Service>(
      base, services, "~/replace_joints",
      gate_.guard([this](const Service::Request::SharedPtr& request, const Service::Response::SharedPtr& response) {
        this->replace(*request, *response);
      }),
      rclcpp::ServicesQoS(), group);
}

void JointService::replace(const Service::Request& request, Service::Response& response) {
  try {
    const auto applied = replace_(request.urdf, map_from_message(request.map), seconds(request.transition_time));
    report(applied, "the robot has " + std::to_string(applied.coordinate_names.size()) + " coordinates now", response);
    RCLCPP_INFO(logger_, "replace_joints: %s", response.message.c_str());
  } catch (const std::exception& error) {
    refuse(error, response);
    RCLCPP_ERROR(logger_, "replace_joints refused: %s", error.what());
  }
}

}  // namespace dyn_controllers
