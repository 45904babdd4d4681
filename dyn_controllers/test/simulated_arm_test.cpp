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

// Two fingers, of which the right one follows the left one's drive and has none of its own.
TEST_F(SimulatedArmTest, AJointThatMimicsAnotherFollowsItsDrive) {
  std::string fingers;
  for (const std::string name : {"left", "right"}) {
    fingers += "<link name='" + name +
               "'><inertial><mass value='0.1'/><inertia ixx='1e-4' ixy='0' ixz='0' iyy='1e-4' " +
               "iyz='0' izz='1e-4'/></inertial></link><joint name='" + name +
               "_joint' type='prismatic'><parent link='tool0'/><child link='" + name + "'/><axis xyz='0 1 0'/>" +
               "<limit lower='-0.1' upper='0.1' effort='40' velocity='0.2'/>" +
               (name == "right" ? "<mimic joint='left_joint' multiplier='-0.5' offset='0.02'/>" : "") + "</joint>";
  }
  const auto with = [](std::string urdf, const std::string& more, const std::string& before) {
    return urdf.insert(urdf.rfind(before), more);
  };
  const std::string urdf = with_simulated_arm(with(arm7_urdf(), fingers, "</robot>"), std::vector<double>(8, 0.0),
                                              {"", {}, "", {"left_joint"}});
  ASSERT_TRUE(
      made_from(with(urdf, "<joint name='right_joint'><state_interface name='position'/></joint>", "</ros2_control>")));
  const auto states = arm->on_export_state_interfaces();
  const auto commands = arm->on_export_command_interfaces();
  const auto named = [](const auto& interfaces, const std::string& name) {
    return *std::find_if(interfaces.begin(), interfaces.end(), [&](const auto& i) { return i->get_name() == name; });
  };
  ASSERT_EQ(arm->on_configure(rclcpp_lifecycle::State()), hardware_interface::CallbackReturn::SUCCESS);
  const auto claim = [&](const std::string& interface) { return arm->prepare_command_mode_switch({interface}, {}); };
  EXPECT_EQ(claim("right_joint/position"), hardware_interface::return_type::ERROR);
  ASSERT_EQ(claim("left_joint/position"), hardware_interface::return_type::OK);
  ASSERT_EQ(arm->perform_command_mode_switch({"left_joint/position"}, {}), hardware_interface::return_type::OK);
  (void)named(commands, "left_joint/position")->set_value(0.02);
  const rclcpp::Duration period = rclcpp::Duration::from_seconds(0.001);
  for (int cycle = 0; cycle < 1000; ++cycle) {
    ASSERT_EQ(arm->write(rclcpp::Time(), period), hardware_interface::return_type::OK);
    ASSERT_EQ(arm->read(rclcpp::Time(), period), hardware_interface::return_type::OK);
  }
  EXPECT_NEAR(named(states, "left_joint/position")->get_optional().value(), 0.02, 1e-5);
  EXPECT_NEAR(named(states, "right_joint/position")->get_optional().value(), 0.01, 1e-5);
}

}  // namespace
}  // namespace dyn_controllers::test
