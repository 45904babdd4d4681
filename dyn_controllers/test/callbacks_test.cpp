// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Callbacks of the controllers' nodes on several threads, as ros2_control_node has them. A callback is held where it
// logs: meanwhile its controller is not cleaned up, and others that use the same robot description do not run.
#include <chrono>
#include <cmath>
#include <future>
#include <thread>

#include "dyn_controllers/callback_gate.hpp"
#include "dyn_controllers/dynamics_broadcaster.hpp"
#include "dyn_controllers/task_space_controller.hpp"
#include "dyn_controllers/torque_controller.hpp"
#include "dyn_msgs/srv/list_payloads.hpp"
#include "log_hook.hpp"
#include "plugin_fixture.hpp"

namespace dyn_controllers::test {
namespace {

using namespace std::chrono_literals;
using dyn_msgs::srv::AttachPayload, dyn_msgs::srv::ListPayloads, dyn_msgs::srv::ReplaceJoints;
using EstimatePayload = dyn_msgs::action::EstimatePayload;
using trajectory_msgs::msg::JointTrajectoryPoint;
using Parameters = std::map<std::string, rclcpp::ParameterValue>;

// A controller's node and a user's.
struct Threads {
  explicit Threads(rclcpp_lifecycle::LifecycleNode& controller) : user(std::make_shared<rclcpp::Node>("user")) {
    executor.add_node(controller.get_node_base_interface());
    executor.add_node(user);
    spinning = std::thread([this] { executor.spin(); });
    while (!executor.is_spinning()) std::this_thread::yield();
  }
  ~Threads() {
    executor.cancel();
    spinning.join();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  Threads(Threads&&) = delete;
  Threads& operator=(Threads&&) = delete;

  rclcpp::executors::MultiThreadedExecutor executor{rclcpp::ExecutorOptions(), 4};
  rclcpp::Node::SharedPtr user;
  std::thread spinning;
};

// The callback that logs `text` stays there.
class Held {
 public:
  explicit Held(const std::string& text)
      : hook_(text, [this, released = released_] {
          reached_.set_value();
          released.wait();
        }) {}
  ~Held() { release(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Held(Held&&) = delete;
  Held& operator=(Held&&) = delete;

  // `what` again and again until it is there.
  bool comes(const std::function<void()>& what) {
    const std::future<void> reached = reached_.get_future();
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (reached.wait_for(20ms) != std::future_status::ready) {
      if (std::chrono::steady_clock::now() > end) return false;
      what();
    }
    return true;
  }
  void release() {
    if (!std::exchange(is_released_, true)) release_.set_value();
  }

 private:
  bool is_released_ = false;
  std::promise<void> reached_, release_;
  std::shared_future<void> released_ = release_.get_future().share();
  LogHook hook_;
};

// What makes a callback log: called until it has.
using Cause = std::function<void()>;

template <class Message>
Cause message(rclcpp::Node& user, const std::string& topic, const Message& what) {
  const auto qos = rclcpp::QoS(1).reliable().transient_local();
  const auto publisher = user.create_publisher<Message>(topic, qos);
  return [publisher, what] { publisher->publish(what); };
}

template <class Service>
Cause request(rclcpp::Node& user, const std::string& name) {
  const auto client = user.create_client<Service>("/controller/" + name);
  return [client] {
    if (client->service_is_ready()) (void)client->async_send_request(std::make_shared<typename Service::Request>());
  };
}

Cause estimate(rclcpp::Node& user) {
  const auto client = rclcpp_action::create_client<EstimatePayload>(&user, "/controller/estimate_payload");
  return [client] {
    if (client->action_server_is_ready()) (void)client->async_send_goal(EstimatePayload::Goal());
  };
}

std_msgs::msg::String bad_description() {
  std_msgs::msg::String text;
  text.data = "<robot";
  return text;
}

template <class Controller>
void expect_cleanup_waits(const Parameters& parameters, const std::string& text,
                          const std::function<Cause(rclcpp::Node&)>& cause) {
  SCOPED_TRACE(text);
  Plugin<Controller> plugin(parameters);
  ASSERT_TRUE(plugin.initialised && plugin.configure());
  Threads threads(*plugin.controller->get_node());
  Held held(text);
  ASSERT_TRUE(held.comes(cause(*threads.user)));
  auto cleaned = std::async(std::launch::async, [&] { return plugin.controller->get_node()->cleanup().id(); });
  EXPECT_EQ(cleaned.wait_for(200ms), std::future_status::timeout) << "the callback still uses the controller";
  held.release();
  EXPECT_EQ(cleaned.get(), State::PRIMARY_STATE_UNCONFIGURED);
}

TEST(Callbacks, CleanupOfATorqueControllerWaitsForThem) {
  const auto waits = expect_cleanup_waits<ComputedTorqueController>;
  const auto user_sends = [](auto&& make) { return std::function<Cause(rclcpp::Node&)>(make); };
  waits(arm7_parameters(), "reference refused",
        user_sends([](rclcpp::Node& user) { return message(user, "/controller/reference", JointTrajectoryPoint()); }));
  waits(arm7_parameters(), "more references refused",
        user_sends([](rclcpp::Node& user) { return message(user, "/controller/reference", JointTrajectoryPoint()); }));
  waits(arm7_parameters(), "the new robot_description is refused",
        user_sends([](rclcpp::Node& user) { return message(user, "/robot_description", bad_description()); }));
  waits(arm7_parameters(), "attach_payload refused",
        user_sends([](rclcpp::Node& user) { return request<AttachPayload>(user, "attach_payload"); }));
  waits(arm7_parameters(), "replace_joints refused",
        user_sends([](rclcpp::Node& user) { return request<ReplaceJoints>(user, "replace_joints"); }));
  waits(arm7_parameters(), "estimate_payload refused", user_sends(estimate));
}

TEST(Callbacks, CleanupOfATaskSpaceControllerWaitsForThem) {
  Parameters parameters = arm7_parameters();
  parameters["frame"] = rclcpp::ParameterValue("tool0");
  geometry_msgs::msg::PoseStamped pose;
  pose.pose.orientation.w = 0.5;
  expect_cleanup_waits<TaskSpaceController>(parameters, "reference refused", [&pose](rclcpp::Node& user) {
    return message(user, "/controller/target_pose", pose);
  });
}

TEST(Callbacks, CleanupOfTheBroadcasterWaitsForThem) {
  expect_cleanup_waits<DynamicsBroadcaster>({}, "the new robot_description is refused", [](rclcpp::Node& user) {
    return message(user, "/robot_description", bad_description());
  });
  expect_cleanup_waits<DynamicsBroadcaster>(
      {}, "attach_payload refused", [](rclcpp::Node& user) { return request<AttachPayload>(user, "attach_payload"); });
}

#ifdef DYN_HAS_UR_MSGS
// It is told of the load once a second, and this one is not there.
TEST(Callbacks, CleanupWaitsForTheRepetitionsToTheDriver) {
  Parameters parameters = arm7_parameters();
  parameters["driver_load.type"] = rclcpp::ParameterValue("ur_msgs/srv/SetPayload");
  parameters["driver_load.name"] = rclcpp::ParameterValue("/nowhere");
  parameters["driver_load.link"] = rclcpp::ParameterValue("tool0");
  expect_cleanup_waits<ComputedTorqueController>(parameters, "robot and model may carry different loads",
                                                 [](rclcpp::Node&) { return [] {}; });
}
#endif

// The timer that logs why it was not activated.
TEST(Callbacks, CleanupWaitsForTheReportOfARefusedActivation) {
  Plugin<ComputedTorqueController> plugin;
  ASSERT_TRUE(plugin.initialised && plugin.configure());
  plugin.initial["joint4/position"] = std::nan("");
  Threads threads(*plugin.controller->get_node());
  Held held("not activated: joint4/position is nan");
  ASSERT_FALSE(plugin.activate());
  ASSERT_TRUE(held.comes([] {}));
  auto cleaned = std::async(std::launch::async, [&] { return plugin.controller->get_node()->cleanup().id(); });
  EXPECT_EQ(cleaned.wait_for(200ms), std::future_status::timeout);
  held.release();
  EXPECT_EQ(cleaned.get(), State::PRIMARY_STATE_UNCONFIGURED);
}

// They share what is known of the joints' armature and limits with ~/replace_joints.
TEST(Callbacks, ADescriptionIsReadWhileNoServiceChangesTheModel) {
  Plugin<ComputedTorqueController> plugin;
  ASSERT_TRUE(plugin.initialised && plugin.configure());
  Threads threads(*plugin.controller->get_node());
  const auto client = threads.user->create_client<ListPayloads>("/controller/list_payloads");
  ASSERT_TRUE(client->wait_for_service(30s));
  Held held("the new robot_description is refused");
  ASSERT_TRUE(held.comes(message(*threads.user, "/robot_description", bad_description())));
  auto answer = client->async_send_request(std::make_shared<ListPayloads::Request>());
  EXPECT_EQ(answer.wait_for(500ms), std::future_status::timeout);
  held.release();
  EXPECT_EQ(answer.wait_for(30s), std::future_status::ready);
}

TEST(CallbackGate, LetsAllInAndNobodyOnceItIsClosed) {
  CallbackGate gate;
  int calls = 0;
  const auto count = gate.guard([&calls](int by) { calls += by; });
  count(2);
  EXPECT_EQ(calls, 2);
  std::promise<void> entered, leave;
  std::thread first(gate.guard([&] {
    entered.set_value();
    leave.get_future().wait();
  }));
  entered.get_future().wait();
  count(1);
  EXPECT_EQ(calls, 3) << "beside the other one";
  auto closed = std::async(std::launch::async, [&gate] { gate.close(); });
  EXPECT_EQ(closed.wait_for(50ms), std::future_status::timeout);
  count(1);
  EXPECT_EQ(calls, 3) << "too late";
  leave.set_value();
  closed.get();
  first.join();
}

}  // namespace
}  // namespace dyn_controllers::test
