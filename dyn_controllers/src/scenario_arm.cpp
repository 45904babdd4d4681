// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/scenario_arm.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace dyn_controllers {
namespace {

using namespace std::chrono_literals;
using dyn::sim::Target;

constexpr double point_every_s = 0.02;  // joint_trajectory_controller interpolates with quintics
constexpr double stop_s = 1.0;

template <class Future>
auto answer_of(Future& future, const std::string& whose) {
  if (future.wait_for(10s) != std::future_status::ready) throw std::runtime_error(whose + ": no answer within 10 s");
  return future.get();
}

template <class Service>
std::string call(const typename rclcpp::Client<Service>::SharedPtr& client,
                 const typename Service::Request::SharedPtr& request) {
  auto future = client->async_send_request(request);
  const auto response = answer_of(future, client->get_service_name());
  if (!response->success) throw std::runtime_error(client->get_service_name() + (": " + response->message));
  return response->message;
}

builtin_interfaces::msg::Duration duration(double seconds) { return rclcpp::Duration::from_seconds(seconds); }

geometry_msgs::msg::Pose message_from(const dyn::Pose& pose) {
  const Eigen::Quaterniond turn(pose.R);
  geometry_msgs::msg::Pose message;
  message.position.x = pose.p_m.x();
  message.position.y = pose.p_m.y();
  message.position.z = pose.p_m.z();
  message.orientation.w = turn.w();
  message.orientation.x = turn.x();
  message.orientation.y = turn.y();
  message.orientation.z = turn.z();
  return message;
}

dyn_msgs::msg::Payload message_from(const dyn::sim::AttachEvent& event) {
  dyn_msgs::msg::Payload message;
  message.name = event.payload.name();
  message.link = event.payload.link();
  message.pose = message_from(event.payload.link_T_payload());
  if (const dyn::Inertial* const body = event.payload.inertial()) {
    message.inertia.m = body->mass_kg;
    message.inertia.com.x = body->com_m.x();
    message.inertia.com.y = body->com_m.y();
    message.inertia.com.z = body->com_m.z();
    const dyn::Mat3d& i = body->inertia_com_kgm2;
    message.inertia.ixx = i(0, 0);
    message.inertia.ixy = i(0, 1);
    message.inertia.ixz = i(0, 2);
    message.inertia.iyy = i(1, 1);
    message.inertia.iyz = i(1, 2);
    message.inertia.izz = i(2, 2);
  } else {
    std::ostringstream urdf;
    urdf << std::ifstream(event.chain_file).rdbuf();
    message.urdf = urdf.str();
  }
  return message;
}

// The value as the type that the parameter has.
rclcpp::Parameter as_type(const std::string& name, const std::string& value, rclcpp::ParameterType type) {
  switch (type) {
    case rclcpp::ParameterType::PARAMETER_DOUBLE: return {name, std::stod(value)};
    case rclcpp::ParameterType::PARAMETER_INTEGER: return {name, std::stol(value)};
    case rclcpp::ParameterType::PARAMETER_BOOL: return {name, value == "true"};
    case rclcpp::ParameterType::PARAMETER_STRING: return {name, value};
    default: throw std::runtime_error("the controller has no parameter '" + name + "' that one value can be set to");
  }
}

std::string controller_name(dyn::control::Law law) {
  using dyn::control::Law;
  if (law == Law::task_space) return "task_space_controller";
  if (law == Law::gravity_compensation) return "gravity_compensation_controller";
  return law == Law::feedforward ? "feedforward_controller" : "computed_torque_controller";
}

std::vector<std::string> without(std::vector<std::string> all, const std::vector<std::string>& some) {
  const auto among = [&](const std::string& name) { return std::count(some.begin(), some.end(), name) > 0; };
  all.erase(std::remove_if(all.begin(), all.end(), among), all.end());
  return all;
}

}  // namespace

ScenarioArm::ScenarioArm(rclcpp::Node& node, const dyn::sim::ArmConfig& arm, const std::string& space)
    : arm_(arm),
      all_joints_(dyn::Model::build(arm.description, arm.live.model).coordinate_names()),
      joints_(without(all_joints_, arm.passive_joints)),
      record_(arm, joints_) {
  const std::string controller = space + '/' + controller_name(arm.controller.law);
  const std::string plant = space + "/simulated_arm";
  if (arm.poses) {
    frame_ = std::make_unique<ScenarioFrame>(node, arm, controller, plant, record_);
  } else {
    follow_ =
        rclcpp_action::create_client<Follow>(&node, space + "/joint_trajectory_controller/follow_joint_trajectory");
  }
  attach_model_ = node.create_client<AttachPayload>(controller + "/attach_payload");
  attach_plant_ = node.create_client<AttachPayload>(plant + "/attach_payload");
  detach_model_ = node.create_client<DetachPayload>(controller + "/detach_payload");
  detach_plant_ = node.create_client<DetachPayload>(plant + "/detach_payload");
  push_ = node.create_client<PushLink>(plant + "/push");
  parameters_ = std::make_shared<rclcpp::AsyncParametersClient>(
      node.get_node_base_interface(), node.get_node_topics_interface(), node.get_node_graph_interface(),
      node.get_node_services_interface(), controller);
  states_ = node.create_subscription<dyn_msgs::msg::ControllerState>(
      controller + "/controller_state", rclcpp::QoS(50),
      [this](const dyn_msgs::msg::ControllerState::ConstSharedPtr& state) { record_.add(*state); });
  residuals_ = node.create_subscription<dyn_msgs::msg::Validation>(
      controller + "/validation", rclcpp::QoS(50),
      [this](const dyn_msgs::msg::Validation::ConstSharedPtr& residual) { record_.add(*residual); });
}

std::string ScenarioArm::missing() const {
  if (frame_ && !frame_->has_a_listener()) return frame_->topic();
  if (follow_ && !follow_->action_server_is_ready()) return "joint_trajectory_controller of " + arm_.name;
  for (const rclcpp::ClientBase::SharedPtr& client :
       std::vector<rclcpp::ClientBase::SharedPtr>{attach_model_, attach_plant_, detach_model_, detach_plant_, push_}) {
    if (!client->service_is_ready()) return client->get_service_name();
  }
  if (!parameters_->service_is_ready()) return "parameters of the controller";
  return missing_state();
}

std::string ScenarioArm::missing_state() const { return record_.has_seen_a_state() ? "" : states_->get_topic_name(); }

// By the action, not by the topic: its answer says whether it was accepted.
void ScenarioArm::send_trajectory(const rclcpp::Time& begin, double duration_s) {
  if (frame_) {
    frame_->play(begin, duration_s);
    return;
  }
  Follow::Goal goal;
  goal.trajectory = trajectory(begin, duration_s);
  auto sent = follow_->async_send_goal(goal);
  if (!answer_of(sent, "joint_trajectory_controller")) {
    throw std::runtime_error(arm_.name + ": joint_trajectory_controller refused the trajectory");
  }
}

trajectory_msgs::msg::JointTrajectory ScenarioArm::trajectory(const rclcpp::Time& begin, double duration_s) const {
  const size_t all = all_joints_.size();
  std::vector<double> q(all), v(all), a(all);
  trajectory_msgs::msg::JointTrajectory message;
  message.header.stamp = begin;
  message.joint_names = joints_;
  const auto add = [&](double time_s) {
    trajectory_msgs::msg::JointTrajectoryPoint point;
    point.time_from_start = duration(time_s);
    for (size_t i = 0; i < all; ++i) {
      if (std::count(joints_.begin(), joints_.end(), all_joints_[i]) == 0) continue;
      point.positions.push_back(q[i]);
      point.velocities.push_back(v[i]);
      point.accelerations.push_back(a[i]);
    }
    message.points.push_back(point);
  };
  const long points = std::lround(duration_s / point_every_s);
  for (long k = 0; k <= points; ++k) {
    const double time_s = static_cast<double>(k) * point_every_s;
    arm_.trajectory->sample(time_s, q, v, a);
    add(time_s);
  }
  for (size_t i = 0; i < all; ++i) q[i] += 0.5 * stop_s * v[i];
  std::fill(v.begin(), v.end(), 0.0);
  std::fill(a.begin(), a.end(), 0.0);
  add(static_cast<double>(points) * point_every_s + stop_s);
  return message;
}

std::string ScenarioArm::apply(const dyn::sim::Event& event) {
  return std::visit([this](const auto& what) { return put(what); }, event.what);
}

// The plant first: the model must not have a payload before the arm has it.
template <class Service>
std::string ScenarioArm::on_targets(Target target, const typename rclcpp::Client<Service>::SharedPtr& model,
                                    const typename rclcpp::Client<Service>::SharedPtr& plant,
                                    const typename Service::Request::SharedPtr& request) {
  std::string answer;
  if (target != Target::model) answer = call<Service>(plant, request);
  if (target != Target::plant) answer = call<Service>(model, request);
  return answer;
}

std::string ScenarioArm::put(const dyn::sim::AttachEvent& event) {
  const auto request = std::make_shared<AttachPayload::Request>();
  request->payload = message_from(event);
  request->transition_time = duration(event.transition_time_s);
  return on_targets<AttachPayload>(event.target, attach_model_, attach_plant_, request);
}

std::string ScenarioArm::put(const dyn::sim::DetachEvent& event) {
  const auto request = std::make_shared<DetachPayload::Request>();
  request->name = event.payload;
  request->transition_time = duration(event.transition_time_s);
  return on_targets<DetachPayload>(event.target, detach_model_, detach_plant_, request);
}

std::string ScenarioArm::put(const dyn::sim::SetEvent& event) {
  const std::string name = event.parameter == "type" ? "law" : event.parameter;
  auto types = parameters_->get_parameter_types({name});
  const auto type = answer_of(types, "get_parameter_types").at(0);
  auto future = parameters_->set_parameters_atomically({as_type(name, event.value, type)});
  const auto result = answer_of(future, "set_parameters_atomically");
  if (!result.successful) throw std::runtime_error(result.reason);
  return name + " is " + event.value;
}

std::string ScenarioArm::put(const dyn::sim::RobotEvent&) {
  throw std::runtime_error("event robot: only `dyn run` can replace the robot's joints while it runs");
}

std::string ScenarioArm::put(const dyn::sim::PushEvent& event) {
  const auto request = std::make_shared<PushLink::Request>();
  request->link = event.link;
  request->force.x = event.force_N.x();
  request->force.y = event.force_N.y();
  request->force.z = event.force_N.z();
  request->point.x = event.point_m.x();
  request->point.y = event.point_m.y();
  request->point.z = event.point_m.z();
  request->duration = duration(event.duration_s);
  return call<PushLink>(push_, request);
}

std::string ScenarioArm::put(const dyn::sim::EstimateEvent& event) {
  throw std::runtime_error("estimate " + event.name + ": only `dyn run` learns payloads from the motion");
}

}  // namespace dyn_controllers
