// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// TaskSpaceController: what a user hears of it.
#include <cmath>
#include <map>

#include "diagnostic_msgs/msg/diagnostic_array.hpp"
#include "dyn_msgs/msg/task_state.hpp"
#include "log_capture.hpp"
#include "task_plugin.hpp"

namespace dyn_controllers::test {
namespace {

using dyn_msgs::msg::TaskState;

class TaskReports : public testing::Test {
 protected:
  void SetUp() override {
    plugin.start(true);
    room = std::make_unique<Room>(*plugin.controller->get_node());
    states = room->node->create_subscription<TaskState>(
        "/controller/task_state", 1, [this](const TaskState::ConstSharedPtr& message) { state = *message; });
    diagnostics = room->node->create_subscription<diagnostic_msgs::msg::DiagnosticArray>(
        "/diagnostics", 10, [this](const diagnostic_msgs::msg::DiagnosticArray::ConstSharedPtr& message) {
          diagnosis = message->status.at(0).message;
          for (const auto& entry : message->status.at(0).values) diagnosed[entry.key] = entry.value;
        });
  }
  bool said(const std::string& text) {
    return room->spin_until([&] { return LogCapture::count(text) > 0; });
  }

  LogCapture log;
  Plugin<TaskSpaceController> plugin{task_parameters()};
  std::unique_ptr<Room> room;
  TaskState state;
  std::string diagnosis;
  std::map<std::string, std::string> diagnosed;
  rclcpp::Subscription<TaskState>::SharedPtr states;
  rclcpp::Subscription<diagnostic_msgs::msg::DiagnosticArray>::SharedPtr diagnostics;
};

TEST_F(TaskReports, ATargetThatIsTooFarForItsLimits) {
  set_bent(plugin);
  ASSERT_EQ(plugin.update(), return_type::OK);
  for (const double x_m : {0.0005, 0.3, 0.001}) {
    EXPECT_TRUE(room->spin_until([&] {
      EXPECT_EQ(aim_beside(plugin, x_m), return_type::OK);
      return std::abs(state.error.linear.x - x_m) < 1e-9;
    })) << x_m;
    EXPECT_EQ(state.limited, x_m > 0.1) << x_m;
    EXPECT_FALSE(state.damped);
  }
  const std::string text =
      "WARN: the frame's target, 0.300 m and 0.000 rad away, is approached within task.velocity_limit";
  EXPECT_TRUE(said(text)) << LogCapture::all();
  EXPECT_EQ(LogCapture::count("the frame's target"), 1) << LogCapture::all();
  EXPECT_EQ(LogCapture::count("near a singular posture"), 0) << LogCapture::all();
}

// All joints at 0: the arm is stretched.
TEST_F(TaskReports, ASingularPosture) {
  ASSERT_TRUE(room->spin_until([&] {
    EXPECT_EQ(plugin.update(), return_type::OK);
    return state.damped && diagnosed.count("cycles near a singular posture") != 0;
  }));
  EXPECT_LT(state.smallest_singular_value, 0.05);
  EXPECT_TRUE(said("WARN: near a singular posture: the smallest singular value of the frame's Jacobian is 0.000"))
      << LogCapture::all();
  EXPECT_EQ(LogCapture::count("near a singular posture"), 1) << "at its begin\n" << LogCapture::all();
  EXPECT_NE(diagnosed["cycles near a singular posture"], "0");
  EXPECT_EQ(diagnosed["smallest singular value of the frame"], "0.000");
  EXPECT_EQ(diagnosed["share of the force within the effort limits"], "1.000");
  set_bent(plugin);
  EXPECT_TRUE(room->spin_until([&] {
    EXPECT_EQ(plugin.update(), return_type::OK);
    return !state.damped && diagnosed["smallest singular value of the frame"] != "0.000";
  }));
}

}  // namespace
}  // namespace dyn_controllers::test
