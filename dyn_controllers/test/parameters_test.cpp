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
#include "log_capture.hpp"
#include "log_hook.hpp"
#include "plugin_fixture.hpp"

namespace dyn_controllers::test {
namespace {

using Computed = Plugin<ComputedTorqueController>;
using Value = rclcpp::ParameterValue;
using Texts = std::vector<std::string>;
using Axes = std::vector<double>;
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
    {"payload_link", {}, {Value("tool0")}},
    {"adaptation_gain", Value(1.0), {Value(-1.0), Value(1e10), Value(nan)}},
    {"adaptation_mass", Value(1.0), {Value(-1.0), Value(nan)}},
    {"adaptation_radius", Value(0.2), {Value(-1.0), Value(nan)}},
    {"description_transition", {}, {Value(1.0)}},
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
    {"allow_impossible_inertia", {}, {Value(true)}},
    {"allow_heavy_payloads", Value(true), {Value(1.0)}},
    {"effort_rate_limit", Value(1.0), {Value(-1.0), Value(nan)}},
    {"prediction", Value(4.0), {Value(-1.0), Value(9.0), Value(nan)}, true},
    {"state_timeout", Value(0.5), {Value(-1.0), Value(1e5), Value(nan)}, false},
    {"reference_lead", Value(4.0), {Value(-2.0), Value(9.0), Value(nan)}, true},
    {"reference_timeout", Value(0.5), {Value(-1.0), Value(nan)}},
    {"ramp_in", Value(0.5), {Value(-1.0), Value(nan)}},
    {"passive_joints", {}, {Value(Texts{"joint7"})}},
    {"passive_damping", Value(1.0), {Value(-1.0), Value(nan)}},
    {"max_payload_dofs", {}, {Value(2)}},
    {"observer_gain", Value(10.0), {Value(-1.0), Value(nan)}},
    {"collision_threshold", Value(5.0), {Value(-1.0), Value(nan)}},
    {"external_wrench.frame", {}, {Value("link6")}},
    {"external_wrench.axes", Value("frame"), {Value("world"), Value("")}},
    {"external_wrench.force_threshold", Value(5.0), {Value(-1.0), Value(nan)}},
    {"external_wrench.torque_threshold", Value(0.5), {Value(-1.0), Value(nan)}},
    {"external_wrench.damp_below", Value(0.1), {Value(-1.0), Value(1e10), Value(nan)}},
    {"driver_load.type", {}, {Value("topic")}},
    {"driver_load.name", {}, {Value("/load")}},
    {"driver_load.link", {}, {Value("tool0")}},
    {"driver_load.timeout", {}, {Value(2.0)}},
    {"driver_load.mass", {}, {Value(0.5)}},
    {"driver_load.com", {}, {Value(std::vector<double>{0.0, 0.0, 0.1})}},
    {"driver_load.inertia", {}, {Value(std::vector<double>(6, 0.01))}},
    {"hold_time", Value(0.1), {Value(-1.0), Value(nan)}},
    {"frame", {}, {Value("tool0")}},
    {"task.mode", Value("impedance"), {Value("admittance"), Value("")}},
    {"task.axes", Value("frame"), {Value("world"), Value("")}},
    {"task.p_linear", Value(100.0), {Value(0.0), Value(-1.0), Value(1e10), Value(nan)}},
    {"task.d_linear", Value(20.0), {Value(0.0), Value(-1.0), Value(1e10), Value(nan)}},
    {"task.p_angular", Value(100.0), {Value(0.0), Value(-1.0), Value(1e10), Value(nan)}},
    {"task.d_angular", Value(20.0), {Value(0.0), Value(-1.0), Value(1e10), Value(nan)}},
    {"task.reject_external", Value(true), {Value(1.0)}},
    {"task.stiffness",
     Value(Axes(6, 100.0)),
     {Value(Axes(5, 100.0)), Value(Axes(6, -1.0)), Value(Axes(6, 1e10)), Value(Axes(6, nan))}},
    {"task.damping",
     Value(Axes(6, 10.0)),
     {Value(Axes(7, 10.0)), Value(Axes(6, -1.0)), Value(Axes(6, 1e10)), Value(Axes(6, nan))}},
    {"task.damping_ratio", Value(0.7), {Value(-0.1), Value(1e10), Value(nan)}},
    {"task.inertia",
     Value(Axes(6, 2.0)),
     {Value(Axes(3, 2.0)), Value(Axes(6, -1.0)), Value(Axes(6, 1e10)), Value(Axes(6, nan))}},
    {"task.velocity_limit", Value(0.2), {Value(0.0), Value(-1.0), Value(1e10), Value(nan)}},
    {"task.angular_velocity_limit", Value(0.2), {Value(0.0), Value(-1.0), Value(1e10), Value(nan)}},
    {"task.acceleration_limit", Value(1.0), {Value(0.0), Value(-1.0), Value(1e10), Value(nan)}},
    {"task.angular_acceleration_limit", Value(1.0), {Value(0.0), Value(-1.0), Value(1e10), Value(nan)}},
    {"task.posture_p", Value(4.0), {Value(-1.0), Value(1e10), Value(nan)}},
    {"task.posture_d", Value(4.0), {Value(-1.0), Value(1e10), Value(nan)}},
    {"task.damp_below", Value(0.1), {Value(-1.0), Value(1e10), Value(nan)}},
    {"task.singular_damping", Value(0.2), {Value(-1.0), Value(1e10), Value(nan)}},
    {"task.posture", Value(Axes(7, 0.1)), {Value(Axes(7, nan)), Value(Axes(7, 1e7)), Value("straight")}},
    {"state_publish_rate", {}, {Value(10.0)}},
    {"validation.mode", {}, {Value("monitor")}},
    {"validation.rate", {}, {Value(10.0)}},
    {"validation.tolerance", {}, {Value(1.0)}},
    {"validation.fallback", {}, {Value("gdahj")}},
    {"armature.joint2", {}, {Value(1.0)}},
    {"effort_limit.joint2", {}, {Value(1.0)}},
    {"acceleration_limit.joint2", {}, {Value(1.0)}},
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
    for (const char* prefix : {"gains.joint", "armature.joint", "effort_limit.joint", "acceleration_limit.joint"}) {
      if (like.rfind(prefix, 0) == 0) like[std::string(prefix).size()] = '2';
    }
    EXPECT_EQ(known.count(like), 1U) << name;
  }
}

TEST(Parameters, ChangeInTheNextCycleOrAreRefusedWithTheReason) {
  Computed plugin;
  plugin.start(true);
  // Begun anew each time: the way of the reference within its limits has a beginning too.
  const auto torque = [&] {
    EXPECT_EQ(plugin.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
    EXPECT_TRUE(plugin.controller->set_chained_mode(true));
    set_motion(plugin);
    EXPECT_EQ(plugin.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
    for (int cycle = 0; cycle < 5; ++cycle) {
      set_motion(plugin);
      EXPECT_EQ(plugin.update(), return_type::OK);
    }
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

// 1 rad/s^2 for a tenth of a second.
TEST(Parameters, AnAccelerationLimitHoldsTheReference) {
  auto parameters = arm7_parameters();
  parameters["acceleration_limit.joint1"] = Value(1.0);
  Computed plugin(parameters);
  plugin.start(true);
  for (int cycle = 0; cycle < 100; ++cycle) {
    for (const std::string& joint : arm7_joints()) {
      (void)plugin.reference(joint + "/position").set_value(joint == "joint1" ? 0.5 : 0.0);
    }
    ASSERT_EQ(plugin.update(), return_type::OK);
  }
  EXPECT_LE(plugin.controller->arm().followed().v[0], 0.1 + 1e-9);
  EXPECT_GT(plugin.controller->arm().followed().v[0], 0.08);
}

TEST(Parameters, AreAskedForWhereTheyAreMissing) {
  Computed nothing(std::map<std::string, Value>{});
  EXPECT_FALSE(nothing.initialised && nothing.configure()) << "joints";
  Computed no_gains({{"joints", Value(arm7_joints())}});
  EXPECT_FALSE(no_gains.initialised && no_gains.configure()) << "gains";
}

// Neither a mass nor an inertia anywhere: no torque can be computed, and none is asked for.
TEST(Parameters, ARobotWithoutMassIsNotConfigured) {
  const auto pendulum = [](const std::string& inertial, const std::string& limit) {
    return "<robot name='pendulum'><link name='base'/><link name='bob'>" + inertial +
           "</link><joint name='hinge' type='continuous'><parent link='base'/><child link='bob'/><axis xyz='0 1 0'/>" +
           limit + "</joint></robot>";
  };
  const std::string mass =
      "<inertial><origin xyz='0 0 -0.5'/><mass value='2'/><inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' "
      "izz='0.01'/></inertial>";
  const auto configured = [](const std::string& urdf, const std::map<std::string, rclcpp::ParameterValue>& more) {
    std::map<std::string, rclcpp::ParameterValue> parameters{
        {"joints", rclcpp::ParameterValue(std::vector<std::string>{"hinge"})},
        {"gains.hinge.p", rclcpp::ParameterValue(100.0)},
        {"gains.hinge.d", rclcpp::ParameterValue(20.0)}};
    parameters.insert(more.begin(), more.end());
    Computed plugin(parameters, urdf);
    return plugin.initialised && plugin.configure();
  };
  const std::string limit = "<limit effort='50' velocity='5'/>";
  const std::string impossible =
      "<inertial><mass value='2'/><inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.03'/></inertial>";
  EXPECT_FALSE(configured(pendulum(impossible, limit), {}));
  EXPECT_TRUE(configured(pendulum(impossible, limit), {{"allow_impossible_inertia", rclcpp::ParameterValue(true)}}));
  EXPECT_TRUE(configured(pendulum(mass, limit), {}));
  EXPECT_FALSE(configured(pendulum("", limit), {}));
  EXPECT_FALSE(configured(pendulum(mass, ""), {})) << "and no effort limit";
  EXPECT_TRUE(configured(pendulum(mass, ""), {{"effort_limit.hinge", rclcpp::ParameterValue(50.0)}}));
}

// It takes a while to make the models: a parameter may be set meanwhile, here when one of them is made and warns.
TEST(Parameters, SetWhileItIsBeingConfiguredIsUsed) {
  auto parameters = arm7_parameters();
  parameters["allow_impossible_inertia"] = Value(true);
  std::string urdf = arm7_urdf();
  const std::string inertia = "ixx=\"";
  urdf.replace(urdf.find(inertia), inertia.size(), "ixx=\"9");
  Computed plugin(parameters, urdf);
  ASSERT_TRUE(plugin.initialised);
  bool was_set = false;
  const LogHook hook("inertia", [&] { was_set = plugin.set("reference_timeout", Value(0.7)).successful; });
  ASSERT_TRUE(plugin.configure());
  ASSERT_TRUE(was_set);
  EXPECT_EQ(plugin.controller->arm().reference_timeout_s(), 0.7);
}

TEST(Parameters, ThatAreReadOnceAreJudgedBeforeThat) {
  for (const auto& [name, value] : std::vector<std::pair<std::string, double>>{{"state_publish_rate", 1e5},
                                                                               {"validation.rate", 1e9},
                                                                               {"validation.rate", 0.0},
                                                                               {"validation.tolerance", 2.0}}) {
    auto parameters = arm7_parameters();
    parameters[name] = Value(value);
    Computed plugin(parameters);
    EXPECT_FALSE(plugin.initialised && plugin.configure()) << name;
  }
}

TEST(Parameters, OfTheBroadcasterAreJudgedToo) {
  const auto refused = [](const std::string& name, const Value& value) {
    Plugin<DynamicsBroadcaster> plugin({{name, value}});
    return !plugin.initialised || !plugin.configure();
  };
  EXPECT_FALSE(refused("publish_rate", Value(10.0)));
  EXPECT_TRUE(refused("publish_rate", Value(0.0)));
  EXPECT_TRUE(refused("publish_rate", Value(1e5)));
  EXPECT_TRUE(refused("observer_gain", Value(1e7)));
  EXPECT_TRUE(refused("observer_gain", Value(-1.0)));
  EXPECT_TRUE(refused("gravity", Value(std::vector<double>{1.0})));
  EXPECT_TRUE(refused("jsim_algorithm", Value("magic")));
  EXPECT_TRUE(refused("coriolis_algorithm", Value("magic")));
}

TEST(Parameters, SaysWhatIsWrongWithAJoint) {
  for (const auto& [name, why] :
       std::map<std::string, std::string>{{"no_such_joint", "joints: the robot 'arm7' has no joint 'no_such_joint'"},
                                          {"flange", "joints: 'flange' is fixed"}}) {
    auto parameters = arm7_parameters();
    parameters["joints"] = rclcpp::ParameterValue(std::vector<std::string>{"joint1", name});
    const LogCapture log;
    Computed plugin(parameters);
    EXPECT_FALSE(plugin.initialised && plugin.configure());
    EXPECT_EQ(LogCapture::count(why), 1) << LogCapture::all();
  }
}

TEST(Parameters, AnUnknownFallbackIsToldByItsName) {
  auto parameters = arm7_parameters();
  parameters["validation.fallback"] = Value("magic");
  const LogCapture log;
  Computed plugin(parameters);
  EXPECT_FALSE(plugin.initialised && plugin.configure());
  EXPECT_EQ(LogCapture::count("validation.fallback: unknown algorithm 'magic'; available: "), 1) << LogCapture::all();
}

}  // namespace
}  // namespace dyn_controllers::test
