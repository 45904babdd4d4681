// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The parameter `law: adaptive`: refused where it cannot be, and worth it where the arm carries what nobody told of.
#include "dyn_controllers/torque_controller.hpp"
#include "loop_fixture.hpp"

namespace dyn_controllers::test {
namespace {

using Computed = Plugin<ComputedTorqueController>;
using Value = rclcpp::ParameterValue;

TEST(AdaptiveLaw, NeedsALinkAndAGainThatFitsThePeriod) {
  Computed nowhere;
  nowhere.start(true);
  const auto refused = nowhere.set("law", Value("adaptive"));
  EXPECT_FALSE(refused.successful);
  EXPECT_NE(refused.reason.find("payload_link does not say where"), std::string::npos) << refused.reason;

  auto parameters = arm7_parameters();
  parameters["payload_link"] = Value("tool0");
  Computed plugin(parameters);
  plugin.start(true);
  EXPECT_TRUE(plugin.set("law", Value("adaptive")).successful);
  const auto too_much = plugin.set("adaptation_gain", Value(1e4));
  EXPECT_FALSE(too_much.successful);
  EXPECT_NE(too_much.reason.find("too much for a period of 0.001 s"), std::string::npos) << too_much.reason;
  EXPECT_EQ(plugin.controller->get_node()->get_parameter("adaptation_gain").as_double(), 2.0);
  EXPECT_FALSE(plugin.set("adaptation_mass", Value(0.0)).successful);
  EXPECT_TRUE(plugin.set("law", Value("passivity")).successful);
  EXPECT_EQ(plugin.update(), return_type::OK);

  parameters["payload_link"] = Value("no_such_link");
  Computed wrong(parameters);
  EXPECT_FALSE(wrong.configure());
}

class Adaptive : public LoopTest {
 protected:
  // rms of the last of some moves with a box on the arm that the controller does not know of.
  double error_with(const std::string& law) {
    Extras extras;
    extras.parameters = "    law: " + law + "\n    payload_link: tool0\n    adaptation_gain: 5.0\n";
    bring_up({}, extras);
    EXPECT_TRUE(call<AttachPayload>("/simulated_arm/attach_payload", box())->success);
    for (int k = 0; k < 6 && !HasFatalFailure(); ++k) {
      squares = 0.0;
      samples = 0;
      send_goal(k % 2 == 0 ? 0.5 : 0.0, 1);
      track(1000);
    }
    return rms();
  }
};

TEST_F(Adaptive, LearnsWhatNobodyTold) { EXPECT_LT(error_with("adaptive"), 8e-3); }
TEST_F(Adaptive, PassivityDoesNot) { EXPECT_GT(error_with("passivity"), 2e-2); }

}  // namespace
}  // namespace dyn_controllers::test
