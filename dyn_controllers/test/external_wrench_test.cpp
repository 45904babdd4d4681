// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What pushes at a frame: ~/external_wrench, ~/contact and the state interfaces of the controllers.
#include <cmath>

#include "controller_manager_fixture.hpp"
#include "dyn_controllers/gravity_compensation_controller.hpp"
#include "dyn_controllers/task_space_controller.hpp"
#include "dyn_msgs/msg/contact.hpp"
#include "dyn_msgs/srv/push.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"
#include "handle_locks.hpp"
#include "log_capture.hpp"
#include "semantic_components/force_torque_sensor.hpp"
#include "support/allocation_counter.hpp"

namespace dyn_controllers::test {
namespace {

using dyn_msgs::msg::Contact, dyn_msgs::srv::Push, geometry_msgs::msg::WrenchStamped;
const std::vector<double> bent{0.0, 0.5, 0.0, -1.5, 0.0, 1.1, 0.0};

#ifdef DYN_HAS_MUJOCO
const std::string engine = "<param name='engine'>mujoco</param>";
#else
const std::string engine;
#endif

// As admittance_controller does: a force and torque sensor that another controller is.
class Admittance : public controller_interface::ControllerInterface {
 public:
  controller_interface::CallbackReturn on_init() override { return controller_interface::CallbackReturn::SUCCESS; }
  [[nodiscard]] controller_interface::InterfaceConfiguration command_interface_configuration() const override {
    return {controller_interface::interface_configuration_type::NONE, {}};
  }
  [[nodiscard]] controller_interface::InterfaceConfiguration state_interface_configuration() const override {
    std::vector<std::string> names = sensor_.get_state_interface_names();
    for (const char* name : {"contact", "smallest_singular_value", "damped"}) {
      names.push_back(std::string("computed_torque_controller/external_wrench/") + name);
    }
    return {controller_interface::interface_configuration_type::INDIVIDUAL, names};
  }
  controller_interface::CallbackReturn on_activate(const rclcpp_lifecycle::State&) override {
    return sensor_.assign_loaned_state_interfaces(state_interfaces_) ? controller_interface::CallbackReturn::SUCCESS
                                                                     : controller_interface::CallbackReturn::ERROR;
  }
  return_type update(const rclcpp::Time&, const rclcpp::Duration&) override {
    const auto now = sensor_.get_forces();
    force = {now[0], now[1], now[2]};
    contact = state_interfaces_[6].get_optional<double>().value();
    singular = state_interfaces_[7].get_optional<double>().value();
    damped = state_interfaces_[8].get_optional<double>().value();
    return return_type::OK;
  }
  dyn::Vec3d force = dyn::Vec3d::Zero();
  double contact = -1.0, singular = -1.0, damped = -1.0;

 private:
  mutable semantic_components::ForceTorqueSensor sensor_{"computed_torque_controller/external_wrench"};
};

class Wrench : public ManagerTest {
 protected:
  void bring_up(const std::vector<double>& q = bent) {
    start(q, {{"computed_torque_controller", "dyn_controllers/ComputedTorqueController"}},
          {engine, {}, "    external_wrench: {frame: tool0}\n"});
    if (HasFatalFailure()) return;
    computed = std::dynamic_pointer_cast<TorqueController>(controller("computed_torque_controller"));
    ASSERT_NE(computed, nullptr);
    (void)computed->get_node()->set_parameter(rclcpp::Parameter("external_wrench.force_threshold", 3.0));
    switch_to({"computed_torque_controller"}, {});
    cycles(300);
  }
  void push(const dyn::Vec3d& force, double seconds) {
    Push::Request request;
    request.link = "tool0";
    request.force.x = force.x(), request.force.y = force.y(), request.force.z = force.z();
    request.duration = rclcpp::Duration::from_seconds(seconds);
    ASSERT_TRUE(call<Push>("/simulated_arm/push", request)->success);
  }
  [[nodiscard]] const dyn::control::WrenchEstimate& seen() const { return computed->arm().observation().wrench(); }
  [[nodiscard]] dyn::Vec3d force() const { return seen().wrench.head<3>(); }
  std::shared_ptr<TorqueController> computed;
};

TEST_F(Wrench, OfFiveNewtonsIsSeenWithin20MillisecondsAndRightAtRest) {
  bring_up();
  EXPECT_LT(force().norm(), 0.05) << "nothing pushes";
  double worst = 0.0;
  for (const dyn::Vec3d& way : {dyn::Vec3d(1, 0, 0), dyn::Vec3d(0, 1, 0), dyn::Vec3d(0, 0, -1), dyn::Vec3d(1, -2, 2)}) {
    const dyn::Vec3d wanted = 5.0 * way.normalized();
    push(wanted, 3.0);
    int cycles_until_seen = 0;
    while (!seen().contact && cycles_until_seen < 100 && !HasFatalFailure()) {
      cycle();
      ++cycles_until_seen;
    }
    EXPECT_LE(cycles_until_seen, 20);
    EXPECT_GT(seen().direction.dot(wanted.normalized()), 0.98);
    cycles(2500);
    worst = std::max(worst, (force() - wanted).norm() / 5.0);
    EXPECT_FALSE(seen().damped);
    cycles(1500);
    EXPECT_FALSE(seen().contact);
  }
  std::printf("5 N at the hand%s: at rest %.2g of it wrong at most\n", engine.empty() ? "" : " (MuJoCo)", worst);
  EXPECT_LT(worst, 0.05);
}

TEST_F(Wrench, IsOnTopicsAndInStateInterfaces) {
  bring_up();
  auto above = std::make_shared<Admittance>();
  const bool added = while_cycling([&] { return manager->add_controller(above, "above", "Admittance") != nullptr; });
  ASSERT_TRUE(added);
  ASSERT_EQ(while_cycling([&] { return manager->configure_controller("above"); }), return_type::OK);
  switch_to({"above"}, {});
  WrenchStamped wrench;
  Contact contact;
  auto wrenches = user->create_subscription<WrenchStamped>(
      "/computed_torque_controller/external_wrench", 1,
      [&](const WrenchStamped::ConstSharedPtr& message) { wrench = *message; });
  auto contacts = user->create_subscription<Contact>(
      "/computed_torque_controller/contact", 1, [&](const Contact::ConstSharedPtr& message) { contact = *message; });
  push({0.0, -6.0, 0.0}, 1000.0);
  cycles(1500);
  EXPECT_TRUE(spin_until([&] {
    cycle();
    return contact.contact && wrench.wrench.force.y < -5.0;
  }));
  EXPECT_NEAR(wrench.wrench.force.y, -6.0, 0.3);
  EXPECT_NEAR(wrench.wrench.force.x, 0.0, 0.3);
  EXPECT_EQ(wrench.header.frame_id, "base_link");
  EXPECT_EQ(contact.frame, "tool0");
  EXPECT_LT(contact.direction.y, -0.98);
  EXPECT_FALSE(contact.damped);
  EXPECT_GT(contact.smallest_singular_value, 0.05);
  EXPECT_LT(contact.unexplained, 0.1);
  EXPECT_NEAR(above->force.y(), -6.0, 0.3);
  EXPECT_EQ(above->contact, 1.0);
  EXPECT_EQ(above->damped, 0.0);
  EXPECT_GT(above->singular, 0.05);

  push({6.0, 0.0, 0.0}, 1000.0);  // the hand is turned about y
  cycles(1500);
  const dyn::Vec3d in_base = force();
  const dyn::Mat3d R = seen().R;
  EXPECT_TRUE(computed->get_node()->set_parameter(rclcpp::Parameter("external_wrench.axes", "frame")).successful);
  cycles(2);
  EXPECT_LT((R.transpose() * in_base - force()).norm(), 0.1);
  EXPECT_GT((in_base - force()).norm(), 0.3);
  EXPECT_TRUE(spin_until([&] {
    cycle();
    return wrench.header.frame_id == "tool0";
  }));
  switch_to({}, {"above"});
}

// Stretched: no joint feels what pushes along the arm, which is told and does not become a large number.
TEST_F(Wrench, AtASingularPostureItSaysSo) {
  bring_up({0.0, 0.6, 0.0, 0.0, 0.0, 0.4, 0.0});
  EXPECT_TRUE(seen().damped);
  EXPECT_LT(seen().smallest_singular_value, 0.05);
  push({5.0, 5.0, 5.0}, 2.0);
  cycles(1500);
  EXPECT_TRUE(seen().damped);
  EXPECT_LT(force().norm(), 12.0);
}

std::map<std::string, rclcpp::ParameterValue> with_frame(const std::string& link) {
  auto parameters = arm7_parameters();
  parameters["external_wrench.frame"] = rclcpp::ParameterValue(link);
  return parameters;
}

TEST(WrenchAlone, IsOfTheFrameThatIsNamed) {
  Plugin<ComputedTorqueController> plugin(with_frame("link5"));
  ASSERT_TRUE(plugin.initialised);
  ASSERT_TRUE(plugin.configure());
  EXPECT_TRUE(plugin.controller->arm().observation().observes_frame());
  const auto exported = plugin.controller->export_state_interfaces();
  ASSERT_EQ(exported.size(), 9U);
  EXPECT_EQ(exported[0]->get_name(), "controller/external_wrench/force.x");
  EXPECT_EQ(exported[5]->get_name(), "controller/external_wrench/torque.z");
  for (const auto& state : exported) EXPECT_TRUE(std::isnan(state->get_optional<double>().value()));
  ASSERT_TRUE(plugin.controller->set_chained_mode(true));
  plugin.begin_at(arm7_joints(), bent, std::vector<double>(7, 0.0));
  ASSERT_TRUE(plugin.activate());
  ASSERT_EQ(plugin.update(), return_type::OK);
  for (const auto& state : exported) EXPECT_TRUE(std::isfinite(state->get_optional<double>().value()));
  EXPECT_EQ(exported[8]->get_optional<double>().value(), 1.0) << "five joints";
  plugin.set_state("joint1/position", std::nan(""));
  ASSERT_EQ(plugin.update(), return_type::OK);
  for (const auto& state : exported) EXPECT_TRUE(std::isnan(state->get_optional<double>().value()));
  plugin.set_state("joint1/position", 0.0);
  ASSERT_EQ(plugin.update(), return_type::OK);
  EXPECT_TRUE(std::isfinite(exported[0]->get_optional<double>().value()));
  (void)plugin.controller->get_node()->deactivate();
  for (const auto& state : exported) EXPECT_TRUE(std::isnan(state->get_optional<double>().value()));
}

// 50 times a second, for the topics: nobody reads it in between.
TEST(WrenchAlone, OfAFrameThatNobodyNamedIsNotComputedInEveryCycle) {
  Plugin<ComputedTorqueController> plugin;
  ASSERT_TRUE(plugin.configure());
  ASSERT_TRUE(plugin.controller->set_chained_mode(true));
  plugin.begin_at(arm7_joints(), bent, std::vector<double>(7, 0.0));
  ASSERT_TRUE(plugin.activate());
  const dyn::control::WrenchEstimate& seen = plugin.controller->arm().observation().wrench();
  int computed = 0;
  for (int k = 0; k < 100; ++k) {
    const dyn::Mat3d before = seen.R;
    plugin.set_state("joint1/position", 1e-4 * (k + 1));
    ASSERT_EQ(plugin.update(), return_type::OK);
    computed += seen.R == before ? 0 : 1;
  }
  EXPECT_EQ(computed, 5) << "of 100 cycles of 1 ms";
}

TEST(WrenchAlone, OfAFrameThatCannotBeIsRefused) {
  for (const auto& [link, why] :
       std::map<std::string, std::string>{{"elbow", "there is no link and no payload 'elbow' for a frame"},
                                          {"base_link", "external_wrench.frame: no joint moves 'base_link'"}}) {
    const LogCapture log;
    Plugin<ComputedTorqueController> plugin(with_frame(link));
    ASSERT_TRUE(plugin.initialised);
    EXPECT_FALSE(plugin.configure());
    EXPECT_EQ(LogCapture::count(why), 1) << link << ": " << LogCapture::all();
  }
  // One that nobody named is left out where another controller moves it.
  auto parameters = arm7_parameters();
  parameters["joints"] = rclcpp::ParameterValue(std::vector<std::string>{"joint5", "joint6", "joint7"});
  Plugin<ComputedTorqueController> wrist(parameters);
  ASSERT_TRUE(wrist.configure());
  EXPECT_FALSE(wrist.controller->arm().observation().observes_frame());
  EXPECT_TRUE(wrist.controller->export_state_interfaces().empty());
}

// Hand guiding and the hand's own space have it too.
TEST(WrenchAlone, IsThereInTheOtherControllers) {
  Plugin<GravityCompensationController> guided;
  ASSERT_TRUE(guided.configure());
  EXPECT_TRUE(guided.controller->arm().observation().observes_frame());
  auto parameters = with_frame("tool0");
  parameters["frame"] = rclcpp::ParameterValue("link6");
  Plugin<TaskSpaceController> task(parameters);
  ASSERT_TRUE(task.configure());
  EXPECT_EQ(task.controller->export_state_interfaces().size(), 9U);
  Plugin<FeedforwardController> feedforward(with_frame("tool0"));
  ASSERT_TRUE(feedforward.configure());
  EXPECT_EQ(feedforward.controller->export_state_interfaces().size(), 9U);
}

TEST(WrenchAlone, TakesNoMemoryAndNoLockButThoseOfTheHandles) {
  Plugin<ComputedTorqueController> plugin(with_frame("tool0"));
  ASSERT_TRUE(plugin.initialised);
  ASSERT_TRUE(plugin.configure());
  const auto exported = plugin.controller->export_state_interfaces();
  ASSERT_TRUE(plugin.controller->set_chained_mode(true));
  plugin.begin_at(arm7_joints(), bent, std::vector<double>(7, 0.0));
  ASSERT_TRUE(plugin.activate());
  for (int k = 0; k < 5; ++k) ASSERT_EQ(plugin.update(), return_type::OK);
  // 14 states and 21 references read; 7 efforts, 21 references and 9 state interfaces written.
  const auto expected = locks_of_handles(plugin, 35, 37);
  std::int64_t locks = 0;
  const auto count = dyn::test::count_allocations([&] {
    locks = dyn::test::count_lock_calls([&] {
      for (int k = 0; k < 200; ++k) (void)plugin.update();
    });
  });
  EXPECT_TRUE(count.none()) << count.allocations;
  EXPECT_EQ(locks, 200 * expected);
}

}  // namespace
}  // namespace dyn_controllers::test
