// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The computed-torque plugin by itself: names, parameters, torques against the core, and what happens when things go
// wrong.
#include <cmath>
#include <limits>
#include <random>

#include "dyn_controllers/torque_controller.hpp"
#include "plugin_fixture.hpp"

namespace dyn_controllers::test {
namespace {

using Computed = Plugin<ComputedTorqueController>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// What the plugin should do, by the core alone.
struct Core {
  explicit Core(double lead = 1.0)
      : live(dyn::load_robot("arm7"), options()), controller(live, actuation(), parameters(lead), 0.001) {}

  static dyn::live::LiveOptions options() {
    dyn::live::LiveOptions o;
    o.model.armature = true;
    return o;
  }
  [[nodiscard]] dyn::control::Actuation actuation() const {
    return dyn::control::Actuation::from_model(*live.newest_model(), {});
  }
  static dyn::control::Parameters parameters(double lead) {
    dyn::control::Parameters p;
    p.gains.assign(7, {400.0, 40.0, 0.0, 0.0});
    p.reference_lead = lead;
    return p;
  }
  dyn::live::LiveModel live;
  dyn::control::Controller controller;
};

void set_positions(Computed& plugin, const std::vector<double>& q, const std::vector<double>& v) {
  const auto joints = arm7_joints();
  for (size_t i = 0; i < joints.size(); ++i) {
    plugin.set_state(joints[i] + "/position", q[i]);
    plugin.set_state(joints[i] + "/velocity", v[i]);
  }
}

void set_references(Computed& plugin, const std::vector<double>& q, const std::vector<double>& v,
                    const std::vector<double>& a) {
  const auto joints = arm7_joints();
  for (size_t i = 0; i < joints.size(); ++i) {
    (void)plugin.reference(joints[i] + "/position").set_value(q[i]);
    (void)plugin.reference(joints[i] + "/velocity").set_value(v[i]);
    (void)plugin.reference(joints[i] + "/acceleration").set_value(a[i]);
  }
}

std::vector<double> random_vector(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  std::vector<double> x(7);
  for (double& entry : x) entry = uniform(random);
  return x;
}

TEST(ComputedTorque, ClaimsAndExportsTheInterfacesOfItsJoints) {
  Computed plugin;
  plugin.start(true);
  const auto joints = arm7_joints();
  std::vector<std::string> states, commands, references;
  for (const char* what : {"/position", "/velocity"}) {
    for (const auto& joint : joints) states.push_back(joint + what);
  }
  for (const auto& joint : joints) {
    commands.push_back(joint + "/effort");
    for (const char* what : {"/position", "/velocity", "/acceleration"})
      references.push_back("controller/" + joint + what);
  }
  EXPECT_EQ(plugin.controller->state_interface_configuration().names, states);
  EXPECT_EQ(plugin.controller->command_interface_configuration().names, commands);
  ASSERT_EQ(plugin.references.size(), references.size());
  for (size_t i = 0; i < references.size(); ++i) EXPECT_EQ(plugin.references[i]->get_name(), references[i]);
}

TEST(ComputedTorque, TorqueIsTheCoresToTheLastBits) {
  Computed plugin;
  plugin.start(true);
  Core core;
  const std::vector<double> zero(7, 0.0);
  core.controller.activate({zero, zero});
  std::mt19937 random(7);
  std::vector<double> effort(7);
  for (int cycle = 0; cycle < 200; ++cycle) {
    const auto q = random_vector(random, 2.0), v = random_vector(random, 2.0);
    const auto rq = random_vector(random, 2.0), rv = random_vector(random, 2.0), ra = random_vector(random, 5.0);
    set_positions(plugin, q, v);
    set_references(plugin, rq, rv, ra);
    ASSERT_EQ(plugin.update(), return_type::OK);
    (void)core.controller.step({q, v}, {rq, rv, ra, true}, effort);
    for (size_t i = 0; i < 7; ++i) {
      ASSERT_NEAR(plugin.command(arm7_joints()[i] + "/effort"), effort[i], 1e-12) << "cycle " << cycle;
    }
  }
}

TEST(ComputedTorque, WhatDoesNotFitIsNotConfigured) {
  const auto refused = [](const std::string& name, const rclcpp::ParameterValue& value) {
    auto parameters = arm7_parameters();
    parameters[name] = value;
    Computed plugin(parameters);
    return !plugin.initialised || !plugin.configure();
  };
  using Value = rclcpp::ParameterValue;
  EXPECT_FALSE(refused("jsim_algorithm", Value("gdahj")));
  EXPECT_TRUE(refused("jsim_algorithm", Value("no_such_algorithm")));
  EXPECT_TRUE(refused("coriolis_algorithm", Value("no_such_algorithm")));
  EXPECT_TRUE(refused("joints", Value(std::vector<std::string>{"joint1", "no_such_joint"})));
  EXPECT_TRUE(refused("joints", Value(std::vector<std::string>{"joint1", "joint1"})));
  EXPECT_TRUE(refused("joints", Value(std::vector<std::string>{})));
  EXPECT_TRUE(refused("joints", Value(42)));
  EXPECT_TRUE(refused("gains.joint3.p", Value(0.0)));
  EXPECT_TRUE(refused("gains.joint3.d", Value(-1.0)));
  EXPECT_TRUE(refused("gravity", Value(std::vector<double>{0.0, -9.81})));
  EXPECT_TRUE(refused("gravity", Value(std::vector<double>{0.0, 0.0, nan})));
  EXPECT_TRUE(refused("gravity_compensation", Value("some")));
  EXPECT_TRUE(refused("command_interfaces", Value(std::vector<std::string>{"position"})));
  EXPECT_TRUE(refused("effort_limit_scale", Value(1.5)));
  EXPECT_TRUE(refused("prediction", Value(-1.0)));
  EXPECT_TRUE(refused("passive_joints", Value(std::vector<std::string>{"no_such_joint"})));
  EXPECT_TRUE(refused("passive_joints", Value(std::vector<std::string>{"joint1"})));  // is in joints too
  EXPECT_TRUE(refused("validation.mode", Value("sometimes")));
  EXPECT_TRUE(refused("armature.joint1", Value(-0.1)));
}

TEST(ComputedTorque, NothingWorksWithoutARobot) {
  Computed none(arm7_parameters(), "");
  EXPECT_FALSE(none.initialised && none.configure());
  Computed broken(arm7_parameters(), "<robot name='r'><link name='a'/>");
  EXPECT_FALSE(broken.initialised && broken.configure());
}

TEST(ComputedTorque, BeginsAtTheStateAndLeavesTheTorqueOfGravity) {
  Computed plugin;
  ASSERT_TRUE(plugin.configure());
  ASSERT_TRUE(plugin.controller->set_chained_mode(true));
  plugin.references = plugin.controller->export_reference_interfaces();
  plugin.assign_interfaces();
  const std::vector<double> q{0.3, 0.5, -0.2, 0.9, 0.1, -0.4, 0.2}, zero(7, 0.0);
  set_positions(plugin, q, zero);
  ASSERT_EQ(plugin.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(plugin.reference(arm7_joints()[i] + "/position").get_optional<double>().value(), q[i]);
    EXPECT_EQ(plugin.reference(arm7_joints()[i] + "/velocity").get_optional<double>().value(), 0.0);
  }
  dyn::Dynamics dynamics(dyn::load_model("arm7"));
  ASSERT_TRUE(dynamics.update(q, zero).ok());
  ASSERT_EQ(plugin.update(), return_type::OK);
  for (int i = 0; i < 7; ++i) {
    EXPECT_NEAR(plugin.command(arm7_joints()[i] + "/effort"), dynamics.g()[i], 1e-9);
  }
  set_positions(plugin, q, std::vector<double>(7, 0.3));  // moving: damping would be in the torque
  ASSERT_EQ(plugin.update(), return_type::OK);
  set_positions(plugin, q, zero);
  ASSERT_EQ(plugin.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
  for (int i = 0; i < 7; ++i) {
    EXPECT_NEAR(plugin.command(arm7_joints()[i] + "/effort"), dynamics.g()[i], 2e-2);
  }
  ASSERT_EQ(plugin.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
  EXPECT_EQ(plugin.update(), return_type::OK);
}

TEST(ComputedTorque, IsNotActivatedWithoutAState) {
  Computed plugin;
  ASSERT_TRUE(plugin.configure());
  plugin.references = plugin.controller->export_reference_interfaces();
  plugin.assign_interfaces();
  plugin.set_state("joint4/velocity", nan);
  EXPECT_NE(plugin.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
}

// ros2_control claims interfaces by name: their type may be anything, and handles of another type throw.
TEST(ComputedTorque, AnInterfaceOfAnotherTypeIsNoState) {
  Computed plugin;
  plugin.types["joint4/position"] = "bool";
  ASSERT_TRUE(plugin.configure());
  EXPECT_FALSE(plugin.activate());
  Computed other;
  other.types["joint4/effort"] = "bool";
  other.start(true);
  EXPECT_EQ(other.update(), return_type::OK);
  EXPECT_TRUE(std::isfinite(other.command("joint3/effort")));
}

// Joints that somebody else moves: the torques of the others are those of the whole arm with that motion in it.
TEST(ComputedTorque, ASubsetIsControlledInTheWholeArmsDynamics) {
  auto parameters = arm7_parameters();
  parameters["joints"] = rclcpp::ParameterValue(std::vector<std::string>{"joint6", "joint2"});
  parameters["prediction"] = rclcpp::ParameterValue(0.0);
  parameters["reference_lead"] = rclcpp::ParameterValue(0.0);
  parameters["effort_limit_scale"] = rclcpp::ParameterValue(1.0);
  Computed plugin(parameters);
  const std::vector<double> q{0.3, 0.5, -0.2, 0.9, 0.1, -0.4, 0.2}, v{0.4, -0.3, 0.2, 0.5, -0.6, 0.1, 0.7};
  plugin.begin_at(arm7_joints(), q, v);
  plugin.start(true);
  EXPECT_EQ(plugin.controller->command_interface_configuration().names,
            (std::vector<std::string>{"joint6/effort", "joint2/effort"}));
  EXPECT_EQ(plugin.controller->state_interface_configuration().names.size(), 14U);
  for (const auto& [joint, i] : {std::pair{"joint6", 5}, std::pair{"joint2", 1}}) {
    (void)plugin.reference(std::string(joint) + "/position").set_value(q[i]);
    (void)plugin.reference(std::string(joint) + "/velocity").set_value(v[i]);
    (void)plugin.reference(std::string(joint) + "/acceleration").set_value(1.0);
  }
  ASSERT_EQ(plugin.update(), return_type::OK);
  dyn::ModelOptions with_armature;
  with_armature.armature = true;
  dyn::Dynamics dynamics(dyn::load_model("arm7", with_armature));
  ASSERT_TRUE(dynamics.update(q, v).ok());
  std::vector<double> tau(7);
  dynamics.inverse(std::vector<double>{0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0}, tau);
  EXPECT_NEAR(plugin.command("joint6/effort"), tau[5], 1e-11);
  EXPECT_NEAR(plugin.command("joint2/effort"), tau[1], 1e-11);
}

// A base that is tilted by 0.5 rad about x, and then by nothing that is known.
TEST(ComputedTorque, GravityTurnsWithTheBase) {
  auto parameters = arm7_parameters();
  parameters["base_orientation"] = rclcpp::ParameterValue("base_imu");
  Computed plugin(parameters);
  ASSERT_TRUE(plugin.configure());
  ASSERT_TRUE(plugin.controller->set_chained_mode(true));
  ASSERT_FALSE(plugin.activate()) << "an orientation of zeros is none";
  const std::vector<double> q{0.3, 0.5, -0.2, 0.9, 0.1, -0.4, 0.2}, zero(7, 0.0);
  set_positions(plugin, q, zero);
  plugin.set_state("base_imu/orientation.x", std::sin(0.25));
  plugin.set_state("base_imu/orientation.w", std::cos(0.25));
  ASSERT_EQ(plugin.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
  dyn::ModelOptions tilted;
  const auto expect_gravity = [&](const dyn::Vec3d& direction) {
    tilted.gravity_mps2 = direction;
    dyn::Dynamics dynamics(dyn::load_model("arm7", tilted));
    ASSERT_TRUE(dynamics.update(q, zero).ok());
    ASSERT_EQ(plugin.update(), return_type::OK);
    for (int i = 0; i < 7; ++i) {
      EXPECT_NEAR(plugin.command(arm7_joints()[i] + "/effort"), dynamics.g()[i], 1e-9);
    }
  };
  expect_gravity({0.0, -9.81 * std::sin(0.5), -9.81 * std::cos(0.5)});
  ASSERT_TRUE(plugin.set("gravity", rclcpp::ParameterValue(std::vector<double>{0.0, 0.0, -1.62})).successful);
  expect_gravity({0.0, -1.62 * std::sin(0.5), -1.62 * std::cos(0.5)});
  const double held = plugin.command("joint2/effort");
  plugin.set_state("base_imu/orientation.w", nan);
  ASSERT_EQ(plugin.update(), return_type::OK);
  EXPECT_EQ(plugin.command("joint2/effort"), held);
}

// hold_time 0.05 s: the last good torque; up to ten times as long: gravity and damping; then an error.
TEST(ComputedTorque, ALostStateNeverDropsTheArm) {
  Computed plugin;
  const std::vector<double> q{0.3, 0.5, -0.2, 0.9, 0.1, -0.4, 0.2}, zero(7, 0.0);
  plugin.begin_at(arm7_joints(), q, zero);
  plugin.start(true);
  set_references(plugin, q, zero, zero);
  ASSERT_EQ(plugin.update(), return_type::OK);
  const double good = plugin.command("joint2/effort");
  ASSERT_GT(std::abs(good), 1.0);
  plugin.set_state("joint4/position", nan);
  for (int cycle = 0; cycle < 50; ++cycle) {
    ASSERT_EQ(plugin.update(), return_type::OK);
    ASSERT_EQ(plugin.command("joint2/effort"), good) << "cycle " << cycle;
  }
  for (int cycle = 50; cycle < 499; ++cycle) {
    ASSERT_EQ(plugin.update(), return_type::OK) << "cycle " << cycle;
    ASSERT_NEAR(plugin.command("joint2/effort"), good, 1e-6) << "at rest it is the same: gravity";
  }
  for (int cycle = 0; cycle < 3; ++cycle) (void)plugin.update();
  EXPECT_EQ(plugin.update(), return_type::ERROR);
  EXPECT_NEAR(plugin.command("joint2/effort"), good, 1e-6) << "and it still carries itself";
  plugin.set_state("joint4/position", q[3]);
  EXPECT_EQ(plugin.update(), return_type::OK);
}

TEST(ComputedTorque, AReferenceThatIsNotFiniteIsNone) {
  Computed plugin;
  plugin.start(true);
  const std::vector<double> zero(7, 0.0), q(7, 0.1);
  set_positions(plugin, zero, zero);
  for (int cycle = 0; cycle < 300; ++cycle) {  // the reference gets there within its limits
    set_references(plugin, q, zero, zero);
    ASSERT_EQ(plugin.update(), return_type::OK);
  }
  const double before = plugin.command("joint2/effort");
  set_references(plugin, q, zero, zero);
  (void)plugin.reference("joint5/velocity").set_value(nan);
  (void)plugin.reference("joint2/position").set_value(2.0);  // of the same bad sample: not used
  ASSERT_EQ(plugin.update(), return_type::OK);
  EXPECT_NEAR(plugin.command("joint2/effort"), before, 1e-9);
  for (int cycle = 0; cycle < 300; ++cycle) {
    ASSERT_EQ(plugin.update(), return_type::OK);
    ASSERT_TRUE(std::isfinite(plugin.command("joint2/effort")));
  }
}

// joint_trajectory_controller begins at what it finds in our reference interfaces, whoever is activated first.
TEST(ComputedTorque, NoOldReferenceStandsInItsInterfaces) {
  Computed plugin;
  ASSERT_TRUE(plugin.configure());
  plugin.references = plugin.controller->export_reference_interfaces();
  const auto expect = [&](const std::string& what, double wanted, const char* when) {
    for (const std::string& joint : arm7_joints()) {
      const double is = plugin.reference(joint + what).get_optional<double>().value();
      EXPECT_TRUE(is == wanted || (std::isnan(is) && std::isnan(wanted))) << joint << what << ' ' << is << ' ' << when;
    }
  };
  const auto expect_nothing = [&](const char* when) {
    for (const char* what : {"/position", "/velocity", "/acceleration"}) expect(what, nan, when);
  };
  const std::vector<double> far(7, 1.0), zero(7, 0.0);
  expect_nothing("before it was ever active");
  set_references(plugin, far, far, far);
  ASSERT_TRUE(plugin.controller->set_chained_mode(true));
  expect_nothing("when somebody is chained above");
  plugin.assign_interfaces();
  ASSERT_EQ(plugin.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
  expect("/position", 0.0, "at activation: the state");
  set_references(plugin, far, far, far);
  ASSERT_EQ(plugin.update(), return_type::OK);
  expect("/position", nan, "when it was taken");
  expect("/velocity", 0.0, "when it was taken");
  set_references(plugin, far, far, far);
  ASSERT_EQ(plugin.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
  expect_nothing("after deactivation");
  set_references(plugin, far, far, far);  // by a client that is deactivated after this one
  ASSERT_TRUE(plugin.controller->set_chained_mode(false));
  expect_nothing("when nobody is above any more");
  set_references(plugin, far, far, far);
  ASSERT_EQ(plugin.controller->get_node()->cleanup().id(), State::PRIMARY_STATE_UNCONFIGURED);
  expect_nothing("after cleanup");
}

// Positions alone are a reference too: rates that nobody writes are 0. They have to come again and again.
TEST(ComputedTorque, AReferenceIsTakenOnceAndHeldAsLongAsTheTimeout) {
  Computed plugin;
  plugin.start(true);
  const std::vector<double> zero(7, 0.0);
  set_positions(plugin, zero, zero);
  for (int cycle = 0; cycle < 150; ++cycle) {
    for (const std::string& joint : arm7_joints()) (void)plugin.reference(joint + "/position").set_value(0.01);
    ASSERT_EQ(plugin.update(), return_type::OK);
  }
  EXPECT_EQ(plugin.controller->arm().reference_q()[1], 0.01);
  const double followed = plugin.command("joint1/effort");
  for (int cycle = 0; cycle < 50; ++cycle) ASSERT_EQ(plugin.update(), return_type::OK);
  EXPECT_NEAR(plugin.command("joint1/effort"), followed, 1e-6) << "a slower client";
  for (int cycle = 0; cycle < 100; ++cycle) ASSERT_EQ(plugin.update(), return_type::OK);
  EXPECT_LT(std::abs(plugin.command("joint1/effort")), 0.1 * std::abs(followed)) << "a client that is gone";
}

TEST(ComputedTorque, UnchainedWithoutAReferenceItHoldsTheArm) {
  Computed plugin;
  plugin.start(false);
  const std::vector<double> zero(7, 0.0);
  dyn::Dynamics dynamics(dyn::load_model("arm7"));
  ASSERT_TRUE(dynamics.update(zero, zero).ok());
  for (int cycle = 0; cycle < 500; ++cycle) {
    ASSERT_EQ(plugin.update(), return_type::OK);
    for (int i = 0; i < 7; ++i) {
      ASSERT_NEAR(plugin.command(arm7_joints()[i] + "/effort"), dynamics.g()[i], 1e-9);
    }
  }
}

// A pendulum that may turn for ever: the error is the short way round.
TEST(ComputedTorque, ContinuousJointsGoTheShortWay) {
  const char* urdf = R"(<robot name="pendulum"><link name="base"/><link name="bob"><inertial><origin xyz="0 0 -0.5"/>
    <mass value="2"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
    <joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
    <limit effort="1000" velocity="10"/></joint></robot>)";
  Computed plugin({{"joints", rclcpp::ParameterValue(std::vector<std::string>{"hinge"})},
                   {"gains.hinge.p", rclcpp::ParameterValue(100.0)},
                   {"gains.hinge.d", rclcpp::ParameterValue(20.0)},
                   {"gravity_compensation", rclcpp::ParameterValue("none")},
                   {"prediction", rclcpp::ParameterValue(0.0)},
                   {"reference_lead", rclcpp::ParameterValue(0.0)},
                   {"state_timeout", rclcpp::ParameterValue(0.0)}},
                  urdf);
  plugin.initial["hinge/position"] = 3.1;
  plugin.start(true);
  for (int cycle = 0; cycle < 200; ++cycle) {  // the reference gets there within its limits
    (void)plugin.reference("hinge/position").set_value(-3.1);
    ASSERT_EQ(plugin.update(), return_type::OK);
    EXPECT_TRUE(cycle > 0 || plugin.command("hinge/effort") > 0.0);
  }
  const double inertia = 0.01 + 2.0 * 0.25;
  EXPECT_NEAR(plugin.command("hinge/effort"), inertia * 100.0 * (2.0 * M_PI - 6.2), 1e-9);
}

}  // namespace
}  // namespace dyn_controllers::test
