// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a user hears: every change of mode once and with its reason, in the log and in /diagnostics; refused references
// once a second at most; hardware that turns no torque into motion.
#include <chrono>
#include <cmath>
#include <limits>

#include "diagnostic_msgs/msg/diagnostic_array.hpp"
#include "dyn_controllers/motion_watch.hpp"
#include "dyn_controllers/torque_controller.hpp"
#include "log_capture.hpp"
#include "pendulum.hpp"
#include "plugin_fixture.hpp"
#include "trajectory_msgs/msg/joint_trajectory_point.hpp"

namespace dyn_controllers::test {
namespace {

using Computed = Plugin<ComputedTorqueController>;
using diagnostic_msgs::msg::DiagnosticArray, diagnostic_msgs::msg::DiagnosticStatus;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class Reports : public testing::Test {
 protected:
  void bring_up(bool chained, const std::string& space = "", double state_publish_rate = 50.0,
                double state_timeout = 0.0) {
    auto parameters = arm7_parameters();
    parameters["state_timeout"] = rclcpp::ParameterValue(state_timeout);
    parameters["state_publish_rate"] = rclcpp::ParameterValue(state_publish_rate);
    plugin = std::make_unique<Computed>(parameters, arm7_urdf(), 1000, space);
    plugin->start(chained);
    room = std::make_unique<Room>(*plugin->controller->get_node());
    diagnostics = room->node->create_subscription<DiagnosticArray>(
        "/diagnostics", 10, [this](const DiagnosticArray::ConstSharedPtr& message) { status = message->status.at(0); });
  }
  // The loop goes on, or does not, until the log has the text.
  bool said(const std::string& text, bool running = true) {
    return room->spin_until([&] {
      if (running) (void)plugin->update();
      return LogCapture::count(text) > 0;
    });
  }
  bool diagnosed(const std::string& text, bool running = true) {
    return room->spin_until([&] {
      if (running) (void)plugin->update();
      return status.message.find(text) != std::string::npos;
    });
  }
  void give_references() {
    for (const std::string& joint : arm7_joints()) (void)plugin->reference(joint + "/position").set_value(0.0);
  }

  LogCapture log;
  std::unique_ptr<Computed> plugin;
  std::unique_ptr<Room> room;
  DiagnosticStatus status;
  rclcpp::Subscription<DiagnosticArray>::SharedPtr diagnostics;
};

TEST_F(Reports, DiagnosesWithoutAStateTopicToo) {
  bring_up(true, "", 0.0);
  give_references();
  ASSERT_EQ(plugin->update(), return_type::OK);
  plugin->set_state("joint4/position", nan);
  EXPECT_TRUE(diagnosed("safe torque")) << status.message;
}

TEST_F(Reports, EveryModeAndTheReasonOnce) {
  bring_up(true);
  give_references();
  ASSERT_EQ(plugin->update(), return_type::OK);
  plugin->set_state("joint4/position", nan);
  for (int cycle = 0; cycle < 40; ++cycle) ASSERT_EQ(plugin->update(), return_type::OK);
  EXPECT_TRUE(said("joint4/position is nan: the last good torque is held", false)) << LogCapture::all();
  EXPECT_TRUE(diagnosed("the last good torque is held: joint4/position is nan", false)) << status.message;
  EXPECT_EQ(status.level, DiagnosticStatus::ERROR);
  for (int cycle = 0; cycle < 100; ++cycle) ASSERT_EQ(plugin->update(), return_type::OK);
  EXPECT_TRUE(said("ERROR: joint4/position is nan: safe torque, gravity and damping only", false)) << LogCapture::all();
  EXPECT_TRUE(diagnosed("safe torque", false)) << status.message;
  for (int cycle = 0; cycle < 500; ++cycle) (void)plugin->update();
  EXPECT_TRUE(said("ERROR: failed: joint4/position is nan", false)) << LogCapture::all();
  ASSERT_EQ(plugin->controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
  EXPECT_TRUE(diagnosed("failed: joint4/position is nan", false)) << status.message;
  EXPECT_EQ(status.level, DiagnosticStatus::ERROR) << "not: not active";
  ASSERT_NE(plugin->controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
  EXPECT_TRUE(said("ERROR: not activated: joint4/position is nan", false)) << LogCapture::all();

  plugin->set_state("joint4/position", 0.0);
  ASSERT_EQ(plugin->controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
  EXPECT_TRUE(said("WARN: no new reference for reference_timeout")) << LogCapture::all();
  EXPECT_TRUE(diagnosed("no reference: the arm is held")) << status.message;
  give_references();
  EXPECT_TRUE(said("INFO: tracking")) << LogCapture::all();
  for (const char* text : {"last good torque is held", "safe torque", "failed: ", "not activated", "INFO: tracking"}) {
    EXPECT_EQ(LogCapture::count(text), 1) << text << '\n' << LogCapture::all();
  }
}

// ros2_control's state of a sensor that nobody has written yet is NaN.
TEST(Activation, IsRefusedWhereAPayloadHasNoState) {
  const LogCapture log;
  auto parameters = arm7_parameters();
  parameters["passive_joints"] = rclcpp::ParameterValue(std::vector<std::string>{"pendulum/swing"});
  parameters["max_payload_dofs"] = rclcpp::ParameterValue(1);
  Computed plugin(parameters);
  ASSERT_TRUE(plugin.configure());
  Room room(*plugin.controller->get_node());
  const auto logged = [&](const std::string& text) {
    return room.spin_until([&] { return LogCapture::count(text) > 0; });
  };
  plugin.initial["pendulum/swing/position"] = nan;
  ASSERT_TRUE(plugin.activate()) << "nothing is attached yet";
  ASSERT_EQ(plugin.update(), return_type::OK);
  ASSERT_EQ(plugin.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
  ASSERT_TRUE(room.call<dyn_msgs::srv::AttachPayload>("attach_payload", pendulum_on_flange())->success);
  ASSERT_NE(plugin.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
  EXPECT_TRUE(logged("ERROR: not activated: pendulum/swing/position is nan")) << LogCapture::all();
  plugin.set_state("pendulum/swing/position", 0.0);
  ASSERT_EQ(plugin.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
  ASSERT_EQ(plugin.update(), return_type::OK);
  plugin.set_state("pendulum/swing/position", nan);
  ASSERT_EQ(plugin.update(), return_type::OK);
  EXPECT_TRUE(logged("ERROR: pendulum/swing/position is nan: the last good torque is held")) << LogCapture::all();
}

TEST_F(Reports, AReferenceThatIsNotFiniteIsToldOnceASecondAtMost) {
  bring_up(true);
  for (int cycle = 0; cycle < 900; ++cycle) {
    give_references();
    (void)plugin->reference("joint2/velocity").set_value(nan);
    ASSERT_EQ(plugin->update(), return_type::OK);
  }
  EXPECT_TRUE(said("references from the controller above are not finite", false)) << LogCapture::all();
  EXPECT_TRUE(said("references are not finite: the arm is brought to rest", false)) << LogCapture::all();
  EXPECT_EQ(LogCapture::count("references from the controller above are not finite"), 1) << LogCapture::all();
  EXPECT_TRUE(room->spin_until([&] {
    give_references();
    (void)plugin->update();
    return status.message == "tracking";
  })) << status.message;
}

// 8 rad at a joint that has 2.96: what was cut is told once.
TEST_F(Reports, AReferenceThatWasCutIsToldOnce) {
  bring_up(true);
  for (int cycle = 0; cycle < 500; ++cycle) {
    give_references();
    (void)plugin->reference("joint3/position").set_value(8.0);
    ASSERT_EQ(plugin->update(), return_type::OK);
  }
  EXPECT_TRUE(said("the reference of joint 'joint3'", false)) << LogCapture::all();
  EXPECT_EQ(LogCapture::count("the reference of joint"), 1) << LogCapture::all();
}

TEST_F(Reports, RefusedReferencesAreOneLineASecond) {
  bring_up(false);
  const auto points =
      room->node->create_publisher<trajectory_msgs::msg::JointTrajectoryPoint>("/controller/reference", 100);
  ASSERT_TRUE(room->spin_until([&] { return points->get_subscription_count() > 0; }));
  trajectory_msgs::msg::JointTrajectoryPoint point;
  point.positions.assign(6, 0.0);
  for (int i = 0; i < 50; ++i) {
    points->publish(point);
    room->executor.spin_some();
  }
  EXPECT_TRUE(said("reference refused: 6 positions for 7 joints", false)) << LogCapture::all();
  EXPECT_TRUE(said("more references refused in the last second; the last one: 6 positions for 7 joints", false))
      << LogCapture::all();
  EXPECT_LE(LogCapture::count("refused"), 3) << LogCapture::all();

  // After a second in which none was refused, the next one is told at once.
  point.positions.assign(5, 0.0);
  auto last = std::chrono::steady_clock::now();
  EXPECT_TRUE(room->spin_until([&] {
    const auto now = std::chrono::steady_clock::now();
    if (now - last > std::chrono::seconds(3)) {
      points->publish(point);
      last = now;
    }
    return LogCapture::count("reference refused: 5 positions for 7 joints") > 0;
  })) << LogCapture::all();
}

TEST_F(Reports, DiagnosticsOfTwoNamespacesHaveTwoNames) {
  bring_up(true, "/left");
  EXPECT_TRUE(room->spin_until([&] { return !status.name.empty(); }));
  EXPECT_EQ(status.name, "left/controller: torque");
}

// mock_components mirrors an effort: the state stands, whatever the torque is.
TEST_F(Reports, HardwareThatTurnsNoTorqueIntoMotion) {
  bring_up(true);
  for (int cycle = 0; cycle < 2000; ++cycle) {
    give_references();
    (void)plugin->reference("joint1/position").set_value(0.5);
    ASSERT_EQ(plugin->update(), return_type::OK);
  }
  EXPECT_TRUE(said("does this hardware turn torques into motion", false)) << LogCapture::all();
  EXPECT_EQ(LogCapture::count("does this hardware turn torques into motion"), 1);
}

TEST_F(Reports, ALoopThatIsLateAgainAndAgain) {
  bring_up(true);
  for (int cycle = 0; cycle < 20; ++cycle) {
    give_references();
    const std::int64_t elapsed_ns = cycle % 5 == 0 ? 20'000'000 : 1'000'000;
    plugin->time_ns += elapsed_ns;
    ASSERT_EQ(plugin->controller->update(rclcpp::Time(plugin->time_ns, RCL_ROS_TIME),
                                         rclcpp::Duration(std::chrono::nanoseconds(elapsed_ns))),
              return_type::OK);
  }
  EXPECT_TRUE(diagnosed("the loop is late again and again", false)) << status.message;
  EXPECT_EQ(status.level, DiagnosticStatus::WARN);
}

// An encoder that hangs, in motion and at rest.
TEST_F(Reports, AStateThatHangs) {
  bring_up(true, "", 50.0, 0.05);
  for (int cycle = 0; cycle < 300; ++cycle) {  // nothing moves, and nothing has to
    give_references();
    ASSERT_EQ(plugin->update(), return_type::OK);
  }
  EXPECT_EQ(plugin->controller->arm().terms().feedback[0], 0.0);
  int until = 0;
  for (bool ok = true; ok && until < 2000; ++until) {
    give_references();
    (void)plugin->reference("joint1/position").set_value(0.5);
    ok = plugin->update() == return_type::OK;
  }
  EXPECT_GT(until, 500) << "ten times hold_time after it was found out";
  EXPECT_LT(until, 1000);
  EXPECT_TRUE(said("ERROR: joint1's position and velocity stay the same to the last bit", false)) << LogCapture::all();
  EXPECT_TRUE(said("safe torque, gravity and damping only", false)) << LogCapture::all();
  EXPECT_EQ(LogCapture::count("safe torque"), 1) << LogCapture::all();
  plugin->set_state("joint1/position", 1e-12);
  give_references();
  EXPECT_EQ(plugin->update(), return_type::OK) << "it lives";
}

TEST(MotionWatch, IsSilentWhereTorqueOnlyCarriesOrTheArmMoves) {
  MotionWatch watch(2);
  std::vector<double> q{0.1, 0.2}, gravity{10.0, 0.0};
  const auto seconds = [&](double much, const std::vector<double>& effort, double rate) {
    int told = -1;
    for (int cycle = 0; cycle < static_cast<int>(1000.0 * much); ++cycle) {
      q[1] += 0.001 * rate;
      told = std::max(told, watch.note(
                                q, effort, gravity, [](size_t) { return 5.0; }, 0.001));
    }
    return told;
  };
  EXPECT_EQ(seconds(2.0, {10.0, 0.0}, 0.0), -1) << "gravity is carried";
  EXPECT_EQ(seconds(2.0, {0.0, 0.0}, 0.0), -1) << "the drives carry it";
  EXPECT_EQ(seconds(2.0, {30.0, 0.0}, 1e-9), -1) << "it moves, however little";
  EXPECT_EQ(seconds(2.0, {10.0, 20.0}, 0.0), 1);
  EXPECT_EQ(seconds(2.0, {10.0, 20.0}, 0.0), -1) << "once";
  watch.reset();
  EXPECT_EQ(seconds(2.0, {30.0, 0.0}, 0.0), 0);
}

}  // namespace
}  // namespace dyn_controllers::test
