// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Two controllers of one arm, of which now one and now the other is active, and one driver: it is told what the one
// carries that moves the arm.
#include "dyn_controllers/torque_controller.hpp"
#include "dyn_msgs/srv/detach_payload.hpp"
#include "geometry_msgs/msg/inertia_stamped.hpp"
#include "plugin_fixture.hpp"

namespace dyn_controllers::test {
namespace {

using dyn_msgs::srv::AttachPayload, dyn_msgs::srv::DetachPayload;
using Computed = Plugin<ComputedTorqueController>;
constexpr double tool_kg = 0.5, with_box_kg = 2.5;

std::map<std::string, rclcpp::ParameterValue> with_driver() {
  auto all = arm7_parameters();
  all["driver_load.type"] = rclcpp::ParameterValue("topic");
  all["driver_load.name"] = rclcpp::ParameterValue("/driver/load");
  all["driver_load.link"] = rclcpp::ParameterValue("tool0");
  all["driver_load.mass"] = rclcpp::ParameterValue(tool_kg);
  return all;
}

class SharedDriverTest : public ::testing::Test {
 protected:
  SharedDriverTest() {
    EXPECT_TRUE(one_.configure());
    room_ = std::make_unique<Room>(*one_.controller->get_node());
    room_->executor.add_node(two_.controller->get_node()->get_node_base_interface());
    subscription_ = room_->node->create_subscription<geometry_msgs::msg::InertiaStamped>(
        "/driver/load", rclcpp::QoS(100).reliable().transient_local(),
        [this](const geometry_msgs::msg::InertiaStamped::ConstSharedPtr& message) {
          told_.push_back(message->inertia.m);
        });
    EXPECT_TRUE(becomes(tool_kg));
    EXPECT_TRUE(one_.activate());
    EXPECT_TRUE(room_->call<AttachPayload>("attach_payload", box())->success);
    EXPECT_TRUE(becomes(with_box_kg));
    EXPECT_TRUE(two_.configure());
    told_.clear();
  }
  [[nodiscard]] bool becomes(double mass_kg) {
    return room_->spin_until([&] { return !told_.empty() && told_.back() == mass_kg; });
  }
  // Each controller looks once a second whether the driver knows its load.
  [[nodiscard]] size_t told_in_three_seconds() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    (void)room_->spin_until([&] { return std::chrono::steady_clock::now() > end; });
    return told_.size();
  }
  template <class Service>
  typename Service::Response::SharedPtr call_two(const std::string& name, const typename Service::Request& request) {
    auto client = room_->node->create_client<Service>("/two/controller/" + name);
    EXPECT_TRUE(client->wait_for_service(std::chrono::seconds(5)));
    auto answer = client->async_send_request(std::make_shared<typename Service::Request>(request));
    EXPECT_EQ(room_->executor.spin_until_future_complete(answer.future, std::chrono::seconds(10)),
              rclcpp::FutureReturnCode::SUCCESS);
    return answer.get();
  }
  static bool deactivate(Computed& plugin) {
    return plugin.controller->get_node()->deactivate().id() == State::PRIMARY_STATE_INACTIVE;
  }

  Computed one_{with_driver()}, two_{with_driver(), arm7_urdf(), 1000, "/two"};
  std::unique_ptr<Room> room_;
  rclcpp::Subscription<geometry_msgs::msg::InertiaStamped>::SharedPtr subscription_;
  std::vector<double> told_;
};

TEST_F(SharedDriverTest, IsToldByTheControllerThatIsActive) {
  EXPECT_EQ(told_in_three_seconds(), 0U) << "by one that was configured, and carries nothing";
  const auto answer = call_two<AttachPayload>("attach_payload", box());
  EXPECT_TRUE(answer->success) << answer->message;
  EXPECT_NE(answer->message.find("is not told by this controller, but by '/controller'"), std::string::npos)
      << answer->message;
  ASSERT_TRUE(deactivate(one_));
  ASSERT_TRUE(two_.activate());
  EXPECT_EQ(told_in_three_seconds(), 0U) << "it knows that load already";

  DetachPayload::Request off;
  off.name = "box";
  ASSERT_TRUE(call_two<DetachPayload>("detach_payload", off)->success);
  EXPECT_TRUE(becomes(tool_kg));
  ASSERT_TRUE(deactivate(two_));
  EXPECT_EQ(told_in_three_seconds(), 1U) << "while none is active, nothing changes";
  ASSERT_EQ(one_.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
  EXPECT_TRUE(becomes(with_box_kg)) << "it still carries the box in its model";
}

TEST_F(SharedDriverTest, IsToldByTheOneThatIsLeft) {
  ASSERT_TRUE(deactivate(one_));
  ASSERT_EQ(one_.controller->get_node()->cleanup().id(), State::PRIMARY_STATE_UNCONFIGURED);
  EXPECT_TRUE(becomes(tool_kg));
}

}  // namespace
}  // namespace dyn_controllers::test
