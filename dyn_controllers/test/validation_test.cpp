// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Pinocchio beside a controller: a sound one is left alone, one that computes something wrong falls back, and is
// brought to rest where that is wrong too; ~/validation and ~/controller_state say so.
#include "dyn_msgs/msg/validation.hpp"

#include <chrono>
#include <cmath>
#include <thread>

#include "dyn_controllers/torque_controller.hpp"
#include "dyn_msgs/msg/controller_state.hpp"
#include "dynamics_access.hpp"
#include "plugin_fixture.hpp"

namespace dyn_controllers::test {
namespace {

using dyn_msgs::msg::ControllerState;
using Computed = Plugin<ComputedTorqueController>;

class GateTest : public testing::Test {
 protected:
  static std::map<std::string, rclcpp::ParameterValue> parameters() {
    auto all = arm7_parameters();
    all["jsim_algorithm"] = rclcpp::ParameterValue("screw");
    all["validation.fallback"] = rclcpp::ParameterValue("gdahj");
    all["validation.mode"] = rclcpp::ParameterValue("gate");
    all["validation.rate"] = rclcpp::ParameterValue(100.0);  // the loop runs as fast as it can
    all["state_publish_rate"] = rclcpp::ParameterValue(100.0);
    return all;
  }
  void SetUp() override {
    for (size_t i = 0; i < 7; ++i) {
      plugin.initial[arm7_joints()[i] + "/position"] = 0.1 * static_cast<double>(i);
      plugin.initial[arm7_joints()[i] + "/velocity"] = 0.3 - 0.1 * static_cast<double>(i);
    }
    plugin.start(true);
    for (size_t i = 0; i < 7; ++i) {
      const double q = 0.1 * static_cast<double>(i), v = 0.3 - 0.1 * static_cast<double>(i);
      (void)plugin.reference(arm7_joints()[i] + "/position").set_value(q);
      (void)plugin.reference(arm7_joints()[i] + "/velocity").set_value(v);
      (void)plugin.reference(arm7_joints()[i] + "/acceleration").set_value(1.0);
    }
  }
  // The loop goes on until `condition` holds of what the topics say.
  template <class Condition>
  bool cycles_until(Condition&& condition) {
    return room.spin_until([&] {
      for (const std::string& joint : arm7_joints()) {  // to stay
        const double q = plugin.states.at(joint + "/position")->get_optional<double>().value();
        (void)plugin.reference(joint + "/position").set_value(q);
      }
      EXPECT_EQ(plugin.update(), return_type::OK);
      return condition();
    });
  }

  Computed plugin{parameters()};
  Room room{*plugin.controller->get_node()};
  ControllerState state;
  dyn_msgs::msg::Validation validation;
  rclcpp::Subscription<ControllerState>::SharedPtr states = room.node->create_subscription<ControllerState>(
      "/controller/controller_state", 1, [this](const ControllerState::ConstSharedPtr& m) { state = *m; });
  rclcpp::Subscription<dyn_msgs::msg::Validation>::SharedPtr validations =
      room.node->create_subscription<dyn_msgs::msg::Validation>(
          "/controller/validation", 10,
          [this](const dyn_msgs::msg::Validation::ConstSharedPtr& m) { validation = *m; });
};

// `screw` works with the links' radii of gyration, which gdahj, denoc and the other terms do not look at.
TEST_F(GateTest, AWrongAlgorithmIsLeftForTheFallback) {
  const rclcpp::Time begin = plugin.controller->get_node()->now();
  ASSERT_TRUE(cycles_until([&] { return validation.samples > 20 && state.jsim_algorithm == "screw"; }));
  EXPECT_EQ(validation.breaches, 0U);
  const rclcpp::Time compared(validation.header.stamp, begin.get_clock_type());
  EXPECT_GE(compared.nanoseconds(), begin.nanoseconds());
  EXPECT_LE(compared.nanoseconds(), plugin.controller->get_node()->now().nanoseconds());
  EXPECT_FALSE(state.fallback);
  const double sound = plugin.command("joint2/effort");
  ASSERT_NE(plugin.controller->arm().residuals(), nullptr);
  EXPECT_LT(plugin.controller->arm().residuals()->M.load(), 1e-10);

  dyn::Dynamics& dynamics = plugin.controller->arm().live().acquire(0.0).dynamics;
  const dyn::lanes::Plan& plan = dyn::DynamicsAccess::of(dynamics).cache.plan();
  auto* const link = const_cast<double*>(plan.links) + dyn::lanes::Link::count;  // of the second body
  for (int k = 0; k < 3; ++k) link[dyn::lanes::Link::radii + k] *= 1.001;
  ASSERT_TRUE(cycles_until([&] { return state.fallback && validation.breaches > 0; }));
  EXPECT_EQ(state.jsim_algorithm, "gdahj");
  EXPECT_EQ(state.mode, ControllerState::TRACKING);
  EXPECT_NEAR(plugin.command("joint2/effort"), sound, 1e-9);

  ASSERT_TRUE(plugin.set("jsim_algorithm", rclcpp::ParameterValue("denoc")).successful);  // that one is in order
  ASSERT_TRUE(cycles_until([&] { return state.jsim_algorithm == "denoc"; }));
  EXPECT_FALSE(state.fallback);
}

// The model itself is wrong: no algorithm helps, and the arm is brought to rest.
TEST_F(GateTest, AWrongModelIsBroughtToRest) {
  ASSERT_TRUE(cycles_until([&] { return validation.samples > 20; }));
  dyn::Dynamics& dynamics = plugin.controller->arm().live().acquire(0.0).dynamics;
  dyn::BodyInertia inertia = dyn::body_inertia(dynamics.tree(), 1);
  inertia.mass_kg *= 1.05;
  dynamics.set_body_inertia(1, inertia);
  // Two topics: either may come first.
  ASSERT_TRUE(cycles_until([&] { return state.mode == ControllerState::HOLDING_REFERENCE && validation.breaches > 0; }))
      << "mode " << static_cast<int>(state.mode) << ", " << validation.breaches << " breaches";
  EXPECT_TRUE(state.fallback);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(plugin.update(), return_type::OK);
  for (const std::string& joint : arm7_joints()) EXPECT_TRUE(std::isfinite(plugin.command(joint + "/effort")));
}

// A sample of every cycle, of which there are more than can be compared: what is lost is counted.
TEST(Validation, LosesNoSampleUncounted) {
  auto parameters = arm7_parameters();
  parameters["validation.mode"] = rclcpp::ParameterValue("monitor");
  parameters["validation.rate"] = rclcpp::ParameterValue(1000.0);
  Computed plugin(parameters);
  plugin.start(true);
  Room room(*plugin.controller->get_node());
  dyn_msgs::msg::Validation newest;
  const auto subscription = room.node->create_subscription<dyn_msgs::msg::Validation>(
      "/controller/validation", 10, [&](const dyn_msgs::msg::Validation::ConstSharedPtr& m) { newest = *m; });
  std::uint64_t cycles = 0;
  for (; cycles < 5000; ++cycles) ASSERT_EQ(plugin.update(), return_type::OK);
  int polls = 0;
  EXPECT_TRUE(room.spin_until([&] {
    if (++polls % 20 == 0) {  // for a subscription that was found late
      EXPECT_EQ(plugin.update(), return_type::OK);
      ++cycles;
    }
    return newest.lost > 0 && newest.samples + newest.lost == cycles;
  })) << newest.samples
      << " compared and " << newest.lost << " lost of " << cycles;
}

}  // namespace
}  // namespace dyn_controllers::test
