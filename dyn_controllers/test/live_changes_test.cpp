// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What changes while a controller runs: parameters, payloads, the robot's description, references from topics; and that
// the loop allocates nothing and takes no lock of ours while it all happens.
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "dyn_controllers/torque_controller.hpp"
#include "dyn_msgs/msg/controller_state.hpp"
#include "handle_locks.hpp"
#include "pendulum.hpp"
#include "support/allocation_counter.hpp"

namespace dyn_controllers::test {
namespace {

using namespace std::chrono_literals;
using Computed = Plugin<ComputedTorqueController>;
using dyn_msgs::srv::AttachPayload, dyn_msgs::srv::DetachPayload, dyn_msgs::srv::ListPayloads;

std::vector<double> gravity(const dyn::Model& model) {
  dyn::Dynamics dynamics(model);
  const std::vector<double> zero(7, 0.0);
  EXPECT_TRUE(dynamics.update(zero, zero).ok());
  return {dynamics.g().data(), dynamics.g().data() + 7};
}

dyn::Model arm7_with_box() {
  dyn::Inertial inertial{2.0, {0.05, 0.0, 0.0}, dyn::inertia_tensor(0.01, 0.0, 0.0, 0.01, 0.0, 0.01)};
  return dyn::Model::build(dyn::attach(dyn::load_robot("arm7"), dyn::Payload::rigid("box", "tool0", inertial)));
}

void expect_efforts(const Computed& plugin, const std::vector<double>& expected, double tolerance) {
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(plugin.command(arm7_joints()[i] + "/effort"), expected[i], tolerance) << arm7_joints()[i];
  }
}

TEST(LiveParameters, TakeEffectInTheNextCycleOrAreRefusedWithTheReason) {
  Computed plugin;
  plugin.start(true);
  plugin.set_state("joint7/position", -0.1);
  const auto cycle = [&] {
    for (const std::string& joint : arm7_joints()) (void)plugin.reference(joint + "/position").set_value(0.0);
    ASSERT_EQ(plugin.update(), return_type::OK);
  };
  for (int i = 0; i < 500; ++i) cycle();  // the reference gets there within its limits
  const double before = plugin.command("joint7/effort");
  using Value = rclcpp::ParameterValue;

  EXPECT_TRUE(plugin.set("gains.joint7.p", Value(800.0)).successful);
  cycle();
  const double doubled = plugin.command("joint7/effort");
  EXPECT_GT(std::abs(doubled - before), 0.1 * std::abs(before));
  EXPECT_TRUE(plugin.set("gains.joint7.p", Value(400.0)).successful);
  cycle();
  EXPECT_NEAR(plugin.command("joint7/effort"), before, 1e-9);

  for (const char* name : {"explicit", "denoc", "screw", "gdahj", "crba", "fused"}) {
    EXPECT_TRUE(plugin.set("jsim_algorithm", Value(name)).successful);
    cycle();
    EXPECT_NEAR(plugin.command("joint7/effort"), before, 1e-9) << name;
  }
  const auto unknown = plugin.set("jsim_algorithm", Value("magic"));
  EXPECT_FALSE(unknown.successful);
  EXPECT_NE(unknown.reason.find("magic"), std::string::npos) << unknown.reason;
  EXPECT_EQ(plugin.controller->get_node()->get_parameter("jsim_algorithm").as_string(), "fused");
  const auto zero_gain = plugin.set("gains.joint7.d", Value(0.0));
  EXPECT_FALSE(zero_gain.successful);
  EXPECT_NE(zero_gain.reason.find("joint7"), std::string::npos) << zero_gain.reason;
  EXPECT_FALSE(plugin.set("gains.joint7.i", Value(-1.0)).successful);
  EXPECT_FALSE(plugin.set("gravity", Value(std::vector<double>{0.0, 0.0})).successful);
  EXPECT_FALSE(plugin.set("joints", Value(std::vector<std::string>{"joint1"})).successful) << "read-only";
  cycle();
  EXPECT_NEAR(plugin.command("joint7/effort"), before, 1e-9);

  EXPECT_TRUE(plugin.set("gravity", Value(std::vector<double>{0.0, 0.0, 0.0})).successful);
  cycle();
  EXPECT_LT(std::abs(plugin.command("joint2/effort")), 5.0);
}

TEST(Payloads, ServicesAttachListAndDetachInAnyState) {
  Computed plugin;
  ASSERT_TRUE(plugin.configure());
  Room room(*plugin.controller->get_node());
  dyn_msgs::msg::Payloads latched;
  ASSERT_TRUE(room.call<AttachPayload>("attach_payload", box())->success) << "inactive";
  const auto subscription = room.node->create_subscription<dyn_msgs::msg::Payloads>(
      "/controller/payloads", rclcpp::QoS(1).transient_local(),
      [&](const dyn_msgs::msg::Payloads::ConstSharedPtr& message) { latched = *message; });
  EXPECT_TRUE(room.spin_until([&] { return latched.payloads.size() == 1; }));
  EXPECT_EQ(latched.payloads.at(0).name, "box");

  ASSERT_TRUE(plugin.controller->set_chained_mode(true));
  ASSERT_TRUE(plugin.activate());
  ASSERT_EQ(plugin.update(), return_type::OK);
  expect_efforts(plugin, gravity(arm7_with_box()), 1e-9);
  ASSERT_EQ(plugin.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
  ASSERT_EQ(plugin.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
  ASSERT_EQ(plugin.update(), return_type::OK);
  expect_efforts(plugin, gravity(arm7_with_box()), 1e-9);

  const auto list = room.call<ListPayloads>("list_payloads", ListPayloads::Request());
  ASSERT_EQ(list->payloads.size(), 1U);
  EXPECT_EQ(list->payloads[0].inertia.m, 2.0);
  DetachPayload::Request off;
  off.name = "box";
  ASSERT_TRUE(room.call<DetachPayload>("detach_payload", off)->success);
  ASSERT_EQ(plugin.update(), return_type::OK);
  expect_efforts(plugin, gravity(dyn::load_model("arm7")), 1e-9);
  EXPECT_TRUE(room.spin_until([&] { return latched.payloads.empty(); }));
}

TEST(Payloads, WhatCannotBeIsRefusedAndChangesNothing) {
  Computed plugin;
  plugin.start(true);
  Room room(*plugin.controller->get_node());
  const auto refused = [&](const AttachPayload::Request& request, const std::string& why) {
    const auto answer = room.call<AttachPayload>("attach_payload", request);
    EXPECT_FALSE(answer->success) << why;
    EXPECT_NE(answer->message.find(why), std::string::npos) << answer->message;
  };
  refused(box("no_such_link"), "no_such_link");
  auto negative = box();
  negative.payload.inertia.m = -1.0;
  refused(negative, "box");
  auto impossible = box();
  impossible.payload.inertia.ixx = 5.0;
  refused(impossible, "box");
  auto crooked = box();
  crooked.payload.pose.orientation.w = 0.5;
  refused(crooked, "quaternion");
  auto swinging = box();
  swinging.payload.inertia.m = 0.0;
  swinging.payload.urdf = pendulum_on_flange().payload.urdf;
  refused(swinging, "max_payload_dofs");
  auto path = box();  // a urdf is text: no file is read
  path.payload.inertia.m = 0.0;
  path.payload.urdf = dyn::find_robot("arm7").string();
  refused(path, "XML");
  auto late = box();
  late.transition_time.sec = -1;
  refused(late, "transition_time");
  auto long_name = box();
  long_name.payload.name.assign(1'000'000, 'x');
  const auto answer = room.call<AttachPayload>("attach_payload", long_name);
  EXPECT_FALSE(answer->success);
  EXPECT_NE(answer->message.find("has 1000000 bytes; at most 256 are allowed"), std::string::npos);
  EXPECT_LT(answer->message.size(), 200U);
  auto far = box();
  far.payload.inertia.com.x = 1e6;
  refused(far, "box");
  auto heavy = box();
  heavy.payload.inertia.m = 300.0;
  heavy.payload.inertia.ixx = heavy.payload.inertia.iyy = heavy.payload.inertia.izz = 2.0;
  for (const std::string& joint : arm7_joints()) plugin.set_state(joint + "/position", 1.0);
  ASSERT_EQ(plugin.update(), return_type::OK);
  refused(heavy, "joint2");
  heavy.payload.inertia.m = 1e300;
  refused(heavy, "box");
  for (const std::string& joint : arm7_joints()) plugin.set_state(joint + "/position", 0.0);
  ASSERT_EQ(plugin.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
  ASSERT_EQ(plugin.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
  DetachPayload::Request nothing;
  nothing.name = "nothing";
  EXPECT_FALSE(room.call<DetachPayload>("detach_payload", nothing)->success);
  ASSERT_EQ(plugin.update(), return_type::OK);
  expect_efforts(plugin, gravity(dyn::load_model("arm7")), 1e-9);
}

// Refused where the arm is, and taken where it is told to, with a warning.
TEST(Payloads, ThatAreTooHeavyAreTakenWhereTheUserInsists) {
  auto parameters = arm7_parameters();
  parameters["allow_heavy_payloads"] = rclcpp::ParameterValue(true);
  Computed plugin(parameters);
  plugin.start(true);
  Room room(*plugin.controller->get_node());
  for (const std::string& joint : arm7_joints()) plugin.set_state(joint + "/position", 1.0);
  ASSERT_EQ(plugin.update(), return_type::OK);
  auto heavy = box();
  heavy.payload.inertia.m = 300.0;
  heavy.payload.inertia.ixx = heavy.payload.inertia.iyy = heavy.payload.inertia.izz = 2.0;
  const auto answer = room.call<AttachPayload>("attach_payload", heavy);
  EXPECT_TRUE(answer->success) << answer->message;
  EXPECT_NE(answer->message.find("joint2"), std::string::npos) << answer->message;
}

AttachPayload::Request box_of(double mass_kg) {
  auto request = box();
  request.payload.inertia.m = mass_kg;
  request.payload.inertia.ixx = request.payload.inertia.iyy = request.payload.inertia.izz = 0.01 * mass_kg;
  return request;
}

// 60 kg: arm7 holds them upright, and not with all joints at 1 rad.
TEST(Payloads, AreJudgedWhereTheArmIsWhileThatIsKnown) {
  Computed plugin;
  ASSERT_TRUE(plugin.configure());
  Room room(*plugin.controller->get_node());
  const auto answer = [&](double mass_kg) { return room.call<AttachPayload>("attach_payload", box_of(mass_kg)); };
  EXPECT_NE(answer(900.0)->message.find("in every posture it is too much"), std::string::npos);
  for (const std::string& joint : arm7_joints()) plugin.initial[joint + "/position"] = 1.0;
  ASSERT_TRUE(plugin.activate());
  EXPECT_NE(answer(60.0)->message.find("here gravity takes"), std::string::npos);
  ASSERT_EQ(plugin.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
  const auto taken = answer(60.0);  // it may be anywhere by now
  EXPECT_TRUE(taken->success) << taken->message;
  EXPECT_NE(taken->message.find("in some postures gravity takes"), std::string::npos) << taken->message;
}

// Upright on a base that lies on its side.
TEST(Payloads, AreJudgedByTheGravityOfABaseThatMoves) {
  auto parameters = arm7_parameters();
  parameters["base_orientation"] = rclcpp::ParameterValue("base_imu");
  Computed plugin(parameters);
  plugin.initial["base_imu/orientation.y"] = plugin.initial["base_imu/orientation.w"] = std::sqrt(0.5);
  plugin.start(true);
  Room room(*plugin.controller->get_node());
  const auto answer = room.call<AttachPayload>("attach_payload", box_of(60.0));
  EXPECT_FALSE(answer->success);
  EXPECT_NE(answer->message.find("here gravity takes"), std::string::npos) << answer->message;
}

// 0.1 s at 1 kHz: half of the payload's gravity after half of the time.
TEST(Payloads, AreRampedInOverTheTransitionTime) {
  Computed plugin;
  plugin.start(true);
  Room room(*plugin.controller->get_node());
  auto request = box();
  request.transition_time.nanosec = 100'000'000;
  ASSERT_TRUE(room.call<AttachPayload>("attach_payload", request)->success);
  const auto empty = gravity(dyn::load_model("arm7")), full = gravity(arm7_with_box());
  for (int cycle = 1; cycle <= 110; ++cycle) {
    ASSERT_EQ(plugin.update(), return_type::OK);
    if (cycle != 50) continue;
    EXPECT_NEAR(plugin.command("joint2/effort"), 0.5 * (empty[1] + full[1]), 1e-6);
  }
  expect_efforts(plugin, full, 1e-9);
}

TEST(References, ComeFromTopicsWhereNothingIsChained) {
  auto parameters = arm7_parameters();
  parameters["reference_timeout"] = rclcpp::ParameterValue(0.0);
  Computed plugin(parameters);
  plugin.start(false);
  Room room(*plugin.controller->get_node());
  const auto points =
      room.node->create_publisher<trajectory_msgs::msg::JointTrajectoryPoint>("/controller/reference", 1);
  const auto trajectories =
      room.node->create_publisher<trajectory_msgs::msg::JointTrajectory>("/controller/joint_trajectory", 1);
  ASSERT_EQ(plugin.update(), return_type::OK);
  const double rest = plugin.command("joint1/effort");
  const auto reference = [&] { return plugin.controller->arm().reference_q()[0]; };
  const auto update_until = [&](double wanted) {
    return room.spin_until([&] { return plugin.update() == return_type::OK && reference() == wanted; });
  };

  trajectory_msgs::msg::JointTrajectoryPoint point;
  point.positions.assign(7, 0.0);
  point.positions[0] = 0.2;
  ASSERT_TRUE(room.spin_until([&] { return points->get_subscription_count() > 0; }));
  points->publish(point);
  EXPECT_TRUE(update_until(0.2));
  EXPECT_GT(plugin.command("joint1/effort"), rest + 1.0);

  trajectory_msgs::msg::JointTrajectory trajectory;  // joints in another order
  trajectory.joint_names = arm7_joints();
  std::reverse(trajectory.joint_names.begin(), trajectory.joint_names.end());
  point.positions.assign(7, 0.0);
  point.positions[6] = -0.3;
  trajectory.points = {point};
  ASSERT_TRUE(room.spin_until([&] { return trajectories->get_subscription_count() > 0; }));
  trajectories->publish(trajectory);
  EXPECT_TRUE(update_until(-0.3));

  point.positions.pop_back();  // malformed: nothing changes
  points->publish(point);
  for (int i = 0; i < 20; ++i) room.executor.spin_once(10ms);
  ASSERT_EQ(plugin.update(), return_type::OK);
  EXPECT_EQ(reference(), -0.3);
}

// The last one asked for motion, and none came after it: the arm is brought to rest and held, not driven on.
TEST(References, ThatStopComingBringTheArmToRest) {
  Computed plugin;
  plugin.start(false);
  Room room(*plugin.controller->get_node());
  dyn_msgs::msg::ControllerState state;
  const auto states = room.node->create_subscription<dyn_msgs::msg::ControllerState>(
      "/controller/controller_state", 1,
      [&](const dyn_msgs::msg::ControllerState::ConstSharedPtr& message) { state = *message; });
  const auto points =
      room.node->create_publisher<trajectory_msgs::msg::JointTrajectoryPoint>("/controller/reference", 1);
  ASSERT_TRUE(room.spin_until([&] { return points->get_subscription_count() > 0; }));
  trajectory_msgs::msg::JointTrajectoryPoint point;
  point.positions.assign(7, 0.0);
  point.velocities.assign(7, 0.5);
  points->publish(point);
  ASSERT_TRUE(room.spin_until(
      [&] { return plugin.update() == return_type::OK && plugin.controller->arm().reference_v()[0] == 0.5; }));
  const double moving = plugin.command("joint1/effort");
  for (int cycle = 0; cycle < 100; ++cycle) ASSERT_EQ(plugin.update(), return_type::OK);  // reference_timeout: 0.1 s
  EXPECT_TRUE(room.spin_until([&] {
    return plugin.update() == return_type::OK && state.mode == dyn_msgs::msg::ControllerState::HOLDING_REFERENCE;
  }));
  for (int cycle = 0; cycle < 1000; ++cycle) ASSERT_EQ(plugin.update(), return_type::OK);
  points->publish(point);  // and on again
  EXPECT_TRUE(room.spin_until(
      [&] { return plugin.update() == return_type::OK && state.mode == dyn_msgs::msg::ControllerState::TRACKING; }));
  EXPECT_GT(moving, 1.0);
}

class Bare : public ComputedTorqueController {
 public:
  using ComputedTorqueController::on_activate;
  using ComputedTorqueController::on_deactivate;
};

void deactivate_and_activate(Bare& controller) {
  static const rclcpp_lifecycle::State state;  // taken once: it allocates
  ASSERT_EQ(controller.on_deactivate(state), Bare::CallbackReturn::SUCCESS);
  ASSERT_EQ(controller.on_activate(state), Bare::CallbackReturn::SUCCESS);
}

// 1,000 parameter changes, payload calls and references from another thread; update() is counted alone, and so are
// deactivation and activation in between.
TEST(RealTime, UpdateAllocatesNothingAndTakesNoLockOfOurs) {
  Plugin<Bare> plugin;
  plugin.start(false);
  const auto cycle = [&] { ASSERT_EQ(plugin.update(), return_type::OK); };
  const auto begin_anew = [&] { deactivate_and_activate(*plugin.controller); };
  begin_anew();
  const auto locks_of_cycle = locks_of_handles(plugin, 14, 7);
  // The references are forgotten, then begin at the state.
  const auto locks_of_beginning = locks_of_handles(plugin, 14, 7 + 2 * 21);
  std::atomic<bool> done{false};
  std::thread user([&] {
    Room room(*plugin.controller->get_node());
    const auto points =
        room.node->create_publisher<trajectory_msgs::msg::JointTrajectoryPoint>("/controller/reference", 1);
    trajectory_msgs::msg::JointTrajectoryPoint point;
    point.positions.assign(7, 0.01);
    DetachPayload::Request off;
    off.name = "box";
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE(plugin.set("gains.joint3.p", rclcpp::ParameterValue(300.0 + i % 100)).successful);
      points->publish(point);
      if (i % 2 == 0) {
        EXPECT_TRUE(room.call<AttachPayload>("attach_payload", box())->success);
      } else {
        EXPECT_TRUE(room.call<DetachPayload>("detach_payload", off)->success);
      }
      room.executor.spin_some();
    }
    done = true;
  });
  dyn::test::AllocationCount total;
  const auto locks_of = [&](const auto& what) { return locks_and_allocations(what, total); };
  std::int64_t cycles = 0, more_locks = 0;
  while (!done || cycles < 1000) {
    more_locks += locks_of(cycle) - locks_of_cycle;
    ++cycles;
    if (cycles % 10 == 0) more_locks += locks_of(begin_anew) - locks_of_beginning;
    if (cycles % 100 == 0) std::this_thread::sleep_for(1ms);
  }
  user.join();
  EXPECT_EQ(total.allocations, 0);
  EXPECT_EQ(total.frees, 0);
  EXPECT_EQ(more_locks, 0);
}

TEST(RealTime, ActivationAndDeactivationAllocateNothingAndTakeNoLockOfOurs) {
  Plugin<Bare> plugin;
  plugin.start(true);
  deactivate_and_activate(*plugin.controller);
  std::int64_t locks = 0;
  const auto count = dyn::test::count_allocations(
      [&] { locks = dyn::test::count_lock_calls([&] { deactivate_and_activate(*plugin.controller); }); });
  EXPECT_TRUE(count.none()) << count.allocations;
  EXPECT_EQ(locks, locks_of_handles(plugin, 14, 2 * 21)) << "without a cycle before there is no torque to leave";
}

}  // namespace
}  // namespace dyn_controllers::test
