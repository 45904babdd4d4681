// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// TaskSpaceController: below a trajectory of poses on the simulated arm, from topics, and by itself.
#include <cmath>
#include <numbers>

#include "dyn_msgs/msg/task_state.hpp"
#include "dyn_msgs/srv/push.hpp"
#include "handle_locks.hpp"
#include "log_capture.hpp"
#include "sequence_parameters.hpp"
#include "support/allocation_counter.hpp"
#include "task_plugin.hpp"

namespace dyn_controllers::test {
namespace {

using geometry_msgs::msg::PoseStamped, geometry_msgs::msg::TwistStamped;

// Two turns on a circle of 0.1 m in 6 s, from rest to rest; y and z of the hand.
struct Circle {
  double y, z, vy, vz, ay, az;
  static Circle at(double t) {
    const double duration = 6.0, x = std::clamp(t / duration, 0.0, 1.0), turns = 4.0 * std::numbers::pi, r = 0.1;
    const double s = turns * x * x * x * (10.0 - 15.0 * x + 6.0 * x * x);
    const double ds = turns / duration * 30.0 * x * x * (1.0 - x) * (1.0 - x);
    const double dds = turns / (duration * duration) * 60.0 * x * (1.0 - 3.0 * x + 2.0 * x * x);
    return {r * std::sin(s),
            r * (1.0 - std::cos(s)),
            r * ds * std::cos(s),
            r * ds * std::sin(s),
            r * (dds * std::cos(s) - ds * ds * std::sin(s)),
            r * (dds * std::sin(s) + ds * ds * std::cos(s))};
  }
};

// A trajectory of poses above: writes the sample for the next cycle.
class PoseTrajectory : public controller_interface::ControllerInterface {
 public:
  controller_interface::CallbackReturn on_init() override { return controller_interface::CallbackReturn::SUCCESS; }
  [[nodiscard]] controller_interface::InterfaceConfiguration command_interface_configuration() const override {
    std::vector<std::string> names;
    for (const char* what :
         {"position.x", "position.y", "position.z", "orientation.x", "orientation.y", "orientation.z", "orientation.w",
          "linear_velocity.y", "linear_velocity.z", "linear_acceleration.y", "linear_acceleration.z"}) {
      names.push_back(std::string("task/tool0/") + what);
    }
    return {controller_interface::interface_configuration_type::INDIVIDUAL, names};
  }
  [[nodiscard]] controller_interface::InterfaceConfiguration state_interface_configuration() const override {
    return {controller_interface::interface_configuration_type::NONE, {}};
  }
  return_type update(const rclcpp::Time&, const rclcpp::Duration&) override {
    t += 0.001;
    const Circle c = Circle::at(t);
    const Eigen::Quaterniond turn(start.R);
    const double values[] = {start.p_m.x(),
                             start.p_m.y() + c.y,
                             start.p_m.z() + c.z,
                             turn.x(),
                             turn.y(),
                             turn.z(),
                             turn.w(),
                             c.vy,
                             c.vz,
                             c.ay,
                             c.az};
    for (size_t i = 0; i < command_interfaces_.size() && writes; ++i) (void)command_interfaces_[i].set_value(values[i]);
    return return_type::OK;
  }
  dyn::control::TaskPoint start;
  double t = 0.0;
  bool writes = true;
};

class TaskSpace : public ManagerTest {
 protected:
  void bring_up() {
    const Extras plant{"<param name='tolerance'>1e-8</param>", {}};
    make_manager(with_simulated_arm(arm7_urdf(), bent, plant), {{"task", "dyn_controllers/TaskSpaceController"}},
                 sequence_parameters());
    if (HasFatalFailure()) return;
    executor->add_node(manager);
    task = std::dynamic_pointer_cast<TaskSpaceController>(controller("task"));
    ASSERT_NE(task, nullptr);
  }
  [[nodiscard]] const dyn::control::TaskCycle& now() const { return task->arm().task(); }
  [[nodiscard]] PoseStamped pose(const dyn::Vec3d& at) const {
    PoseStamped message;
    const Eigen::Quaterniond turn(now().measured.R);
    message.pose.orientation.w = turn.w();
    message.pose.orientation.x = turn.x();
    message.pose.orientation.y = turn.y();
    message.pose.orientation.z = turn.z();
    message.pose.position.x = at.x();
    message.pose.position.y = at.y();
    message.pose.position.z = at.z();
    return message;
  }
  std::shared_ptr<TaskSpaceController> task;
};

TEST_F(TaskSpace, BelowATrajectoryOfPosesItTracks) {
  bring_up();
  auto above = std::make_shared<PoseTrajectory>();  // before the first cycle: later it would wait for the loop
  ASSERT_NE(manager->add_controller(above, "above", "PoseTrajectory"), nullptr);
  ASSERT_EQ(manager->configure_controller("above"), return_type::OK);
  switch_to({"task"}, {});
  cycles(10);
  switch_to({}, {"task"});
  above->start = now().measured;  // where the brakes hold it
  switch_to({"task", "above"}, {});
  double worst = 0.0, moved = 0.0;
  for (int k = 0; k < 6200 && !HasFatalFailure(); ++k) {
    cycle();
    // The state of this cycle was read before `above` wrote for the next one.
    const Circle c = Circle::at(above->t - 0.001);
    const dyn::Vec3d wanted = above->start.p_m + dyn::Vec3d(0.0, c.y, c.z);
    worst = std::max(worst, (wanted - now().measured.p_m).norm());
    moved = std::max(moved, (above->start.p_m - now().measured.p_m).norm());
  }
  std::printf("hand below a trajectory of poses at 1 kHz: at most %.3g m from it\n", worst);
  EXPECT_LT(worst, 1e-6);
  EXPECT_GT(moved, 0.15);

  above->writes = false;  // it is lost: to rest, and there
  const dyn::Vec3d there = now().measured.p_m;
  cycles(500);
  EXPECT_LT((now().measured.p_m - there).norm(), 1e-4);
  EXPECT_LT(now().measured.twist.norm(), 1e-5);
}

TEST_F(TaskSpace, FromTopicsItGoesWhereItIsTold) {
  bring_up();
  auto poses = user->create_publisher<PoseStamped>("/task/target_pose", 1);
  auto twists = user->create_publisher<TwistStamped>("/task/target_twist", 1);
  switch_to({"task"}, {});
  cycles(300);
  const dyn::Vec3d start = now().measured.p_m;
  EXPECT_LT(now().measured.twist.norm(), 1e-6) << "no target yet: it stays";
  ASSERT_TRUE(publish_until(*poses, pose(start + dyn::Vec3d(0.0, 0.1, 0.05)),
                            [&] { return (now().target.p_m - start).norm() > 0.05; }));
  cycles(2500);
  EXPECT_LT((now().measured.p_m - start - dyn::Vec3d(0.0, 0.1, 0.05)).norm(), 1e-5);

  TwistStamped twist;
  twist.header.frame_id = "tool0";
  twist.twist.linear.x = 0.1;
  const dyn::Vec3d x_axis = now().measured.R.col(0), before = now().measured.p_m;
  ASSERT_TRUE(publish_until(*twists, twist, [&] { return now().target.twist.norm() > 0.05; }));
  cycles(1000);
  const double way = x_axis.dot(now().measured.p_m - before);
  EXPECT_GT(way, 0.009) << "along its own axis";
  EXPECT_LT((now().measured.p_m - before - way * x_axis).norm(), 1e-3);
  EXPECT_LT(now().measured.twist.norm(), 1e-4) << "for reference_timeout, and no longer";
}

// In free space the hand moves by W / K.
TEST_F(TaskSpace, PushesWithTheWrenchOfTheTopic) {
  bring_up();
  auto wrenches = user->create_publisher<geometry_msgs::msg::WrenchStamped>("/task/target_wrench", 1);
  const auto node = task->get_node();
  ASSERT_TRUE(node->set_parameter({"task.mode", "impedance"}).successful);
  ASSERT_TRUE(
      node->set_parameter({"task.stiffness", std::vector<double>{500.0, 500.0, 500.0, 50.0, 50.0, 50.0}}).successful);
  switch_to({"task"}, {});
  cycles(300);
  const dyn::Vec3d start = now().measured.p_m;
  geometry_msgs::msg::WrenchStamped push;
  push.wrench.force.y = 10.0;
  ASSERT_TRUE(publish_until(*wrenches, push, [&] { return (now().measured.p_m - start).norm() > 1e-3; }));
  cycles(3000);
  EXPECT_LT((now().measured.p_m - start - dyn::Vec3d(0.0, 0.02, 0.0)).norm(), 1e-3);
}

// Somebody leans on the hand.
TEST_F(TaskSpace, RejectsAPushIfItIsToldTo) {
  using dyn_msgs::srv::Push;
  bring_up();
  switch_to({"task"}, {});
  cycles(300);
  const dyn::Vec3d start = now().measured.p_m;
  Push::Request push;
  push.link = "tool0";
  push.force.y = 10.0;
  push.duration = rclcpp::Duration::from_seconds(100.0);
  ASSERT_TRUE(call<Push>("/simulated_arm/push", push)->success);
  cycles(2000);
  const double away = (now().measured.p_m - start).norm();
  EXPECT_GT(away, 1e-3);
  ASSERT_TRUE(task->get_node()->set_parameter({"task.reject_external", true}).successful);
  cycles(2000);
  EXPECT_LT((now().measured.p_m - start).norm(), 0.1 * away);
}

// Where the hand is, in whatever order and after whatever else moved the arm.
TEST_F(TaskSpace, BeginsWhereTheHandIs) {
  bring_up();
  auto poses = user->create_publisher<PoseStamped>("/task/target_pose", 1);
  switch_to({"task"}, {});
  cycles(10);
  const dyn::Vec3d start = now().measured.p_m;
  ASSERT_TRUE(publish_until(*poses, pose(start + dyn::Vec3d(0.0, 0.2, 0.0)),
                            [&] { return (now().target.p_m - start).norm() > 0.05; }));
  cycles(300);
  switch_to({}, {"task"});
  cycles(500);
  switch_to({"task"}, {});
  cycle();
  const dyn::Vec3d here = now().measured.p_m;
  EXPECT_GT((here - start).norm(), 0.01);
  EXPECT_LT((here - start).norm(), 0.19);
  cycles(1000);
  EXPECT_LT((now().measured.p_m - here).norm(), 1e-3);
}

TEST(TaskSpaceAlone, ReadsHandlesOnceAndAllocatesNothing) {
  for (const bool chained : {true, false}) {
    Plugin<TaskSpaceController> plugin(task_parameters());
    plugin.start(chained);
    set_bent(plugin);
    ASSERT_EQ(plugin.update(), return_type::OK);
    std::int64_t locks = 0;
    const auto count = dyn::test::count_allocations([&] {
      locks = dyn::test::count_lock_calls([&] {
        for (int k = 0; k < 100; ++k) (void)plugin.update();
      });
    });
    EXPECT_TRUE(count.none()) << count.allocations;
    EXPECT_EQ(locks, 100 * locks_of_handles(plugin, 14 + (chained ? 25 : 0), 7 + (chained ? 25 : 0)));
  }
}

TEST(TaskSpaceAlone, SaysWhyItCannotBeConfigured) {
  const auto refused = [](std::map<std::string, rclcpp::ParameterValue> parameters, const std::string& why) {
    const LogCapture log;
    Plugin<TaskSpaceController> plugin(std::move(parameters));
    EXPECT_FALSE(plugin.initialised && plugin.configure());
    EXPECT_GE(LogCapture::count(why), 1) << LogCapture::all();
  };
  refused(arm7_parameters(), "frame: not given");
  auto parameters = task_parameters();
  parameters["frame"] = rclcpp::ParameterValue("hand");
  refused(parameters, "'hand'");
  parameters = task_parameters();
  auto joints = arm7_joints();
  joints.erase(joints.begin() + 2);
  parameters["joints"] = rclcpp::ParameterValue(joints);
  refused(parameters, "frame: 'tool0' is moved by joint 'joint3', which is not in joints");
  parameters = task_parameters();
  parameters["task.posture"] = rclcpp::ParameterValue(std::vector<double>{0.0, 0.0});
  refused(parameters, "task.posture: given for 2 joints of 7");
}

// From stiff to soft while it runs: the torque of the next cycle is of the new law.
TEST(TaskSpaceAlone, ParametersChangeWhileActive) {
  Plugin<TaskSpaceController> plugin(task_parameters());
  plugin.start(true);
  set_bent(plugin);
  ASSERT_EQ(plugin.update(), return_type::OK);
  const auto aim = [&] {
    EXPECT_EQ(aim_beside(plugin, 0.01), return_type::OK);
    return plugin.controller->arm().task().force[0];
  };
  const auto aimed = [&] {  // when the reference is there, within its limits
    for (int cycle = 0; cycle < 200; ++cycle) (void)aim();
    return aim();
  };
  EXPECT_GT(std::abs(aim()), 1.0);
  EXPECT_TRUE(plugin.set("task.mode", rclcpp::ParameterValue("impedance")).successful);
  EXPECT_TRUE(plugin.set("task.stiffness", rclcpp::ParameterValue(std::vector<double>{250.0, 1.0, 1.0, 1.0, 1.0, 1.0}))
                  .successful);
  EXPECT_NEAR(aimed(), 2.5, 1e-5);
  EXPECT_FALSE(plugin.set("task.stiffness", rclcpp::ParameterValue(std::vector<double>{-1.0, 1.0, 1.0, 1.0, 1.0, 1.0}))
                   .successful);
  EXPECT_FALSE(plugin.set("task.mode", rclcpp::ParameterValue("admittance")).successful);
  EXPECT_NEAR(aimed(), 2.5, 1e-5);
}

// A joystick streams: its message comes after activation, the first one or one elsewhere, and before the first cycle.
TEST(TaskSpaceAlone, TwistAndWrenchBeforeTheFirstCycleBeginWhereTheHandIs) {
  using geometry_msgs::msg::WrenchStamped;
  Plugin<TaskSpaceController> plugin(task_parameters());
  for (size_t i = 0; i < 7; ++i) plugin.initial[arm7_joints()[i] + "/position"] = bent[i];
  plugin.start(false);
  Room room(*plugin.controller->get_node());
  auto twists = room.node->create_publisher<TwistStamped>("/controller/target_twist", 1);
  auto wrenches = room.node->create_publisher<WrenchStamped>("/controller/target_wrench", 1);
  int seen = 0;
  const auto see_twists = room.node->create_subscription<TwistStamped>(
      "/controller/target_twist", 1, [&seen](const TwistStamped::ConstSharedPtr&) { ++seen; });
  const auto see_wrenches = room.node->create_subscription<WrenchStamped>(
      "/controller/target_wrench", 1, [&seen](const WrenchStamped::ConstSharedPtr&) { ++seen; });
  TwistStamped twist;
  twist.twist.linear.x = 0.1;
  WrenchStamped wrench;
  wrench.header.frame_id = "tool0";
  wrench.wrench.force.x = 1.0;
  const auto comes = [&](const auto& publisher, const auto& message) {
    seen = 0;
    return room.spin_until([&] {
      publisher->publish(message);
      return publisher->get_subscription_count() == 2 && seen >= 3;
    });
  };
  const auto& now = plugin.controller->arm().task();
  const auto begins_here = [&] {
    for (int k = 0; k < 3; ++k) {
      ASSERT_EQ(plugin.update(), return_type::OK);
      EXPECT_LT((now.target.p_m - now.measured.p_m).norm(), 1e-3) << "cycle " << k;
      EXPECT_LT((now.target.R - now.measured.R).norm(), 1e-9) << "cycle " << k;
    }
  };
  for (const double q : {bent[1], 1.0}) {
    for (const bool by_wrench : {false, true}) {
      ASSERT_EQ(plugin.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
      plugin.set_state("joint2/position", by_wrench ? q - 0.3 : q);
      ASSERT_EQ(plugin.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
      ASSERT_TRUE(by_wrench ? comes(wrenches, wrench) : comes(twists, twist));
      begins_here();
      EXPECT_TRUE(by_wrench || std::abs(now.target.twist[0] - 0.1) < 1e-9) << now.target.twist[0];
    }
  }
}

TEST(TaskSpaceAlone, TargetsThatMakeNoSenseAreRefused) {
  const LogCapture log;
  Plugin<TaskSpaceController> plugin(task_parameters());
  plugin.start(false);
  set_bent(plugin);
  ASSERT_EQ(plugin.update(), return_type::OK);
  Room room(*plugin.controller->get_node());
  auto poses = room.node->create_publisher<PoseStamped>("/controller/target_pose", 1);
  auto states = room.node->create_subscription<dyn_msgs::msg::TaskState>(
      "/controller/task_state", 1, [](const dyn_msgs::msg::TaskState::ConstSharedPtr&) {});
  const auto refused = [&](const PoseStamped& message, const std::string& why) {
    EXPECT_TRUE(room.spin_until([&] {
      poses->publish(message);
      return LogCapture::count(why) > 0;
    })) << why;
  };
  PoseStamped message;
  message.pose.orientation.w = 0.5;
  refused(message, "~/target_pose: the length of the quaternion is 0.5");
  message.pose.orientation.w = 1.0;
  message.header.frame_id = "camera";
  refused(message, "~/target_pose is in frame 'camera'");
  message.header.frame_id = "";
  message.pose.position.x = std::nan("");
  refused(message, "~/target_pose has an entry that is not finite");
  const dyn::Vec3d before = plugin.controller->arm().task().target.p_m;
  ASSERT_EQ(plugin.update(), return_type::OK);
  EXPECT_EQ((plugin.controller->arm().task().target.p_m - before).norm(), 0.0);
}

}  // namespace
}  // namespace dyn_controllers::test
