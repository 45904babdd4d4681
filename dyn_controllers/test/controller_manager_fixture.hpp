// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A real controller manager with the simulated arm, stepped by hand: simulated time, at 1 kHz unless set_rate() was
// called, on the manager's own clock, which controllers are given, so that results do not depend on how fast the
// machine is. Controllers come by pluginlib from the installed package.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "controller_interface/controller_interface.hpp"
#include "controller_manager/controller_manager.hpp"
#include "dyn_controllers/torque_controller.hpp"
#include "plugin_fixture.hpp"

namespace dyn_controllers::test {

// What a test wants beside the usual.
struct Extras {
  std::string hardware_parameters;          // XML, in <hardware>
  std::vector<std::string> payload_joints;  // PAYLOAD/JOINT, shown by the hardware, passive to the controller
  std::string parameters{};                 // YAML, of torque controllers
  std::vector<std::string> more_joints{};   // with interfaces of their own and gains, after arm7's
};

inline std::vector<std::string> joints_of(const Extras& extras) {
  std::vector<std::string> joints = arm7_joints();
  joints.insert(joints.end(), extras.more_joints.begin(), extras.more_joints.end());
  return joints;
}

// `description` with a <ros2_control> tag for all of joints_of(extras). `start`: initial positions.
inline std::string with_simulated_arm(std::string description, const std::vector<double>& start, const Extras& extras) {
  std::ostringstream tag;
  tag << "<ros2_control name='simulated_arm' type='system'><hardware><plugin>dyn_controllers/SimulatedArm</plugin>"
      << "<param name='friction'>false</param>" << extras.hardware_parameters << "</hardware>";
  const auto joints = joints_of(extras);
  for (size_t i = 0; i < joints.size(); ++i) {
    tag << "<joint name='" << joints[i] << "'><command_interface name='position'/><command_interface name='velocity'/>"
        << "<command_interface name='effort'/><state_interface name='position'><param name='initial_value'>" << start[i]
        << "</param></state_interface><state_interface name='velocity'/><state_interface name='effort'/></joint>";
  }
  for (const std::string& joint : extras.payload_joints) {
    tag << "<sensor name='" << joint
        << "'><state_interface name='position'/><state_interface name='velocity'/></sensor>";
  }
  tag << "</ros2_control></robot>";
  const size_t end = description.rfind("</robot>");
  return description.replace(end, std::string("</robot>").size(), tag.str());
}

// Parameters of the controllers, as a launch file would give them.
inline std::string parameters_file(const std::vector<std::string>& controllers, const Extras& extras) {
  std::ostringstream joints, gains;
  for (const std::string& joint : joints_of(extras)) {
    joints << (joints.tellp() > 0 ? ", " : "[") << joint;
    gains << "        " << joint << ": {p: 400.0, d: 40.0}\n";
  }
  joints << "]";
  std::ostringstream text;
  for (const std::string& name : controllers) {
    text << name << ":\n  ros__parameters:\n    joints: " << joints.str() << "\n";
    if (name == "joint_trajectory_controller") {
      text << "    command_joints: [";
      for (const std::string& joint : joints_of(extras)) text << "computed_torque_controller/" << joint << ", ";
      text << "]\n    command_interfaces: [position, velocity, acceleration]\n"
           << "    state_interfaces: [position, velocity]\n";
    } else if (name == "position_controller") {
      text << "    interface_name: position\n";
    } else if (name == "gravity_compensation") {
      text << "    gains:\n";
      for (const std::string& joint : arm7_joints()) text << "        " << joint << ": {d: 3.0}\n";
    } else {
      text << extras.parameters << "    gains:\n" << gains.str();
      if (extras.payload_joints.empty()) continue;
      text << "    max_payload_dofs: " << extras.payload_joints.size() << "\n    passive_joints:\n";
      for (const std::string& joint : extras.payload_joints) text << "      - " << joint << "\n";
    }
  }
  const auto file = std::filesystem::temp_directory_path() / ("dyn_controllers_" + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << text.str();
  return file.string();
}

// Claims the joints' positions and commands nothing: what the arm does, whoever controls it.
class Watcher : public controller_interface::ControllerInterface {
 public:
  controller_interface::CallbackReturn on_init() override { return controller_interface::CallbackReturn::SUCCESS; }
  [[nodiscard]] controller_interface::InterfaceConfiguration command_interface_configuration() const override {
    return {controller_interface::interface_configuration_type::NONE, {}};
  }
  [[nodiscard]] controller_interface::InterfaceConfiguration state_interface_configuration() const override {
    std::vector<std::string> names = arm7_joints();
    for (std::string& name : names) name += "/position";
    return {controller_interface::interface_configuration_type::INDIVIDUAL, names};
  }
  return_type update(const rclcpp::Time&, const rclcpp::Duration&) override {
    for (size_t i = 0; i < q.size(); ++i) q[i] = state_interfaces_[i].get_optional<double>().value();
    return return_type::OK;
  }
  std::vector<double> q = std::vector<double>(7, 0.0);
};

class ManagerTest : public testing::Test {
 protected:
  static constexpr int strict = controller_manager_msgs::srv::SwitchController::Request::STRICT;
  using Spec = std::pair<std::string, std::string>;  // name, type

  void start(const std::vector<double>& q, const std::vector<Spec>& controllers, const Extras& extras = {}) {
    std::vector<std::string> names;
    for (const auto& [name, type] : controllers) names.push_back(name);
    make_manager(with_simulated_arm(arm7_urdf(), q, extras), controllers, parameters_file(names, extras));
    if (HasFatalFailure()) return;
    watcher = std::make_shared<Watcher>();
    ASSERT_NE(manager->add_controller(watcher, "watcher", "Watcher"), nullptr);
    ASSERT_EQ(manager->configure_controller("watcher"), controller_interface::return_type::OK);
    switch_to({"watcher"}, {});
  }

  // Before make_manager().
  void set_rate(int rate_hz) { period = rclcpp::Duration::from_seconds(1.0 / rate_hz); }

  // All of them configured, none active.
  void make_manager(const std::string& urdf, const std::vector<Spec>& controllers, const std::string& file) {
    auto options = controller_manager::get_cm_node_options();
    options.append_parameter_override("update_rate", static_cast<int>(std::lround(1.0 / period.seconds())));
    options.append_parameter_override("use_sim_time", true);
    for (const auto& [name, type] : controllers) {
      options.append_parameter_override(name + ".type", type);
      options.append_parameter_override(name + ".params_file", std::vector<std::string>{file});
    }
    executor = std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
    manager = std::make_shared<controller_manager::ControllerManager>(executor, urdf, true, "controller_manager", "",
                                                                      options);
    now = rclcpp::Time(std::int64_t{1'000'000'000}, RCL_ROS_TIME);
    set_clock();
    user = std::make_shared<rclcpp::Node>("user");
    executor->add_node(user);
    for (const auto& [name, type] : controllers) {
      ASSERT_NE(manager->load_controller(name, type), nullptr) << name;
      ASSERT_EQ(manager->configure_controller(name), controller_interface::return_type::OK) << name;
    }
  }

  void set_clock() {
    const auto clock = manager->get_clock();
    const std::scoped_lock lock(clock->get_clock_mutex());
    ASSERT_EQ(rcl_enable_ros_time_override(clock->get_clock_handle()), RCL_RET_OK);
    ASSERT_EQ(rcl_set_ros_time_override(clock->get_clock_handle(), now.nanoseconds()), RCL_RET_OK);
  }

  // One period: what ros2_control_node does.
  void cycle() { cycle_after(period); }
  void cycle_after(const rclcpp::Duration& elapsed) {
    now += elapsed;
    set_clock();
    manager->read(now, elapsed);
    const auto result = manager->update(now, elapsed);
    ASSERT_TRUE(result == controller_interface::return_type::OK || may_fail);
    manager->write(now, elapsed);
  }
  void cycles(int count) {
    for (int i = 0; i < count && !HasFatalFailure(); ++i) cycle();
  }
  // What waits for the loop, while the loop runs: the manager hands lists of controllers over to it.
  template <class F>
  auto while_cycling(F&& what) {
    auto done = std::async(std::launch::async, std::forward<F>(what));
    while (done.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready && !HasFatalFailure()) cycle();
    return done.get();
  }
  void switch_to(const std::vector<std::string>& on, const std::vector<std::string>& off) {
    ASSERT_EQ(while_cycling([&] {
                return manager->switch_controller(on, off, strict, true, rclcpp::Duration::from_seconds(10.0));
              }),
              controller_interface::return_type::OK);
  }

  // Every node hears of every parameter that another one declares: thousands of messages come first.
  template <class Condition>
  bool spin_until(Condition&& condition) {
    for (int i = 0; i < 20000 && !condition(); ++i) executor->spin_once(std::chrono::milliseconds(10));
    return condition();
  }
  // A message until it has its effect, while the loop runs: the other side may not have found the publisher yet.
  template <class Publisher, class Message, class Condition>
  bool publish_until(Publisher& publisher, const Message& message, Condition&& condition) {
    if (!spin_until([&] { return publisher.get_subscription_count() > 0; })) return false;
    int tries = 0;
    return spin_until([&] {
      if (tries++ % 200 == 0) publisher.publish(message);
      cycle();
      return condition();
    });
  }
  template <class Service>
  typename Service::Response::SharedPtr call(const std::string& name, const typename Service::Request& request) {
    auto client = user->create_client<Service>(name);
    EXPECT_TRUE(client->wait_for_service(std::chrono::seconds(5))) << name;
    auto answer = client->async_send_request(std::make_shared<typename Service::Request>(request));
    EXPECT_EQ(executor->spin_until_future_complete(answer.future, std::chrono::seconds(10)),
              rclcpp::FutureReturnCode::SUCCESS);
    return answer.get();
  }

  controller_interface::ControllerInterfaceBaseSharedPtr controller(const std::string& name) {
    for (const auto& spec : manager->get_loaded_controllers()) {
      if (spec.info.name == name) return spec.c;
    }
    return nullptr;
  }

  bool may_fail = false;  // update() may report an error
  std::shared_ptr<Watcher> watcher;
  std::shared_ptr<rclcpp::executors::SingleThreadedExecutor> executor;
  std::shared_ptr<controller_manager::ControllerManager> manager;
  rclcpp::Node::SharedPtr user;
  rclcpp::Time now;
  rclcpp::Duration period = rclcpp::Duration::from_seconds(0.001);
};

}  // namespace dyn_controllers::test
