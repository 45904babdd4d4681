// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The simulated arm by itself, as a controller manager makes it from a <ros2_control> tag: what it offers, and which
// tags it refuses.
#include "controller_manager_fixture.hpp"
#include "hardware_interface/component_parser.hpp"
#include "hardware_interface/system_interface.hpp"
#include "pluginlib/class_loader.hpp"

namespace dyn_controllers::test {
namespace {

class SimulatedArmTest : public testing::Test {
 protected:
  // True if it takes the tag with these hardware parameters; `urdf` is described with them otherwise.
  bool made(const std::string& hardware_parameters, const std::vector<double>& start = std::vector<double>(7, 0.1)) {
    return made_from(with_simulated_arm(arm7_urdf(), start, {hardware_parameters, {}}));
  }
  bool made_from(const std::string& urdf) {
    hardware_interface::HardwareComponentParams params;
    params.hardware_info = hardware_interface::parse_control_resources_from_urdf(urdf).at(0);
    params.clock = std::make_shared<rclcpp::Clock>(RCL_ROS_TIME);
    arm = loader.createSharedInstance("dyn_controllers/SimulatedArm");
    return arm->init(params) == hardware_interface::CallbackReturn::SUCCESS;
  }
  pluginlib::ClassLoader<hardware_interface::SystemInterface> loader{"hardware_interface",
                                                                     "hardware_interface::SystemInterface"};
  std::shared_ptr<hardware_interface::SystemInterface> arm;
};

TEST_F(SimulatedArmTest, OffersWhatItsTagSays) {
  ASSERT_TRUE(made("<param name='gravity'>0 0 -1.62</param><param name='drive_p'>10</param>"));
  EXPECT_EQ(arm->on_export_state_interfaces().size(), 21U);
  const auto commands = arm->on_export_command_interfaces();
  ASSERT_EQ(commands.size(), 21U);
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command->get_name());
  for (const char* what : {"position", "velocity", "effort"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), std::string("joint3/") + what), 1);
  }
}

TEST_F(SimulatedArmTest, RefusesATagThatIsNoGood) {
  EXPECT_TRUE(made(""));
  const auto with = [&](const std::string& name, const std::string& value) {
    return made("<param name='" + name + "'>" + value + "</param>");
  };
  EXPECT_FALSE(with("engine", "steam"));
  EXPECT_FALSE(with("gravity", "0 0"));
  EXPECT_FALSE(with("gravity", "0 0 down"));
  EXPECT_FALSE(with("armature", "maybe"));
  EXPECT_FALSE(with("limits", "1"));
  EXPECT_FALSE(with("tolerance", "fine"));
  EXPECT_FALSE(with("drive_p", "ten"));
  EXPECT_FALSE(with("drive_d", "nan"));
  EXPECT_FALSE(with("fail_after", "never"));
}

// A joint with a name that the robot does not have, and one that starts nowhere.
TEST_F(SimulatedArmTest, RefusesJointsThatAreNone) {
  const std::string urdf = with_simulated_arm(arm7_urdf(), std::vector<double>(7, 0.1), {});
  const auto changed = [&](const std::string& what, const std::string& by) {
    std::string text = urdf;
    const size_t at = text.find(what, text.find("<ros2_control"));
    return text.replace(at, what.size(), by);
  };
  EXPECT_TRUE(made_from(urdf));
  EXPECT_FALSE(made_from(changed("initial_value'>0.1", "initial_value'>left")));
  EXPECT_THROW((void)made_from(changed("joint name='joint3'", "joint name='joint33'")), std::runtime_error);
}

}  // namespace
}  // namespace dyn_controllers::test
