// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The files of config/ros/arms on the simulated arm, with the description of that robot from the package of its maker
// or driver where ament finds it, or of its older kin: every controller in them is configured and activated, also with
// joint_state_broadcaster beside them, and a motion is followed, at the robot's own rate.
#include <algorithm>
#include <ament_index_cpp/get_package_share_directory.hpp>
#include <cmath>
#include <cstdlib>

#include "controller_manager_fixture.hpp"
#include "dyn_controllers/gravity_compensation_controller.hpp"

namespace dyn_controllers::test {
namespace {

struct RealArm {
  const char* file;
  const char* robot;  // of example-robot-data; or empty: of `package`
  bool drive_adds_gravity;
  int rate_hz;
  const char* package = "";
  const char* xacro = "";                // in its share folder, with arguments
  bool driven_by_positions_too = false;  // by feedforward beside positions; no hand guiding
};
void PrintTo(const RealArm& arm, std::ostream* out) { *out << arm.file << " on " << arm.robot << arm.package; }

std::string file_of(const RealArm& arm) {
  return std::string(std::getenv("DYN_CONFIG_PATH")) + "/ros/arms/" + arm.file + ".yaml";
}

std::string urdf_of(const RealArm& arm) {
  if (*arm.robot != '\0') return dyn::read_urdf_text(dyn::find_robot(arm.robot));
  const auto made = std::filesystem::temp_directory_path() / ("dyn_arms_" + std::to_string(getpid()) + ".urdf");
  const std::string call =
      "xacro " + ament_index_cpp::get_package_share_directory(arm.package) + '/' + arm.xacro + " > " + made.string();
  EXPECT_EQ(std::system(call.c_str()), 0) << call;
  return dyn::read_urdf_text(made);
}

// Those whose description is there.
std::vector<RealArm> arms() {
  std::vector<RealArm> all{{"ur5e", "ur5", true, 500},
                           {"ur10e", "ur10", true, 500},
                           {"panda", "panda", true, 1000},
                           {"xarm7", "xarm7", false, 250},
                           {"ur5e", "", true, 500, "ur_description", "urdf/ur.urdf.xacro name:=ur5e ur_type:=ur5e"},
                           {"ur10e", "", true, 500, "ur_description", "urdf/ur.urdf.xacro name:=ur10e ur_type:=ur10e"},
                           {"fr3", "", true, 1000, "franka_description", "robots/fr3/fr3.urdf.xacro hand:=false"},
                           {"gen3", "", false, 1000, "kortex_description", "robots/gen3.xacro dof:=7"},
                           {"iiwa14", "", true, 500, "lbr_description", "urdf/iiwa14/iiwa14.xacro", true}};
  const auto missing = [](const RealArm& arm) {
    if (*arm.package == '\0') return false;
    try {
      (void)ament_index_cpp::get_package_share_directory(arm.package);
      return false;
    } catch (const ament_index_cpp::PackageNotFoundError&) {
      return true;
    }
  };
  all.erase(std::remove_if(all.begin(), all.end(), missing), all.end());
  return all;
}

// Drives that add gravity themselves are the same as an arm without it; those that are sent positions too have a joint
// impedance at them, of 200 N m/rad and the damping of the description. Joints of a gripper stand still.
std::string on_simulated_arm(const RealArm& arm, std::string urdf, const std::vector<std::string>& joints,
                             const std::vector<double>& q) {
  constexpr std::string_view begins = "<ros2_control", ends = "</ros2_control>";  // the maker's hardware
  for (size_t from = urdf.find(begins); from != std::string::npos; from = urdf.find(begins)) {
    urdf.erase(from, urdf.find(ends, from) + ends.size() - from);
  }
  std::ostringstream tag;
  tag << "<ros2_control name='simulated_arm' type='system'><hardware><plugin>dyn_controllers/SimulatedArm</plugin>"
      << "<param name='friction'>" << (arm.driven_by_positions_too ? "true" : "false") << "</param>";
  if (arm.drive_adds_gravity) tag << "<param name='gravity'>0 0 0</param>";
  if (arm.driven_by_positions_too) tag << "<param name='drive_p'>200</param>";
  tag << "</hardware>";
  for (size_t i = 0; i < joints.size(); ++i) {
    tag << "<joint name='" << joints[i] << "'><command_interface name='effort'/>"
        << (arm.driven_by_positions_too ? "<command_interface name='position'/>" : "")
        << "<state_interface name='position'><param name='initial_value'>" << q[i]
        << "</param></state_interface><state_interface name='velocity'/></joint>";
  }
  tag << "</ros2_control></robot>";
  const size_t end = urdf.rfind("</robot>");
  return urdf.replace(end, std::string("</robot>").size(), tag.str());
}

class Arms : public ManagerTest, public testing::WithParamInterface<RealArm> {
 protected:
  void run_for(double seconds) { cycles(static_cast<int>(std::lround(seconds / period.seconds()))); }

  // By gravity compensation, which is off again afterwards.
  void expect_to_be_carried(const std::vector<std::string>& joints, const std::vector<double>& start) {
    const std::string name = "gravity_compensation_controller";
    auto guided = std::dynamic_pointer_cast<GravityCompensationController>(controller(name));
    ASSERT_NE(guided, nullptr);
    switch_to({name}, {});
    run_for(0.5);
    for (size_t i = 0; i < guided->arm().joints().size(); ++i) {
      EXPECT_NEAR(guided->arm().q()[i], start[i], 2e-3) << joints[i] << " neither sinks nor rises";
    }
    switch_to({}, {name});
  }
};

TEST_P(Arms, StandStillAndFollowAMotion) {
  const RealArm& arm = GetParam();
  const std::string urdf = urdf_of(arm);
  const dyn::Model model = dyn::Model::build(dyn::parse_urdf(urdf, arm.file));
  std::vector<std::string> joints;
  std::vector<double> start;
  const double bent[] = {0.2, -0.6, 0.5, -1.4, 0.3, 1.2, 0.2};
  for (const dyn::Joint& joint : model.joints()) {
    const auto& limits = *joint.description.limits;
    const double room = 0.2 * (limits.upper - limits.lower);
    const double wanted = joints.size() < 7 ? bent[joints.size()] : 0.0;
    joints.push_back(joint.description.name);
    start.push_back(limits.has_position ? std::clamp(wanted, limits.lower + room, limits.upper - room) : wanted);
  }
  set_rate(arm.rate_hz);
  const std::string moving = arm.driven_by_positions_too ? "feedforward_controller" : "computed_torque_controller";
  std::vector<Spec> controllers{{"joint_state_broadcaster", "joint_state_broadcaster/JointStateBroadcaster"}};
  if (arm.driven_by_positions_too) {
    controllers.emplace_back(moving, "dyn_controllers/FeedforwardController");
  } else {
    controllers.emplace_back(moving, "dyn_controllers/ComputedTorqueController");
    controllers.emplace_back("gravity_compensation_controller", "dyn_controllers/GravityCompensationController");
  }
  make_manager(on_simulated_arm(arm, urdf, joints, start), controllers, file_of(arm));
  ASSERT_FALSE(HasFatalFailure());
  auto mover = std::dynamic_pointer_cast<TorqueController>(controller(moving));
  ASSERT_NE(mover, nullptr);
  switch_to({"joint_state_broadcaster"}, {});
  if (!arm.driven_by_positions_too) expect_to_be_carried(joints, start);
  switch_to({moving}, {});
  auto references = user->create_publisher<trajectory_msgs::msg::JointTrajectoryPoint>('/' + moving + "/reference", 1);
  trajectory_msgs::msg::JointTrajectoryPoint point;
  const std::vector<double> from = mover->arm().q();
  const size_t n = mover->arm().joints().size();
  for (size_t i = 0; i < n; ++i) point.positions.push_back(from[i] + (i % 2 == 0 ? 0.1 : -0.1));
  ASSERT_TRUE(publish_until(*references, point, [&] { return mover->arm().reference_q()[0] != from[0]; }));
  // References that come once: they are kept for reference_timeout, so they come again and again.
  for (int k = 0; k < 80 && !HasFatalFailure(); ++k) {
    references->publish(point);
    for (int spins = 0; spins < 5; ++spins) executor->spin_once(std::chrono::milliseconds(0));
    run_for(0.05);
  }
  for (size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(mover->arm().q()[i], point.positions[i], 0.02) << joints[i];
    const auto& limits = *model.joints()[i].description.limits;
    EXPECT_LE(std::abs(mover->arm().effort()[i]), limits.effort) << joints[i];
  }
  if (!arm.driven_by_positions_too) {
    EXPECT_LT(mover->arm().observation().wrench().wrench.head<3>().norm(), 2.0) << "nothing pushes";
  }
  // When one more controller is configured, the manager looks again at who reads what: joint_state_broadcaster reads
  // all that is exported, and what it reads of a controller keeps that one active.
  while_cycling([&] {
    (void)manager->add_controller(std::make_shared<Watcher>(), "watcher", "Watcher");
    return manager->configure_controller("watcher");
  });
  switch_to({}, {moving});
}

INSTANTIATE_TEST_SUITE_P(Of, Arms, testing::ValuesIn(arms()));

}  // namespace
}  // namespace dyn_controllers::test
