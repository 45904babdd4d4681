// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The simulated arm by itself: settings read from hardware parameters, and what somebody may do to it, in simulated
// time.
#include "dyn_msgs/srv/push.hpp"

#include <cmath>

#include "controller_manager_fixture.hpp"
#include "dyn_controllers/simulated_arm_settings.hpp"
#include "dyn_core/error.hpp"
#include "dyn_sim/run/config.hpp"

namespace dyn_controllers::test {
namespace {

using dyn_msgs::srv::AttachPayload, dyn_msgs::srv::DetachPayload, dyn_msgs::srv::Push;

// Two arms, of which the second is not what the model says.
std::string scenario() {
  const auto file = std::filesystem::temp_directory_path() / ("scenario_" + std::to_string(getpid()) + ".yaml");
  const std::string moves =
      "    trajectory: {type: sinusoid, centre: [0, 0, 0, -2, 0, 0, 0], amplitude: 0, phase_deg: 0}\n";
  std::ofstream(file) << "arms:\n  - name: good\n    robot: arm7\n"
                      << moves << "  - name: heavy\n    robot: arm7\n    plant:\n      plant_overrides:\n"
                      << "        - {link: link4, mass_scale: 1.15}\n        - {link: link6, mass_scale: 1.3}\n"
                      << moves;
  return file.string();
}

std::string refusal(const HardwareParameters& given) {
  try {
    (void)read_settings(given);
  } catch (const dyn::ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(SimulatedArmSettings, AreWhatTheTagSays) {
  const SimulatedArmSettings settings = read_settings({{"engine", "mujoco"},
                                                       {"gravity", "0 1.5 -3.7"},
                                                       {"friction", "False"},  // as xacro writes it
                                                       {"delay", "3"},
                                                       {"drive_d", "2.5"},
                                                       {"fail_after", "4"},
                                                       {"state_fault", "frozen 1.5 0.25"}});
  EXPECT_EQ(settings.plant.engine, "mujoco");
  EXPECT_FALSE(settings.plant.friction);
  EXPECT_TRUE(settings.plant.armature);
  EXPECT_EQ(settings.gravity_mps2, dyn::Vec3d(0.0, 1.5, -3.7));
  EXPECT_EQ(settings.plant.delay_cycles, 3);
  EXPECT_EQ(settings.drives.d, 2.5);
  EXPECT_EQ(settings.fail_after_s, 4.0);
  EXPECT_EQ(settings.plant.state_fault.kind, dyn::sim::StateFault::Kind::frozen);
  EXPECT_EQ(settings.plant.state_fault.begin_s, 1.5);
  EXPECT_EQ(settings.plant.state_fault.duration_s, 0.25);
  EXPECT_TRUE(settings.start_q.empty());
}

TEST(SimulatedArmSettings, WhatIsNoValueIsRefusedByName) {
  EXPECT_NE(refusal({{"friction", "yes"}}).find("friction: 'yes'"), std::string::npos);
  EXPECT_NE(refusal({{"drive_p", "12 Nm"}}).find("drive_p: '12 Nm'"), std::string::npos);
  EXPECT_NE(refusal({{"tolerance", "nan"}}).find("tolerance: 'nan'"), std::string::npos);
  EXPECT_NE(refusal({{"drive_p", "1e10"}}).find("drive_p: '1e10' is not from 0 to 1e+09"), std::string::npos);
  EXPECT_NE(refusal({{"drive_d", "-1"}}).find("drive_d: '-1' is not from 0 to 1e+09"), std::string::npos);
  EXPECT_NE(refusal({{"tolerance", "2"}}).find("tolerance: '2' is not from 0 to 1"), std::string::npos);
  for (const char* delay : {"0.5", "-1", "101"}) {
    EXPECT_NE(
        refusal({{"delay", delay}}).find(std::string("delay: '") + delay + "' is not a whole number from 0 to 100"),
        std::string::npos);
  }
  EXPECT_NE(refusal({{"gravity", "0 -9.81"}}).find("'0 -9.81' is not X Y Z"), std::string::npos);
  EXPECT_NE(refusal({{"gravity", "0 0 -9.81 0"}}).find("is not X Y Z"), std::string::npos);
  for (const char* fault : {"nan", "nan 1", "nan 1 2 3", "stuck 1 2"}) {
    EXPECT_NE(refusal({{"state_fault", fault}}).find(std::string("state_fault: '") + fault + "' is not KIND BEGIN"),
              std::string::npos);
  }
  EXPECT_NE(refusal({{"state_fault", "nan 1 soon"}}).find("state_fault: 'soon' is not a number"), std::string::npos);
  EXPECT_NE(refusal({{"scenario", dyn::sim::find_scenario("state_frozen").string()}})
                .find("plant.state_fault is for `dyn run`"),
            std::string::npos);
  EXPECT_NE(refusal({{"scenario", "/none.yaml"}}).find("/none.yaml: cannot be read"), std::string::npos);
}

TEST(SimulatedArmSettings, AScenarioGivesPlantAndStartAndIsOverruled) {
  const HardwareParameters both{{"scenario", scenario()}, {"scenario_arm", "heavy"}};
  const SimulatedArmSettings settings = read_settings(both);
  EXPECT_TRUE(settings.plant.friction);
  ASSERT_EQ(settings.plant.overrides.size(), 2U);
  EXPECT_EQ(settings.plant.overrides[1].link, "link6");
  EXPECT_EQ(settings.plant.overrides[1].mass_scale, 1.3);
  ASSERT_EQ(settings.start_q.size(), 7U);
  EXPECT_EQ(settings.start_q[3], -2.0);

  HardwareParameters overruled = both;
  overruled["friction"] = "false";
  EXPECT_FALSE(read_settings(overruled).plant.friction);
  HardwareParameters unknown = both;
  unknown["scenario_arm"] = "third";
  EXPECT_NE(refusal(unknown).find("has no arm 'third'"), std::string::npos);
}

class PushTest : public ManagerTest {
 protected:
  void bring_up() {
    start(ready, {{"computed_torque_controller", "dyn_controllers/ComputedTorqueController"}});
    if (HasFatalFailure()) return;
    computed = std::dynamic_pointer_cast<TorqueController>(controller("computed_torque_controller"));
    ASSERT_NE(computed, nullptr);
    switch_to({"computed_torque_controller"}, {});
    cycles(50);
  }
  // The momentum observer's idea of the torque about the first joint.
  double about_first() { return computed->arm().terms().external[0]; }
  static Push::Request sideways(double force_N, double seconds) {
    Push::Request request;
    request.link = "tool0";
    request.force.y = force_N;
    request.duration = rclcpp::Duration::from_seconds(seconds);
    return request;
  }
  const std::vector<double> ready{0.0, 1.2, 0.0, 0.4, 0.0, 0.2, 0.0};
  std::shared_ptr<TorqueController> computed;
};

TEST_F(PushTest, ActsWhileItLasts) {
  bring_up();
  EXPECT_LT(std::abs(about_first()), 1e-3);
  ASSERT_TRUE(call<Push>("/simulated_arm/push", sideways(5.0, 0.3))->success);
  cycles(200);
  const double felt = about_first();
  EXPECT_GT(std::abs(felt), 0.5);  // N m: 5 N at some decimetres
  cycles(400);
  EXPECT_LT(std::abs(about_first()), 0.01 * std::abs(felt));
}

TEST_F(PushTest, GoesOnWhenAPayloadIsTakenOn) {
  bring_up();
  ASSERT_TRUE(call<Push>("/simulated_arm/push", sideways(5.0, 10.0))->success);
  cycles(300);
  const double felt = about_first();
  AttachPayload::Request box;
  box.payload.name = "box";
  box.payload.link = "tool0";
  box.payload.inertia.m = 1.0;
  ASSERT_TRUE(call<AttachPayload>("/computed_torque_controller/attach_payload", box)->success);
  ASSERT_TRUE(call<AttachPayload>("/simulated_arm/attach_payload", box)->success);
  cycles(1000);
  EXPECT_NEAR(about_first(), felt, 0.2 * std::abs(felt));
}

TEST_F(PushTest, OfNoLinkOrNoTimeOrNoForceIsRefused) {
  bring_up();
  Push::Request request = sideways(5.0, 0.3);
  request.link = "elbow";
  auto answer = call<Push>("/simulated_arm/push", request);
  EXPECT_FALSE(answer->success);
  EXPECT_NE(answer->message.find("no link 'elbow'"), std::string::npos) << answer->message;
  EXPECT_FALSE(call<Push>("/simulated_arm/push", sideways(5.0, 0.0))->success);
  EXPECT_FALSE(call<Push>("/simulated_arm/push", sideways(std::nan(""), 0.3))->success);
  cycles(100);
  EXPECT_LT(std::abs(about_first()), 1e-3);
}

TEST_F(PushTest, BeyondTheRangesOrWithALongNameIsRefused) {
  bring_up();
  auto answer = call<Push>("/simulated_arm/push", sideways(1e308, 0.3));
  EXPECT_FALSE(answer->success);
  EXPECT_EQ(answer->message, "force has the entry 1e+308, which is not from -1e+09 to 1e+09");
  Push::Request request = sideways(5.0, 0.3);
  request.point.z = 1e9;
  answer = call<Push>("/simulated_arm/push", request);
  EXPECT_FALSE(answer->success);
  EXPECT_EQ(answer->message, "point has the entry 1e+09, which is not from -100000 to 100000");
  request.link.assign(1'000'000, 'x');
  answer = call<Push>("/simulated_arm/push", request);
  EXPECT_FALSE(answer->success);
  EXPECT_NE(answer->message.find("has 1000000 bytes; at most 256 are allowed"), std::string::npos);
}

}  // namespace
}  // namespace dyn_controllers::test
