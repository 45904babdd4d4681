// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// TaskSpaceController: what a user hears of it, and that the loop allocates nothing and takes no lock of ours while
// parameters, payloads and references arrive.
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "diagnostic_msgs/msg/diagnostic_array.hpp"
#include "dyn_msgs/msg/task_state.hpp"
#include "dyn_msgs/srv/detach_payload.hpp"
#include "geometry_msgs/msg/pose_stamped.hpp"
#include "geometry_msgs/msg/twist_stamped.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"
#include "handle_locks.hpp"
#include "log_capture.hpp"
#include "support/allocation_counter.hpp"
#include "task_plugin.hpp"

namespace dyn_controllers::test {
namespace {

using namespace std::chrono_literals;
using dyn_msgs::msg::TaskState;
using Value = rclcpp::ParameterValue;

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

class Bare : public TaskSpaceController {
 public:
  using TaskSpaceController::on_activate;
  using TaskSpaceController::on_deactivate;
};

// A twist of 50 m/s for 20 ms does not send the target 1 m away, where the frame would go afterwards.
TEST(TaskSpaceTargets, ATwistMovesTheTargetAtMostAsFastAsTheFrameMay) {
  constexpr double limit_mps = 0.25, cycle_s = 1e-3;
  auto parameters = task_parameters();
  parameters["task.velocity_limit"] = Value(limit_mps);
  Plugin<TaskSpaceController> plugin(parameters);
  plugin.start(false);
  set_bent(plugin);
  ASSERT_EQ(plugin.update(), return_type::OK);
  Room room(*plugin.controller->get_node());
  const auto twists = room.node->create_publisher<geometry_msgs::msg::TwistStamped>("/controller/target_twist", 1);
  geometry_msgs::msg::TwistStamped twist;
  twist.twist.linear.z = 50.0;
  const auto& target = plugin.controller->arm().task().target;
  ASSERT_TRUE(room.spin_until([&] {
    twists->publish(twist);
    EXPECT_EQ(plugin.update(), return_type::OK);
    return target.twist.norm() > 0.0;
  }));
  const dyn::Vec3d before = target.p_m;
  for (int cycle = 0; cycle < 20; ++cycle) ASSERT_EQ(plugin.update(), return_type::OK);
  EXPECT_NEAR((target.p_m - before).norm(), 20.0 * cycle_s * limit_mps, 1e-9);
}

// What a user sends 1,000 times in turn: poses, twists, wrenches, parameters of the law, a payload on and off.
void send_everything(Plugin<Bare>& plugin) {
  Room room(*plugin.controller->get_node());
  const auto poses = room.node->create_publisher<geometry_msgs::msg::PoseStamped>("/controller/target_pose", 1);
  const auto twists = room.node->create_publisher<geometry_msgs::msg::TwistStamped>("/controller/target_twist", 1);
  const auto wrenches = room.node->create_publisher<geometry_msgs::msg::WrenchStamped>("/controller/target_wrench", 1);
  geometry_msgs::msg::PoseStamped pose;
  pose.pose.position.x = 0.5;
  pose.pose.orientation.w = 1.0;
  geometry_msgs::msg::TwistStamped twist;
  twist.header.frame_id = "tool0";
  twist.twist.angular.z = 0.2;
  geometry_msgs::msg::WrenchStamped wrench;
  wrench.wrench.force.z = -5.0;
  dyn_msgs::srv::DetachPayload::Request off;
  off.name = "box";
  for (int i = 0; i < 1000; ++i) {
    const double size = 1.0 + i % 100;
    EXPECT_TRUE(plugin.set("task.mode", Value(i % 3 == 0 ? "impedance" : "computed_torque")).successful);
    EXPECT_TRUE(plugin.set("task.p_linear", Value(300.0 + size)).successful);
    EXPECT_TRUE(plugin.set("task.inertia", Value(std::vector<double>(6, i % 2 == 0 ? size : 0.0))).successful);
    EXPECT_TRUE(plugin.set("task.posture", Value(std::vector<double>(7, 0.01 * size))).successful);
    pose.pose.position.z = 0.3 + 0.001 * size;
    poses->publish(pose);
    twists->publish(twist);
    wrenches->publish(wrench);
    if (i % 2 == 0) {
      EXPECT_TRUE(room.call<dyn_msgs::srv::AttachPayload>("attach_payload", box())->success);
    } else {
      EXPECT_TRUE(room.call<dyn_msgs::srv::DetachPayload>("detach_payload", off)->success);
    }
    room.executor.spin_some();
  }
}

// update() is counted alone, and so are deactivation and activation in between.
TEST(TaskRealTime, UpdateAllocatesNothingAndTakesNoLockOfOurs) {
  Plugin<Bare> plugin(task_parameters());
  plugin.start(false);
  set_bent(plugin);
  const rclcpp_lifecycle::State some_state;  // made once: it allocates
  const auto cycle = [&] { ASSERT_EQ(plugin.update(), return_type::OK); };
  const auto begin_anew = [&] {
    ASSERT_EQ(plugin.controller->on_deactivate(some_state), Bare::CallbackReturn::SUCCESS);
    ASSERT_EQ(plugin.controller->on_activate(some_state), Bare::CallbackReturn::SUCCESS);
  };
  cycle();
  begin_anew();
  const auto locks_of_cycle = locks_of_handles(plugin, 14, 7);
  const auto locks_of_beginning = locks_of_handles(plugin, 14, 7 + 2 * 25);  // the references are forgotten
  std::atomic<bool> done{false};
  std::thread user([&] {
    send_everything(plugin);
    done = true;
  });
  dyn::test::AllocationCount total;
  const auto locks_of = [&](const auto& what) { return locks_and_allocations(what, total); };
  std::int64_t cycles = 0, more_locks = 0, with_target = 0;
  while (!done || cycles < 1000) {
    more_locks += locks_of(cycle) - locks_of_cycle;
    const dyn::control::TaskCycle& task = plugin.controller->arm().task();
    with_target += std::abs(task.target.p_m.x() - 0.5) < 0.01 ? 1 : 0;
    ++cycles;
    if (cycles % 100 == 50) more_locks += locks_of(begin_anew) - locks_of_beginning;
    if (cycles % 100 == 0) std::this_thread::sleep_for(1ms);
  }
  user.join();
  EXPECT_EQ(total.allocations, 0);
  EXPECT_EQ(total.frees, 0);
  EXPECT_EQ(more_locks, 0);
  EXPECT_GT(with_target, 0) << "poses arrive";
}

}  // namespace
}  // namespace dyn_controllers::test
