// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A new robot_description while a controller runs: taken over or refused whole, and never a hang.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <future>

#include "dyn_controllers/torque_controller.hpp"
#include "log_capture.hpp"
#include "plugin_fixture.hpp"
#include "std_msgs/msg/string.hpp"

namespace dyn_controllers::test {
namespace {

using namespace std::chrono_literals;
using Computed = Plugin<ComputedTorqueController>;
using dyn_msgs::srv::AttachPayload;

class Description : public testing::Test {
 protected:
  void bring_up(std::map<std::string, rclcpp::ParameterValue> parameters = arm7_parameters()) {
    plugin = std::make_unique<Computed>(parameters);
    plugin->start(true);
    room = std::make_unique<Room>(*plugin->controller->get_node());
    publisher =
        room->node->create_publisher<std_msgs::msg::String>("robot_description", rclcpp::QoS(1).transient_local());
  }
  void publish(const std::string& urdf) {
    std_msgs::msg::String description;
    description.data = urdf;
    publisher->publish(description);
  }
  static std::string with(const std::string& what, const std::string& by) {
    std::string urdf = arm7_urdf();
    const size_t where = urdf.find(what);
    EXPECT_NE(where, std::string::npos) << what;
    for (size_t at = where; at != std::string::npos; at = urdf.find(what, at + by.size())) {
      urdf.replace(at, what.size(), by);
    }
    return urdf;
  }
  [[nodiscard]] std::shared_ptr<const dyn::Model> model() const {
    return plugin->controller->arm().live().newest_model();
  }
  [[nodiscard]] double armature(const std::string& joint) const {
    for (const auto& description : model()->description().joints) {
      if (description.name == joint) return description.armature;
    }
    return nan("");
  }

  LogCapture log;
  std::unique_ptr<Computed> plugin;
  std::unique_ptr<Room> room;
  rclcpp::Publisher<std_msgs::msg::String>::SharedPtr publisher;
};

TEST_F(Description, ANewOneIsTakenOverOrRefused) {
  bring_up();
  publish(with("<mass value=\"4.75\"/>", "<mass value=\"4.80\"/>"));
  EXPECT_TRUE(room->spin_until([&] { return model()->find_link("link1")->inertial.mass_kg == 4.80; }));
  const auto before = model();
  publish("<robot name='other'><link name='a'/></robot>");
  EXPECT_TRUE(room->spin_until([&] { return LogCapture::count("the new robot_description is refused") == 1; }))
      << LogCapture::all();
  EXPECT_EQ(model(), before);
  EXPECT_EQ(plugin->update(), return_type::OK);
}

// Callbacks of parameters are writers, as is what takes a description over: neither waits for the other for ever. A
// thread of its own, since what hangs here never comes back.
TEST_F(Description, AJointWithAnotherNameIsRefusedWithoutADeadlock) {
  bring_up();
  publish(with("joint4", "elbow"));
  auto spun = std::async(std::launch::async, [&] {
    return room->spin_until([&] { return LogCapture::count("the new robot_description is refused") == 1; });
  });
  if (spun.wait_for(30s) != std::future_status::ready) {
    (void)std::fprintf(stderr, "the node hangs\n");
    std::_Exit(1);
  }
  EXPECT_TRUE(spun.get()) << LogCapture::all();
  EXPECT_FALSE(plugin->controller->get_node()->has_parameter("armature.elbow")) << "nothing is left of it";
  EXPECT_TRUE(plugin->set("gains.joint4.p", rclcpp::ParameterValue(300.0)).successful);
  EXPECT_TRUE(room->call<AttachPayload>("attach_payload", box())->success);
  EXPECT_EQ(plugin->update(), return_type::OK);
}

// The arm is held out against gravity: with less effort from the next cycle on. Without any limit it is refused.
TEST_F(Description, ItsLimitsCountAtOnce) {
  bring_up();
  plugin->set_state("joint2/position", 1.2);
  const auto effort = [&] {
    EXPECT_EQ(plugin->update(), return_type::OK);
    return std::abs(plugin->command("joint2/effort"));
  };
  ASSERT_GT(effort(), 20.0);
  publish(with("effort=\"180\"", "effort=\"15\""));
  EXPECT_TRUE(room->spin_until([&] { return effort() == 15.0; }));
  auto continuous = with("<limit lower=\"-2.09\" upper=\"2.09\" effort=\"180\" velocity=\"1.9\"/>", "");
  publish(continuous.replace(continuous.find("name=\"joint2\" type=\"revolute\""),
                             std::string("name=\"joint2\" type=\"revolute\"").size(),
                             "name=\"joint2\" type=\"continuous\""));
  EXPECT_TRUE(room->spin_until([&] { return LogCapture::count("joint 'joint2' has no effort limit") == 1; }))
      << LogCapture::all();
  EXPECT_EQ(effort(), 15.0);
}

TEST_F(Description, TheArmatureOfANewOneCountsWhereTheUserGaveNone) {
  auto parameters = arm7_parameters();
  parameters["armature.joint3"] = rclcpp::ParameterValue(0.7);
  bring_up(parameters);
  const double before = armature("joint2");
  ASSERT_GT(before, 0.0);
  EXPECT_EQ(armature("joint3"), 0.7);
  dyn::RobotDescription robot = dyn::load_robot("arm7");
  std::ostringstream was;
  was << "armature=\"" << before;
  publish(with(was.str(), "armature=\"0.3"));
  ASSERT_TRUE(room->spin_until([&] { return armature("joint2") != before; })) << LogCapture::all();
  EXPECT_EQ(armature("joint2"), 0.3);
  EXPECT_EQ(armature("joint3"), 0.7);
  const auto node = plugin->controller->get_node();
  EXPECT_TRUE(room->spin_until([&] {
    return node->get_parameter("armature.joint2").as_double() == armature("joint2");
  })) << "and it is shown";
  EXPECT_EQ(node->get_parameter("armature.joint3").as_double(), 0.7);
  EXPECT_FALSE(plugin->set("armature.joint2", rclcpp::ParameterValue(1.0)).successful);
}

}  // namespace
}  // namespace dyn_controllers::test
