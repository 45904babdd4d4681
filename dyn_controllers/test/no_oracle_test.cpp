// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Where Pinocchio was not there when this was built: watching goes on without it and says so, a gate is refused.
#include "dyn_controllers/torque_controller.hpp"
#include "log_capture.hpp"
#include "plugin_fixture.hpp"

namespace dyn_controllers::test {
namespace {

bool configured(const std::string& mode) {
  auto parameters = arm7_parameters();
  parameters["validation.mode"] = rclcpp::ParameterValue(mode);
  Plugin<ComputedTorqueController> plugin(parameters);
  return plugin.initialised && plugin.configure();
}

TEST(WithoutPinocchio, AMonitorIsLeftOutAndAGateRefused) {
  const LogCapture log;
  EXPECT_TRUE(configured("monitor"));
  EXPECT_EQ(LogCapture::count("WARN: validation.mode: 'monitor' compares nothing"), 1) << LogCapture::all();
  EXPECT_FALSE(configured("gate"));
  EXPECT_EQ(LogCapture::count("ERROR: validation.mode: 'gate' needs a build with Pinocchio"), 1) << LogCapture::all();
}

}  // namespace
}  // namespace dyn_controllers::test
