// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A controller by itself, as ros2_controllers tests theirs: made, configured with parameters, given interfaces of the
// test's own, stepped by hand. No controller manager, no executor but what a test spins, no clock.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "controller_interface/controller_interface_base.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/model/urdf.hpp"
#include "dyn_msgs/srv/attach_payload.hpp"
#include "lifecycle_msgs/msg/state.hpp"
#include "rclcpp/rclcpp.hpp"

namespace dyn_controllers::test {

using controller_interface::return_type;
using lifecycle_msgs::msg::State;

inline std::string arm7_urdf() { return dyn::read_urdf_text(dyn::find_robot("arm7")); }

inline std::vector<std::string> arm7_joints() { return dyn::load_model("arm7").coordinate_names(); }

// Gains for every joint, and `joints`; what a test sets besides goes on top.
inline std::map<std::string, rclcpp::ParameterValue> arm7_parameters() {
  std::map<std::string, rclcpp::ParameterValue> all;
  all["joints"] = rclcpp::ParameterValue(arm7_joints());
  all["state_timeout"] = rclcpp::ParameterValue(0.0);  // states stay where tests put them, whatever the torque
  for (const std::string& joint : arm7_joints()) {
    all["gains." + joint + ".p"] = rclcpp::ParameterValue(400.0);
    all["gains." + joint + ".d"] = rclcpp::ParameterValue(40.0);
  }
  return all;
}

// 2 kg on `link`, centre of mass off the axis.
inline dyn_msgs::srv::AttachPayload::Request box(const std::string& link = "tool0") {
  dyn_msgs::srv::AttachPayload::Request request;
  request.payload.name = "box";
  request.payload.link = link;
  request.payload.inertia.m = 2.0;
  request.payload.inertia.com.x = 0.05;
  request.payload.inertia.ixx = request.payload.inertia.iyy = request.payload.inertia.izz = 0.01;
  return request;
}

template <class Controller>
class Plugin {
 public:
  explicit Plugin(const std::map<std::string, rclcpp::ParameterValue>& parameters = arm7_parameters(),
                  const std::string& urdf = arm7_urdf(), unsigned rate_hz = 1000, const std::string& space = "")
      : controller(std::make_shared<Controller>()) {
    controller_interface::ControllerInterfaceParams params;
    params.controller_name = "controller";
    params.node_namespace = space;
    params.robot_description = urdf;
    params.update_rate = rate_hz;
    params.controller_manager_update_rate = rate_hz;
    params.node_options = controller->define_custom_node_options();
    for (const auto& [name, value] : parameters) params.node_options.append_parameter_override(name, value);
    initialised = controller->init(params) == return_type::OK;
  }
  ~Plugin() {
    if (!initialised) return;
    if (state() == State::PRIMARY_STATE_ACTIVE) (void)controller->get_node()->deactivate();
    controller->release_interfaces();
    (void)controller->get_node()->shutdown();
  }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  [[nodiscard]] std::uint8_t state() const { return controller->get_lifecycle_state().id(); }
  bool configure() { return controller->configure().id() == State::PRIMARY_STATE_INACTIVE; }

  // What the controller asks for, in its order: states start as `initial` has them or at 0, commands at NaN.
  void assign_interfaces() {
    states.clear();
    commands.clear();
    std::vector<hardware_interface::LoanedStateInterface> loaned_states;
    for (const std::string& name : controller->state_interface_configuration().names) {
      states[name] = std::make_shared<hardware_interface::StateInterface>(described(name));
      if (types.count(name) == 0) (void)states[name]->set_value(initial.count(name) == 0 ? 0.0 : initial.at(name));
      loaned_states.emplace_back(states[name], nullptr);
    }
    std::vector<hardware_interface::LoanedCommandInterface> loaned_commands;
    for (const std::string& name : controller->command_interface_configuration().names) {
      commands[name] = std::make_shared<hardware_interface::CommandInterface>(described(name));
      loaned_commands.emplace_back(commands[name], nullptr);
    }
    controller->assign_interfaces(std::move(loaned_commands), std::move(loaned_states));
  }
  bool activate() {
    references = controller->export_reference_interfaces();
    assign_interfaces();
    return controller->get_node()->activate().id() == State::PRIMARY_STATE_ACTIVE;
  }
  // From made to active; what went wrong is a failure of the test.
  void start(bool chained) {
    ASSERT_TRUE(initialised);
    ASSERT_TRUE(configure());
    ASSERT_TRUE(controller->set_chained_mode(chained) || !controller->is_chainable());
    ASSERT_TRUE(activate());
  }

  return_type update() {
    time_ns += 1'000'000;
    return controller->update(rclcpp::Time(time_ns, RCL_ROS_TIME), rclcpp::Duration::from_seconds(0.001));
  }

  // Where the arm stands when the controller is activated.
  void begin_at(const std::vector<std::string>& joints, const std::vector<double>& q, const std::vector<double>& v) {
    for (std::size_t i = 0; i < joints.size(); ++i) {
      initial[joints[i] + "/position"] = q[i];
      initial[joints[i] + "/velocity"] = v[i];
    }
  }
  void set_state(const std::string& name, double value) { (void)states.at(name)->set_value(value); }
  [[nodiscard]] double command(const std::string& name) const {
    return commands.at(name)->template get_optional<double>().value();
  }
  // CONTROLLER/JOINT/INTERFACE
  [[nodiscard]] hardware_interface::CommandInterface& reference(const std::string& name) {
    for (const auto& interface : references) {
      if (interface->get_name() == "controller/" + name) return *interface;
    }
    throw std::out_of_range(name);
  }
  rcl_interfaces::msg::SetParametersResult set(const std::string& name, const rclcpp::ParameterValue& value) {
    return controller->get_node()->set_parameter(rclcpp::Parameter(name, value));
  }

  std::shared_ptr<Controller> controller;
  bool initialised = false;
  std::map<std::string, std::string> types;  // of interfaces that are not double
  std::map<std::string, hardware_interface::StateInterface::SharedPtr> states;
  std::map<std::string, double> initial;  // states at activation
  std::map<std::string, hardware_interface::CommandInterface::SharedPtr> commands;
  std::vector<hardware_interface::CommandInterface::SharedPtr> references;
  std::int64_t time_ns = 1'000'000'000;

 private:
  hardware_interface::InterfaceDescription described(const std::string& name) {
    const size_t slash = name.rfind('/');
    hardware_interface::InterfaceInfo info;
    info.name = name.substr(slash + 1);
    info.data_type = types.count(name) == 0 ? "double" : types.at(name);
    return {name.substr(0, slash), info};
  }
};

// The controller's node and another one that calls it, on one executor that the test spins itself.
struct Room {
  explicit Room(rclcpp_lifecycle::LifecycleNode& controller) : node(std::make_shared<rclcpp::Node>("user")) {
    executor.add_node(controller.get_node_base_interface());
    executor.add_node(node);
  }
  template <class Service>
  typename Service::Response::SharedPtr call(const std::string& name, const typename Service::Request& request) {
    auto client = node->create_client<Service>("/controller/" + name);
    EXPECT_TRUE(client->wait_for_service(std::chrono::seconds(5)));
    auto answer = client->async_send_request(std::make_shared<typename Service::Request>(request));
    EXPECT_EQ(executor.spin_until_future_complete(answer.future, std::chrono::seconds(10)),
              rclcpp::FutureReturnCode::SUCCESS);
    return answer.get();
  }
  template <class Condition>
  bool spin_until(Condition&& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(50);  // on a busy machine
    while (!condition() && std::chrono::steady_clock::now() < end) {
      executor.spin_once(std::chrono::milliseconds(10));
      executor.spin_some();  // timers go first, and on a busy machine one of them may always be due
    }
    return condition();
  }
  rclcpp::executors::SingleThreadedExecutor executor;
  rclcpp::Node::SharedPtr node;
};

}  // namespace dyn_controllers::test
