// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The files of config/ros/arms on the simulated arm, with the description of that robot, or of its older kin: every
// controller in them is configured and activated, also with joint_state_broadcaster beside them, and a motion under
// computed torque is followed, at 1 kHz.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "controller_manager_fixture.hpp"
#include "dyn_controllers/gravity_compensation_controller.hpp"

namespace dyn_controllers::test {
namespace {

struct RealArm {
  const char* file;
  const char* robot;
  bool drive_adds_gravity;
};
void PrintTo(const RealArm& arm, std::ostream* out) { *out << arm.file << " on " << arm.robot; }

std::string file_of(const RealArm& arm) {
  return std::string(std::getenv("DYN_CONFIG_PATH")) + "/ros/arms/" + arm.file + ".yaml";
}

// Drives that add gravity themselves are the same as an arm without it. Joints of a gripper stand still.
std::string on_simulated_arm(const RealArm& arm, const std::vector<std::string>& joints, const std::vector<double>& q) {
  std::string urdf = dyn::read_urdf_text(dyn::find_robot(arm.robot));
  constexpr std::string_view begins = "<ros2_control", ends = "</ros2_control>";  // the maker's hardware
  for (size_t from = urdf.find(begins); from != std::string::npos; from = urdf.find(begins)) {
    urdf.erase(from, urdf.find(ends, from) + ends.size() - from);
  }
  std::ostringstream tag;
  tag << "<ros2_control name='simulated_arm' type='system'><hardware><plugin>dyn_controllers/SimulatedArm</plugin>"
      << "<param name='friction'>false</param>";
  if (arm.drive_adds_gravity) tag << "<param name='gravity'>0 0 0</param>";
  tag << "</hardware>";
  for (size_t i = 0; i < joints.size(); ++i) {
    tag << "<joint name='" << joints[i] << "'><command_interface name='effort'/><state_interface name='position'>"
        << "<param name='initial_value'>" << q[i]
        << "</param></state_interface><state_interface name='velocity'/></joint>";
  }
  tag << "</ros2_control></robot>";
  const size_t end = urdf.rfind("</robot>");
  return urdf.replace(end, std::string("</robot>").size(), tag.str());
}

class Arms : public ManagerTest, public testing::WithParamInterface<RealArm> {};

TEST_P(Arms, StandStillAndFollowAMotion) {
  const RealArm& arm = GetParam();
  const dyn::Model model = dyn::load_model(arm.robot);
  std::vector<std::string> joints;
  std::vector<double> start;
  const double bent[] = {0.2, -0.6, 0.5, -1.4, 0.3, 1.2, 0.2};
  for (const dyn::Joint& joint : model.joints()) {
    const auto& limits = *joint.description.limits;
    const double room = 0.2 * (limits.upper - limits.lower);
    const double wanted = joints.size() < 7 ? bent[joints.size()] : 0.0;
    joints.push_back(joint.description.name);
    start.push_back(std::clamp(wanted, limits.lower + room, limits.upper - room));
  }
  make_manager(on_simulated_arm(arm, joints, start),
               {{"computed_torque_controller", "dyn_controllers/ComputedTorqueController"},
                {"gravity_compensation_controller", "dyn_controllers/GravityCompensationController"},
                {"joint_state_broadcaster", "joint_state_broadcaster/JointStateBroadcaster"}},
               file_of(arm));
  ASSERT_FALSE(HasFatalFailure());
  auto guided = std::dynamic_pointer_cast<GravityCompensationController>(controller("gravity_compensation_controller"));
  auto computed = std::dynamic_pointer_cast<TorqueController>(controller("computed_torque_controller"));
  ASSERT_NE(guided, nullptr);
  ASSERT_NE(computed, nullptr);
  switch_to({"gravity_compensation_controller", "joint_state_broadcaster"}, {});
  cycles(500);
  const size_t n = computed->arm().joints().size();
  for (size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(guided->arm().q()[i], start[i], 2e-3) << joints[i] << " neither sinks nor rises";
  }
  switch_to({"computed_torque_controller"}, {"gravity_compensation_controller"});
  auto references =
      user->create_publisher<trajectory_msgs::msg::JointTrajectoryPoint>("/computed_torque_controller/reference", 1);
  trajectory_msgs::msg::JointTrajectoryPoint point;
  const std::vector<double> from = computed->arm().q();
  for (size_t i = 0; i < n; ++i) point.positions.push_back(from[i] + (i % 2 == 0 ? 0.1 : -0.1));
  ASSERT_TRUE(publish_until(*references, point, [&] { return computed->arm().reference_q()[0] != from[0]; }));
  // References that come once: they are kept for reference_timeout, so they come again and again.
  for (int k = 0; k < 80 && !HasFatalFailure(); ++k) {
    references->publish(point);
    for (int spins = 0; spins < 5; ++spins) executor->spin_once(std::chrono::milliseconds(0));
    cycles(50);
  }
  for (size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(computed->arm().q()[i], point.positions[i], 0.02) << joints[i];
    const auto& limits = *model.joints()[i].description.limits;
    EXPECT_LE(std::abs(computed->arm().effort()[i]), limits.effort) << joints[i];
  }
  EXPECT_LT(computed->arm().observation().wrench().wrench.head<3>().norm(), 2.0) << "nothing pushes";
  // When one more controller is configured, the manager looks again at who reads what: joint_state_broadcaster reads
  // all that is exported, and what it reads of a controller keeps that one active.
  while_cycling([&] {
    (void)manager->add_controller(std::make_shared<Watcher>(), "watcher", "Watcher");
    return manager->configure_controller("watcher");
  });
  switch_to({"gravity_compensation_controller"}, {"computed_torque_controller"});
}

INSTANTIATE_TEST_SUITE_P(Of, Arms,
                         testing::Values(RealArm{"ur5e", "ur5", true}, RealArm{"ur10e", "ur10", true},
                                         RealArm{"panda", "panda", true}, RealArm{"xarm7", "xarm7", false}));

}  // namespace
}  // namespace dyn_controllers::test
