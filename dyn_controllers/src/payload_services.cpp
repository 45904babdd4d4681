// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/payload_services.hpp"

#include <algorithm>
#include <utility>

#include "dyn_controllers/message_duration.hpp"
#include "dyn_controllers/service_answers.hpp"
#include "dyn_core/model/name_limit.hpp"
#include "dyn_core/model/urdf.hpp"

namespace dyn_controllers {
namespace {

dyn::Pose pose_from_message(const geometry_msgs::msg::Pose& message) {
  const auto& r = message.orientation;
  Eigen::Quaterniond turn(r.w, r.x, r.y, r.z);
  if (turn.norm() == 0.0) turn.setIdentity();
  if (!(turn.norm() > 0.99 && turn.norm() < 1.01)) {
    throw dyn::ModelError("pose: the length of the quaternion is " + std::to_string(turn.norm()) + ", not 1");
  }
  turn.normalize();
  return {turn.toRotationMatrix(), {message.position.x, message.position.y, message.position.z}};
}

}  // namespace

dyn::Payload payload_from_message(const dyn_msgs::msg::Payload& message) {
  dyn::check_name_length("the name of payload", message.name);
  dyn::check_name_length("link", message.link);
  const dyn::Pose pose = pose_from_message(message.pose);
  const auto& inertia = message.inertia;
  if (!message.urdf.empty()) {
    if (inertia.m != 0.0) throw dyn::ModelError("payload '" + message.name + "' has both an inertia and a urdf");
    return dyn::Payload::articulated(message.name, message.link, dyn::parse_urdf(message.urdf, message.name), pose);
  }
  dyn::Inertial inertial;
  inertial.mass_kg = inertia.m;
  inertial.com_m = {inertia.com.x, inertia.com.y, inertia.com.z};
  inertial.inertia_com_kgm2 =
      dyn::inertia_tensor(inertia.ixx, inertia.ixy, inertia.ixz, inertia.iyy, inertia.iyz, inertia.izz);
  return dyn::Payload::rigid(message.name, message.link, inertial, pose);
}

PayloadServices::PayloadServices(const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr& base,
                                 const rclcpp::node_interfaces::NodeServicesInterface::SharedPtr& services,
                                 Publisher::SharedPtr publisher, const rclcpp::Logger& logger, PayloadCarrier carrier)
    : logger_(logger),
      carrier_(std::move(carrier)),
      one_at_a_time_(base->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive)),
      publisher_(std::move(publisher)) {
  publisher_->publish(attached_);
  const auto qos = rclcpp::ServicesQoS();
  using dyn_msgs::srv::AttachPayload, dyn_msgs::srv::DetachPayload, dyn_msgs::srv::ListPayloads;
  attach_service_ = rclcpp::create_service<AttachPayload>(
      base, services, "~/attach_payload",
      gate_.guard([this](const AttachPayload::Request::SharedPtr& request,
                         const AttachPayload::Response::SharedPtr& response) { attach(*request, *response); }),
      qos, one_at_a_time_);
  detach_service_ = rclcpp::create_service<DetachPayload>(
      base, services, "~/detach_payload",
      gate_.guard([this](const DetachPayload::Request::SharedPtr& request,
                         const DetachPayload::Response::SharedPtr& response) { detach(*request, *response); }),
      qos, one_at_a_time_);
  list_service_ = rclcpp::create_service<ListPayloads>(
      base, services, "~/list_payloads",
      gate_.guard([this](const ListPayloads::Request::SharedPtr&, const ListPayloads::Response::SharedPtr& response) {
        response->payloads = attached_.payloads;
      }),
      qos, one_at_a_time_);
}

void PayloadServices::attach(const dyn_msgs::srv::AttachPayload::Request& request,
                             dyn_msgs::srv::AttachPayload::Response& response) {
  try {
    const auto applied = carrier_.attach(payload_from_message(request.payload), seconds(request.transition_time));
    attached_.payloads.push_back(request.payload);
    report(applied, "attached '" + request.payload.name + "' to '" + request.payload.link + "'", response);
    publisher_->publish(attached_);
    RCLCPP_INFO(logger_, "%s", response.message.c_str());
  } catch (const std::exception& error) {
    refuse(error, response);
    RCLCPP_ERROR(logger_, "attach_payload refused: %s", error.what());
  }
}

void PayloadServices::detach(const dyn_msgs::srv::DetachPayload::Request& request,
                             dyn_msgs::srv::DetachPayload::Response& response) {
  try {
    dyn::check_name_length("the name of payload", request.name);
    const auto applied = carrier_.detach(request.name, seconds(request.transition_time));
    auto& all = attached_.payloads;
    all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& p) { return p.name == request.name; }), all.end());
    report(applied, "detached '" + request.name + "'", response);
    publisher_->publish(attached_);
    RCLCPP_INFO(logger_, "%s", response.message.c_str());
  } catch (const std::exception& error) {
    refuse(error, response);
    RCLCPP_ERROR(logger_, "detach_payload refused: %s", error.what());
  }
}

}  // namespace dyn_controllers
