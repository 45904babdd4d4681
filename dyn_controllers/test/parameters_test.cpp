// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Every parameter of the torque controllers: what may change while active does so in the next cycle, what does not fit
// is refused with a reason and changes nothing, what is fixed stays. A parameter that the table below forgets fails it.
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "dyn_controllers/dynamics_broadcaster.hpp"
#include "dyn_controllers/torque_controller.hpp"
#include "plugin_fixture.hpp"

namespace dyn_controllers::test {
namespace {

using Computed = Plugin<ComputedTorqueController>;
using Value = rclcpp::ParameterValue;
using Texts = std::vector<std::string>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Row {
  std::string name;
  std::optional<Value> other;  // a value that fits, not the present one; none: may not change while active
  std::vector<Value> bad;
  bool moves_torque = false;  // the very next torque is another one
};

const std::vector<Row> table{
    {"joints", {}, {Value(Texts{"joint1"})}},
    {"law", Value("passivity"), {Value("magic"), Value("")}, true},
    {"command_interfaces", {}, {Value(Texts{"position"})}},
    {"jsim_algorithm", Value("gdahj"), {Value("magic"), Value(""), Value(1)}},
    {"coriolis_algorithm", Value("recursive"), {Value("magic"), Value("")}},
    {"gains.joint2.p", Value(100.0), {Value(0.0), Value(-1.0), Value(nan), Value("high")}, true},
    {"gains.joint2.d", Value(10.0), {Value(0.0), Value(-1.0), Value(nan)}, true},
    {"gains.joint2.i", Value(5.0), {Value(-1.0), Value(nan)}},
    {"gains.joint2.i_clamp", Value(5.0), {Value(-1.0), Value(nan)}},
    {"gravity",
     Value(std::vector<double>{0.0, 0.0, -1.62}),
     {Value(std::vector<double>{0.0, -9.81}), Value(std::vector<double>{0.0, 0.0, nan})},
     true},
    {"base_orientation", {}, {Value("imu")}},
    {"gravity_compensation", Value("none"), {Value("some")}, true},
    {"friction_compensation", Value(true), {Value(1.0)}, true},
    {"effort_limit_scale", Value(0.01), {Value(1.5), Value(-0.1), Value(nan)}, true},
    {"effort_rate_limit", Value(1.0), {Value(-1.0), Value(nan)}},
    {"prediction", Value(4.0), {Value(-1.0), Value(9.0), Value(nan)}, true},
    {"reference_lead", Value(4.0), {Value(-2.0), Value(9.0), Value(nan)}, true},
    {"reference_timeout", Value(0.5), {Value(-1.0), Value(nan)}},
    {"ramp_in", Value(0.5), {Value(-1.0), Value(nan)}},
    {"passive_joints", {}, {Value(Texts{"joint7"})}},
    {"passive_damping", Value(1.0), {Value(-1.0), Value(nan)}},
    {"max_payload_dofs", {}, {Value(2)}},
    {"observer_gain", Value(10.0), {Value(-1.0), Value(nan)}},
    {"collision_threshold", Value(5.0), {Value(-1.0), Value(nan)}},
    {"hold_time", Value(0.1), {Value(-1.0), Value(nan)}},
    {"state_publish_rate", {}, {Value(10.0)}},
    {"validation.mode", {}, {Value("monitor")}},
    {"validation.rate", {}, {Value(10.0)}},
    {"validation.tolerance", {}, {Value(1.0)}},
    {"validation.fallback", {}, {Value("gdahj")}},
    {"armature.joint2", {}, {Value(1.0)}},
};

// A moving arm whose reference moves another way, so that every term of the torque is there.
void set_motion(Computed& plugin) {
  for (const std::string& joint : arm7_joints()) {
    plugin.set_state(joint + "/position", 0.3);
    plugin.set_state(joint + "/velocity", 0.2);
    (void)plugin.reference(joint + "/position").set_value(0.31);
    (void)plugin.reference(joint + "/velocity").set_value(0.4);
    (void)plugin.reference(joint + "/acceleration").set_value(1.0);
  }
}

TEST(Parameters, TheTableHasEveryOneOfThem) {
  Computed plugin;
  plugin.start(true);
  std::set<std::string> known{"update_rate", "is_async", "use_sim_time", "thread_priority",
                              "start_type_description_service"};  // ros2_control's and rclcpp's own
  for (const Row& row : table) known.insert(row.name);
  for (const std::string& name : plugin.controller->get_node()->list_parameters({}, 0).names) {
    if (name.rfind("qos_overrides.", 0) == 0 || name.rfind("async_parameters.", 0) == 0) continue;
    std::string like = name;  // joint2 stands for all of them
    for (const char* prefix : {"gains.joint", "armature.joint"}) {
      if (like.rfind(prefix, 0) == 0) like[std::string(prefix).size()] = '2';
    }
    EXPECT_EQ(known.count(like), 1U) << name;
  }
}

TEST(Parameters, ChangeInTheNextCycleOrAreRefusedWithTheReason) {
  Computed plugin;
  plugin.start(true);
  const auto torque = [&] {
    set_motion(plugin);
    EXPECT_EQ(plugin.update(), return_type::OK);
    return plugin.command("joint2/effort");
  };
  const double usual = torque();
  const auto node = plugin.controller->get_node();
  for (const Row& row : table) {
    const Value before = node->get_parameter(row.name).get_parameter_value();
    for (const Value& bad : row.bad) {
      const auto answer = plugin.set(row.name, bad);
      EXPECT_FALSE(answer.successful) << row.name << ": " << rclcpp::to_string(bad);
      EXPECT_FALSE(answer.reason.empty()) << row.name << ": " << rclcpp::to_string(bad);
      EXPECT_EQ(node->get_parameter(row.name).get_parameter_value(), before) << row.name;
    }
    EXPECT_NEAR(torque(), usual, 1e-9) << row.name << ": what was refused changes nothing";
    if (!row.other) continue;
    const auto answer = plugin.set(row.name, *row.other);
    EXPECT_TRUE(answer.successful) << row.name << ": " << answer.reason;
    if (row.moves_torque) {
      EXPECT_GT(std::abs(torque() - usual), 1e-3) << row.name;
    }
    EXPECT_TRUE(plugin.set(row.name, before).successful) << row.name;
    EXPECT_NEAR(torque(), usual, 1e-9) << row.name << ": and back";
  }
}

TEST(Parameters, AreAskedForWhereTheyAreMissing) {
  Computed nothing(std::map<std::string, Value>{});
  EXPECT_FALSE(nothing.initialised && nothing.configure()) << "joints";
  Computed no_gains({{"joints", Value(arm7_joints())}});
  EXPECT_FALSE(no_gains.initialised && no_gains.configure()) << "gains";
}

TEST(Parameters, OfTheBroadcasterAreJudgedToo) {
  const auto refused = [](const std::string& name, const Value& value) {
    Plugin<DynamicsBroadcaster> plugin({{name, value}});
    return !plugin.initialised || !plugin.configure();
  };
  EXPECT_FALSE(refused("publish_rate", Value(10.0)));
  EXPECT_TRUE(refused("publish_rate", Value(0.0)));
  EXPECT_TRUE(refused("observer_gain", Value(-1.0)));
  EXPECT_TRUE(refused("gravity", Value(std::vector<double>{1.0})));
  EXPECT_TRUE(refused("jsim_algorithm", Value("magic")));
  EXPECT_TRUE(refused("coriolis_algorithm", Value("magic")));
}

}  // namespace
}  // namespace dyn_controllers::test
