// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The terms of the torque as ros2_control's introspection shows them, and what that costs the loop: nothing of ours.
#include "hardware_interface/introspection.hpp"

#include <cmath>
#include <map>

#include "dyn_controllers/torque_controller.hpp"
#include "handle_locks.hpp"
#include "support/allocation_counter.hpp"
#include "task_plugin.hpp"

namespace dyn_controllers::test {
namespace {

class Bare : public ComputedTorqueController {
 public:
  using ComputedTorqueController::on_activate;
  using ComputedTorqueController::on_deactivate;
};

// The registry that a controller manager has.
class IntrospectionTest : public testing::Test {
 protected:
  void SetUp() override {
    INITIALIZE_ROS2_CONTROL_INTROSPECTION_REGISTRY(node, hardware_interface::DEFAULT_INTROSPECTION_TOPIC,
                                                   hardware_interface::DEFAULT_REGISTRY_KEY);
  }
  void TearDown() override { CLEAR_ALL_ROS2_CONTROL_INTROSPECTION_REGISTRIES(); }

  // What would be published now, of this controller.
  static std::map<std::string, double> shown() {
    std::map<std::string, double> all;
    for (const auto& entry :
         pal_statistics::getRegistry(hardware_interface::DEFAULT_REGISTRY_KEY)->createMsg().statistics) {
      if (entry.name.rfind("controller.", 0) == 0) all[entry.name.substr(11)] = entry.value;
    }
    return all;
  }
  // As a controller manager does it, which publishes between configuration and activation: ros2_control's queue holds
  // an entry a registration, and they fill it.
  template <class Controller>
  static void start(Plugin<Controller>& plugin) {
    ASSERT_TRUE(plugin.initialised && plugin.configure());
    (void)shown();
    ASSERT_TRUE(plugin.controller->set_chained_mode(true));
    ASSERT_TRUE(plugin.activate());
  }
  static void move(Plugin<Bare>& plugin) {
    for (size_t i = 0; i < 7; ++i) {
      plugin.set_state(arm7_joints()[i] + "/position", 0.1 * static_cast<double>(i));
      plugin.set_state(arm7_joints()[i] + "/velocity", 0.3);
    }
    ASSERT_EQ(plugin.update(), return_type::OK);
  }

  rclcpp::Node::SharedPtr node = std::make_shared<rclcpp::Node>("manager");
};

TEST_F(IntrospectionTest, ShowsEveryTermOfAnActiveController) {
  Plugin<Bare> plugin;
  start(plugin);
  move(plugin);
  const auto numbers = shown();
  const dyn::control::Terms& terms = plugin.controller->arm().terms();
  ASSERT_GT(std::abs(terms.gravity[1]), 1.0);
  for (size_t i = 0; i < 7; ++i) {
    const std::string joint = arm7_joints()[i] + '/';
    double sum = 0.0;
    for (const char* term : {"inertia", "coriolis", "gravity", "friction", "feedback"}) {
      sum += numbers.at(joint + "effort_" + term);
    }
    EXPECT_NEAR(sum, numbers.at(joint + "effort_demanded"), 1e-12);
    EXPECT_EQ(numbers.at(joint + "effort_gravity"), terms.gravity[i]);
    EXPECT_EQ(numbers.at(joint + "effort_applied"), plugin.command(joint + "effort"));
    EXPECT_EQ(numbers.at(joint + "effort_external"), terms.external[i]);
    EXPECT_EQ(numbers.at(joint + "position_error"), terms.position_error[i]);
    EXPECT_EQ(numbers.at(joint + "velocity_error"), terms.velocity_error[i]);
  }
  EXPECT_EQ(numbers.count("validation/gravity"), 0U) << "there is no validator";
  EXPECT_EQ(numbers.count("task/damped"), 0U) << "no frame is controlled";
  const std::string one = "joint2/effort_gravity";
  ASSERT_EQ(plugin.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
  EXPECT_EQ(shown().count(one), 0U) << "what was, is not shown";
  ASSERT_EQ(plugin.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
  EXPECT_EQ(shown().count(one), 1U);
  ASSERT_EQ(plugin.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
  ASSERT_EQ(plugin.controller->get_node()->cleanup().id(), State::PRIMARY_STATE_UNCONFIGURED);
  EXPECT_EQ(shown().count(one), 0U);
}

TEST_F(IntrospectionTest, ShowsTheFrameOfATaskSpaceController) {
  Plugin<TaskSpaceController> plugin(task_parameters());
  start(plugin);
  set_bent(plugin);
  ASSERT_EQ(plugin.update(), return_type::OK);
  ASSERT_EQ(aim_beside(plugin, 0.3), return_type::OK);
  const auto numbers = shown();
  EXPECT_NEAR(numbers.at("task/error_linear"), 0.3, 1e-9);
  EXPECT_NEAR(numbers.at("task/error_angular"), 0.0, 1e-9);
  EXPECT_GT(numbers.at("task/smallest_singular_value"), 0.05);
  EXPECT_EQ(numbers.at("task/effort_share"), plugin.controller->arm().task().effort_share);
  EXPECT_EQ(numbers.at("task/damped"), 0.0);
  EXPECT_EQ(numbers.at("task/limited"), 1.0);
  for (const std::string& joint : arm7_joints()) plugin.set_state(joint + "/position", 0.0);
  ASSERT_EQ(plugin.update(), return_type::OK);
  EXPECT_EQ(shown().at("task/damped"), 1.0);
}

// Activated before anything was published: what there was no room for is tried again in the next cycles.
TEST_F(IntrospectionTest, ShowsThemHoweverFullTheQueueIs) {
  Plugin<Bare> plugin;
  plugin.start(true);
  for (int i = 0; i < 3; ++i) {
    move(plugin);
    (void)shown();
  }
  EXPECT_EQ(shown().count("joint2/effort_gravity"), 1U);
  EXPECT_EQ(shown().count("joint7/velocity_error"), 1U);
}

TEST_F(IntrospectionTest, CostsTheLoopNothingOfOurs) {
  Plugin<Bare> plugin;
  start(plugin);
  move(plugin);
  ASSERT_FALSE(shown().empty());
  const auto count = dyn::test::count_allocations([&] { ASSERT_EQ(plugin.update(), return_type::OK); });
  EXPECT_TRUE(count.none()) << count.allocations;
  const rclcpp_lifecycle::State inactive, active;
  std::int64_t locks = 0;
  const auto switching = dyn::test::count_allocations([&] {
    locks = dyn::test::count_lock_calls([&] {
      (void)plugin.controller->on_deactivate(active);
      (void)plugin.controller->on_activate(inactive);
    });
  });
  EXPECT_TRUE(switching.none()) << switching.allocations;
  EXPECT_EQ(locks, locks_of_handles(plugin, 14, 7 + 2 * 21)) << "the handles' own, and no other";
}

}  // namespace
}  // namespace dyn_controllers::test
