// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Feedforward, gravity compensation and the broadcaster by themselves.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "dyn_controllers/dynamics_broadcaster.hpp"
#include "dyn_controllers/gravity_compensation_controller.hpp"
#include "dyn_controllers/torque_controller.hpp"
#include "dyn_msgs/srv/replace_joints.hpp"
#include "handle_locks.hpp"
#include "support/allocation_counter.hpp"

namespace dyn_controllers::test {
namespace {

const std::vector<double> some_q{0.3, 0.5, -0.2, 0.9, 0.1, -0.4, 0.2};
const std::vector<double> some_v{0.4, -0.3, 0.2, 0.5, -0.6, 0.1, 0.7};
const std::vector<double> some_a{1.0, -2.0, 0.5, 0.3, 2.0, -1.0, 0.4};

template <class P>
void set_state(P& plugin, const std::vector<double>& q, const std::vector<double>& v) {
  for (size_t i = 0; i < 7; ++i) {
    plugin.set_state(arm7_joints()[i] + "/position", q[i]);
    plugin.set_state(arm7_joints()[i] + "/velocity", v[i]);
  }
}

dyn::Dynamics arm7_at(const std::vector<double>& q, const std::vector<double>& v, bool armature) {
  dyn::ModelOptions options;
  options.armature = armature;
  dyn::Dynamics dynamics(dyn::load_model("arm7", options));
  EXPECT_TRUE(dynamics.update(q, v).ok());
  return dynamics;
}

std::map<std::string, rclcpp::ParameterValue> plain(double d) {
  auto parameters = arm7_parameters();
  for (const std::string& joint : arm7_joints()) {
    parameters["gains." + joint + ".p"] = rclcpp::ParameterValue(0.0);
    parameters["gains." + joint + ".d"] = rclcpp::ParameterValue(d);
  }
  parameters["prediction"] = rclcpp::ParameterValue(0.0);
  parameters["reference_lead"] = rclcpp::ParameterValue(0.0);
  return parameters;
}

// Paper 004 eq 72: the torque of the reference motion, of which the state has no part.
TEST(Feedforward, IsTheInverseDynamicsOfTheReference) {
  auto parameters = plain(0.0);
  parameters["command_interfaces"] = rclcpp::ParameterValue(std::vector<std::string>{"effort", "position", "velocity"});
  Plugin<FeedforwardController> plugin(parameters);
  plugin.begin_at(arm7_joints(), some_q, some_v);
  plugin.start(true);
  EXPECT_EQ(plugin.controller->command_interface_configuration().names.size(), 21U);
  for (size_t i = 0; i < 7; ++i) {
    (void)plugin.reference(arm7_joints()[i] + "/position").set_value(some_q[i]);
    (void)plugin.reference(arm7_joints()[i] + "/velocity").set_value(some_v[i]);
    (void)plugin.reference(arm7_joints()[i] + "/acceleration").set_value(some_a[i]);
  }
  ASSERT_EQ(plugin.update(), return_type::OK);
  auto dynamics = arm7_at(some_q, some_v, true);
  std::vector<double> tau(7);
  dynamics.inverse(some_a, tau);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(plugin.command(arm7_joints()[i] + "/effort"), tau[i], 1e-11);
    EXPECT_EQ(plugin.command(arm7_joints()[i] + "/position"), some_q[i]);
    EXPECT_EQ(plugin.command(arm7_joints()[i] + "/velocity"), some_v[i]);
  }
}

// Drives with a loop of their own, joint1 at 1 rad/s, and then its state is lost: `frozen`, or a position that is NaN.
class LostState : public testing::TestWithParam<bool> {
 protected:
  static constexpr double period = 0.001;
  LostState() : plugin_(parameters()) {
    plugin_.initial["joint1/velocity"] = 1.0;
    plugin_.start(true);
  }
  static std::map<std::string, rclcpp::ParameterValue> parameters() {
    auto all = plain(0.0);
    all["command_interfaces"] = rclcpp::ParameterValue(std::vector<std::string>{"position", "velocity"});
    all["state_timeout"] = rclcpp::ParameterValue(0.05);
    return all;
  }
  return_type cycle() {
    t_ += period;
    for (const std::string& joint : arm7_joints()) {
      (void)plugin_.reference(joint + "/position").set_value(joint == "joint1" ? t_ : 0.0);
      (void)plugin_.reference(joint + "/velocity").set_value(joint == "joint1" ? 1.0 : 0.0);
      (void)plugin_.reference(joint + "/acceleration").set_value(0.0);
    }
    return plugin_.update();
  }
  void show(double q, double v) {
    plugin_.set_state("joint1/position", q);
    plugin_.set_state("joint1/velocity", v);
  }
  // Until the drive is no longer told to move; every command is one that it can follow.
  void expect_to_brake() {
    double v = velocity(), q = position();
    for (int i = 0; i < 120 && velocity() > 0.0; ++i, v = velocity(), q = position()) {
      ASSERT_EQ(cycle(), return_type::OK);
      EXPECT_LT(velocity(), v);
      EXPECT_LT(v - velocity(), 10.1 * period);
      EXPECT_NEAR(position() - q, 0.5 * (v + velocity()) * period, 1e-12);
    }
    EXPECT_EQ(velocity(), 0.0);
  }
  [[nodiscard]] double position() const { return plugin_.command("joint1/position"); }
  [[nodiscard]] double velocity() const { return plugin_.command("joint1/velocity"); }

  Plugin<FeedforwardController> plugin_;
  double t_ = 0.0;
};

TEST_P(LostState, BrakesDrivesThatCloseALoopOfTheirOwn) {
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(cycle(), return_type::OK);
    show(t_, 1.0);
  }
  ASSERT_EQ(velocity(), 1.0);
  const bool frozen = GetParam();
  if (!frozen) show(std::numeric_limits<double>::quiet_NaN(), 1.0);
  for (int i = 0; i < 60 && frozen && velocity() == 1.0; ++i) ASSERT_EQ(cycle(), return_type::OK);  // not yet seen
  expect_to_brake();
  const double stopped = position();
  EXPECT_GT(stopped, 0.14);
  for (int i = 0; i < 600 && cycle() == return_type::OK; ++i) EXPECT_EQ(position(), stopped);
  EXPECT_EQ(cycle(), return_type::ERROR);
  if (frozen) {
    (void)plugin_.controller->get_node()->deactivate();
    EXPECT_EQ(position(), stopped) << "a frozen position is not where the arm is";
    EXPECT_EQ(velocity(), 0.0);
    return;
  }
  show(stopped + 1e-3, 0.0);
  ASSERT_EQ(cycle(), return_type::OK) << "and on again from there";
  EXPECT_NEAR(position(), stopped + 1e-3, 1e-4);
  EXPECT_NEAR(velocity(), 0.0, 0.2);
}
INSTANTIATE_TEST_SUITE_P(Feedforward, LostState, testing::Bool(),
                         [](const auto& at) { return at.param ? "Frozen" : "NotFinite"; });

// As lbr_fri_ros2 takes a torque overlay (src/interfaces/torque_command.cpp): one position or torque that is NaN, and
// all torques are 0.
template <class P>
bool driver_zeroes_torques(const P& plugin) {
  return std::any_of(plugin.commands.begin(), plugin.commands.end(),
                     [](const auto& command) { return std::isnan(command.second->get_optional().value()); });
}

TEST(Feedforward, GivesADriverThatNeedsBothAPositionBesideEachTorqueInEveryCycle) {
  auto parameters = plain(0.0);
  parameters["command_interfaces"] = rclcpp::ParameterValue(std::vector<std::string>{"position", "effort"});
  parameters["gravity_compensation"] = rclcpp::ParameterValue("hardware");
  Plugin<FeedforwardController> plugin(parameters);
  plugin.begin_at(arm7_joints(), some_q, std::vector<double>(7, 0.0));
  plugin.start(true);
  EXPECT_EQ(plugin.commands.size(), 14U);
  EXPECT_TRUE(driver_zeroes_torques(plugin)) << "nothing was commanded yet";
  for (int i = 0; i < 600; ++i) {
    if (i == 300) plugin.set_state("joint1/position", std::numeric_limits<double>::quiet_NaN());
    for (const std::string& joint : arm7_joints()) {  // and none from 100 to 299
      if (i < 100) (void)plugin.reference(joint + "/position").set_value(plugin.initial[joint + "/position"]);
    }
    (void)plugin.update();
    ASSERT_FALSE(driver_zeroes_torques(plugin)) << i;
    if (i < 100) {
      EXPECT_NEAR(plugin.command("joint2/effort"), 0.0, 1e-9) << "the drive adds gravity";
      EXPECT_EQ(plugin.command("joint2/position"), some_q[1]);
    }
  }
  (void)plugin.controller->get_node()->deactivate();
  EXPECT_FALSE(driver_zeroes_torques(plugin));
}

TEST(GravityCompensation, CarriesTheArmAndDampsIt) {
  Plugin<GravityCompensationController> plugin(plain(2.0));
  ASSERT_TRUE(plugin.initialised && plugin.configure());
  EXPECT_FALSE(plugin.controller->is_chainable());
  ASSERT_TRUE(plugin.activate());
  set_state(plugin, some_q, some_v);
  ASSERT_EQ(plugin.update(), return_type::OK);
  const auto dynamics = arm7_at(some_q, some_v, true);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(plugin.command(arm7_joints()[i] + "/effort"), dynamics.g()[static_cast<int>(i)] - 2.0 * some_v[i],
                1e-11);
  }
  plugin.set_state("joint3/position", std::numeric_limits<double>::quiet_NaN());
  const double held = plugin.command("joint2/effort");
  ASSERT_EQ(plugin.update(), return_type::OK);
  EXPECT_EQ(plugin.command("joint2/effort"), held);
}

// The next ~/dynamics of a broadcaster that goes on meanwhile.
dyn_msgs::msg::Dynamics dynamics_message(Plugin<DynamicsBroadcaster>& plugin) {
  const auto node = std::make_shared<rclcpp::Node>("user");
  dyn_msgs::msg::Dynamics message;
  const auto subscription = node->create_subscription<dyn_msgs::msg::Dynamics>(
      "/controller/dynamics", 1, [&](const dyn_msgs::msg::Dynamics::ConstSharedPtr& m) { message = *m; });
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  executor.add_node(plugin.controller->get_node()->get_node_base_interface());
  for (int i = 0; i < 1000 && message.gravity.empty(); ++i) {
    EXPECT_EQ(plugin.update(), return_type::OK);
    executor.spin_once(std::chrono::milliseconds(5));
  }
  return message;
}

TEST(Broadcaster, PublishesMCGAndMomentum) {
  Plugin<DynamicsBroadcaster> plugin({{"publish_rate", rclcpp::ParameterValue(1000.0)}});
  ASSERT_TRUE(plugin.initialised && plugin.configure());
  EXPECT_TRUE(plugin.controller->command_interface_configuration().names.empty());
  EXPECT_EQ(plugin.controller->state_interface_configuration().names.size(), 14U);
  ASSERT_TRUE(plugin.activate());
  set_state(plugin, some_q, some_v);

  const auto message = dynamics_message(plugin);
  ASSERT_EQ(message.mass_matrix.size(), 49U);
  const auto dynamics = arm7_at(some_q, some_v, true);
  for (int i = 0; i < 7; ++i) {
    double momentum = 0.0;
    for (int j = 0; j < 7; ++j) {
      const size_t entry = 7 * i + j;
      EXPECT_NEAR(message.mass_matrix[entry], dynamics.M()(i, j), 1e-12);
      EXPECT_NEAR(message.coriolis_matrix[entry], dynamics.C()(i, j), 1e-12);
      momentum += dynamics.M()(i, j) * some_v[j];
    }
    EXPECT_NEAR(message.gravity[i], dynamics.g()[i], 1e-12);
    EXPECT_NEAR(message.momentum[i], momentum, 1e-12);
  }
  EXPECT_TRUE(message.external_effort.empty());
}

TEST(GravityCompensation, CommandsEffortAndNothingElse) {
  auto parameters = plain(2.0);
  parameters["command_interfaces"] = rclcpp::ParameterValue(std::vector<std::string>{"effort", "position"});
  Plugin<GravityCompensationController> plugin(parameters);
  EXPECT_FALSE(plugin.initialised && plugin.configure());
}

// Over 100 cycles, each of which reads and writes so many handles.
template <class Controller>
void expect_real_time(Plugin<Controller>& plugin, std::int64_t reads, std::int64_t writes) {
  set_state(plugin, some_q, some_v);
  ASSERT_EQ(plugin.update(), return_type::OK);
  std::int64_t locks = 0;
  const auto count = dyn::test::count_allocations([&] {
    locks = dyn::test::count_lock_calls([&] {
      for (int cycle = 0; cycle < 100; ++cycle) (void)plugin.update();
    });
  });
  EXPECT_TRUE(count.none()) << count.allocations;
  EXPECT_EQ(locks, 100 * locks_of_handles(plugin, reads, writes));
}

TEST(RealTime, TheOthersAllocateNothingAndTakeNoLockOfOursEither) {
  Plugin<GravityCompensationController> guided(plain(2.0));
  guided.start(false);
  expect_real_time(guided, 14, 7);
  auto parameters = plain(2.0);
  parameters["command_interfaces"] = rclcpp::ParameterValue(std::vector<std::string>{"effort", "position", "velocity"});
  Plugin<FeedforwardController> fed(parameters);
  fed.start(true);
  expect_real_time(fed, 14 + 21, 21 + 21);  // a reference is read once, and nothing is left in its place
  Plugin<DynamicsBroadcaster> broadcaster(
      {{"publish_rate", rclcpp::ParameterValue(1000.0)}, {"measured_effort", rclcpp::ParameterValue(true)}});
  ASSERT_TRUE(broadcaster.initialised && broadcaster.configure() && broadcaster.activate());
  expect_real_time(broadcaster, 21, 0);
}

// What the user says about a drive is in M, as it is in that of the controllers.
TEST(Broadcaster, TakesTheArmatureThatIsGiven) {
  const auto inertia = [](const std::map<std::string, rclcpp::ParameterValue>& more) {
    auto parameters = more;
    parameters["publish_rate"] = rclcpp::ParameterValue(1000.0);
    Plugin<DynamicsBroadcaster> plugin(parameters);
    EXPECT_TRUE(plugin.initialised && plugin.configure() && plugin.activate());
    set_state(plugin, some_q, some_v);
    const auto message = dynamics_message(plugin);
    return message.mass_matrix.size() == 49U ? message.mass_matrix[8] : std::nan("");
  };
  const double usual = inertia({});
  const double urdf = dyn::load_model("arm7").description().joints.at(1).armature;
  EXPECT_GT(urdf, 0.0);
  EXPECT_NEAR(inertia({{"armature.joint2", rclcpp::ParameterValue(0.5)}}), usual - urdf + 0.5, 1e-12);
}

// 3 N m from outside at joint 2, at rest: what gravity needs and the push are in the measured effort.
TEST(Broadcaster, ObservesWhatPushes) {
  Plugin<DynamicsBroadcaster> plugin(
      {{"publish_rate", rclcpp::ParameterValue(1000.0)}, {"measured_effort", rclcpp::ParameterValue(true)}});
  ASSERT_TRUE(plugin.initialised && plugin.configure());
  ASSERT_TRUE(plugin.activate());
  const std::vector<double> zero(7, 0.0);
  set_state(plugin, some_q, zero);
  const auto dynamics = arm7_at(some_q, zero, true);
  for (int i = 0; i < 7; ++i) {
    const double push = i == 1 ? 3.0 : 0.0;
    plugin.set_state(arm7_joints()[i] + "/effort", dynamics.g()[i] - push);
  }
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(plugin.update(), return_type::OK);
  const auto message = dynamics_message(plugin);
  ASSERT_EQ(message.external_effort.size(), 7U);
  for (size_t i = 0; i < 7; ++i) EXPECT_NEAR(message.external_effort[i], i == 1 ? 3.0 : 0.0, 1e-6);
}

// Another joint comes and goes: the terms are those of the joints that the robot has, in the model's order.
TEST(Broadcaster, FollowsOtherJoints) {
  const std::string with_module = dyn::read_urdf_text(dyn::find_robot("arm7_module"));
  Plugin<DynamicsBroadcaster> plugin(
      {{"publish_rate", rclcpp::ParameterValue(1000.0)}, {"measured_effort", rclcpp::ParameterValue(true)}},
      with_module);
  ASSERT_TRUE(plugin.initialised && plugin.configure() && plugin.activate());
  set_state(plugin, some_q, some_v);
  plugin.set_state("joint8/position", std::numeric_limits<double>::quiet_NaN());  // not there: ignored below
  Room room(*plugin.controller->get_node());
  dyn_msgs::msg::Dynamics message;
  const auto subscription = room.node->create_subscription<dyn_msgs::msg::Dynamics>(
      "/controller/dynamics", 1, [&](const dyn_msgs::msg::Dynamics::ConstSharedPtr& m) { message = *m; });
  const auto seen = [&](size_t joints) {
    return room.spin_until([&] {
      EXPECT_EQ(plugin.update(), return_type::OK);
      return message.joint_names.size() == joints;
    });
  };
  dyn_msgs::srv::ReplaceJoints::Request request;
  request.urdf = arm7_urdf();
  request.map.resize(1);
  request.map[0].joint = "joint8";
  ASSERT_TRUE(room.call<dyn_msgs::srv::ReplaceJoints>("replace_joints", request)->success);
  ASSERT_TRUE(seen(7));
  EXPECT_EQ(message.joint_names, arm7_joints());
  const auto seven = arm7_at(some_q, some_v, true);
  for (int i = 0; i < 7; ++i) {
    EXPECT_NEAR(message.gravity[i], seven.g()[i], 1e-12);
    EXPECT_NEAR(message.mass_matrix[static_cast<size_t>(8 * i)], seven.M()(i, i), 1e-12);
  }
  EXPECT_EQ(message.external_effort.size(), 7U);
  // A payload with a joint of its own would have room now, but no state.
  dyn_msgs::srv::AttachPayload::Request chain;
  chain.payload.name = "cup";
  chain.payload.link = "tool0";
  chain.payload.urdf = dyn::read_urdf_text(dyn::find_robot("crucible"));
  const auto refused = room.call<dyn_msgs::srv::AttachPayload>("attach_payload", chain);
  EXPECT_FALSE(refused->success);
  EXPECT_NE(refused->message.find("no state source"), std::string::npos) << refused->message;

  plugin.set_state("joint8/position", 0.3);
  plugin.set_state("joint8/velocity", -0.5);
  request.urdf = with_module;
  request.map.clear();
  ASSERT_TRUE(room.call<dyn_msgs::srv::ReplaceJoints>("replace_joints", request)->success);
  ASSERT_TRUE(seen(8));
  dyn::ModelOptions options;
  options.armature = true;
  dyn::Dynamics eight(dyn::load_model("arm7_module", options));
  std::vector<double> q = some_q, v = some_v;
  q.push_back(0.3);
  v.push_back(-0.5);
  ASSERT_TRUE(eight.update(q, v).ok());
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(message.gravity[i], eight.g()[i], 1e-12);
  request.urdf = arm7_urdf();  // joint8 without a word about it
  EXPECT_FALSE(room.call<dyn_msgs::srv::ReplaceJoints>("replace_joints", request)->success);

  // The first joint is locked: the others' states come from other places than those of the model's coordinates.
  const std::string revolute = "<joint name=\"joint1\" type=\"revolute\">";
  request.urdf.replace(request.urdf.find(revolute), revolute.size(), "<joint name=\"joint1\" type=\"fixed\">");
  request.map.resize(3);
  request.map[0].joint = "joint1";
  request.map[1].joint = "joint8";
  request.map[2].joint = request.map[2].becomes = "joint2";  // its parent has changed
  const auto locked = room.call<dyn_msgs::srv::ReplaceJoints>("replace_joints", request);
  ASSERT_TRUE(locked->success) << locked->message;
  ASSERT_TRUE(seen(6));
  EXPECT_EQ(message.joint_names.front(), "joint2");
  EXPECT_EQ(message.position, std::vector<double>(some_q.begin() + 1, some_q.end()));
  dyn::Dynamics six(dyn::Model::build(dyn::parse_urdf(request.urdf, "locked.urdf"), options));
  ASSERT_TRUE(six.update(message.position, message.velocity).ok());
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(message.gravity[i], six.g()[i], 1e-12);
    EXPECT_NEAR(message.mass_matrix[static_cast<size_t>(7 * i)], six.M()(i, i), 1e-12);
  }
}

}  // namespace
}  // namespace dyn_controllers::test
