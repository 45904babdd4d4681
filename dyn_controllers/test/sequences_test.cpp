// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Controllers come and go at random on a real controller manager, with references, goals and pushes in between, and the
// arm never leaves what its URDF allows, nor do commanded positions leap, nor does anything hang. DYN_SEED=.. plays
// other sequences than the usual ones (the seed is printed), DYN_SEQUENCES=.. more or fewer.
#include <cstdlib>
#include <future>
#include <random>
#include <set>

#include "controller_interface/chainable_controller_interface.hpp"
#include "pluginlib/class_loader.hpp"
#include "sequences_fixture.hpp"

namespace dyn_controllers::test {

// From whatever is active to something else, all in one request, in any order, sometimes with what makes no sense.
void Sequences::change_controllers() {
  const std::vector<Names> sets{{},
                                {"computed"},
                                {"feedforward"},
                                {"gravity_compensation"},
                                {"task"},
                                {"position"},
                                {"trajectory", "computed"},
                                {"fed_trajectory", "feedforward"},
                                {"faulty", "computed"}};
  Names on = sets[below(static_cast<int>(sets.size()))], off = active_ones();
  if (chance(0.5)) on.emplace_back("dynamics");  // claims no command, and goes with all of them
  const bool restart = chance(0.3);
  for (auto it = on.begin(); it != on.end();) {  // what is active already, stays or is started anew
    const auto running = std::find(off.begin(), off.end(), *it);
    const bool stays = running != off.end() && !restart;
    if (stays) off.erase(running);
    it = stays ? on.erase(it) : it + 1;
  }
  const int how = chance(0.5) ? strict : best_effort;
  if (how == best_effort && chance(0.1)) on.emplace_back("nobody");
  std::shuffle(on.begin(), on.end(), random);
  std::shuffle(off.begin(), off.end(), random);
  std::string text = how == strict ? "strict +" : "best effort +";
  for (const std::string& name : on) text += ' ' + name;
  text += " -";
  for (const std::string& name : off) text += ' ' + name;
  note(text);
  bounded("the switch",
          [&] { return manager->switch_controller(on, off, how, true, rclcpp::Duration::from_seconds(10.0)); });
}

// Deactivated if need be, unloaded, loaded and configured anew.
void Sequences::kill_one() {
  const auto all = sequence_controllers();
  const auto& [name, type] = all[below(static_cast<int>(all.size()))];
  note("kill " + name);
  const Names off = active_ones();
  bounded("deactivation",
          [&] { return manager->switch_controller({}, off, strict, true, rclcpp::Duration::from_seconds(10.0)); });
  last_followed.clear();
  loaded.erase(name);
  const auto wait = [&](auto&& call) {
    auto done = std::async(std::launch::async, call);
    while (done.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready && !HasFatalFailure()) step();
    return done.get();
  };
  ASSERT_EQ(wait([&, n = name] { return manager->unload_controller(n); }), return_type::OK);
  ASSERT_NE(wait([&, n = name, t = type] { return manager->load_controller(n, t); }), nullptr);
  ASSERT_EQ(wait([&, n = name] { return manager->configure_controller(n); }), return_type::OK);
  find_controllers();
}

// At any time; a free arm at rest stays below half its velocity limits (see PushesAreSuchThat..).
void Sequences::push(double force_N, double seconds) {
  const auto request = std::make_shared<dyn_msgs::srv::Push::Request>();
  request->link = chance(0.5) ? "tool0" : "link4";
  request->force.x = uniform(-force_N, force_N);
  request->force.y = uniform(-force_N, force_N);
  request->force.z = uniform(-force_N, force_N);
  request->duration = rclcpp::Duration::from_seconds(seconds);
  note("push");
  watch->pushed = true;
  auto answer = pushes->async_send_request(request);
  for (int i = 0; i < 200 && answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready; ++i) {
    executor->spin_some();
    step();
  }
  steps(static_cast<int>(1000.0 * seconds) + 200);  // until nothing of it is left in the estimate of external torques
  watch->pushed = false;
}

void Sequences::send_goal(const std::string& name) {
  trajectory_msgs::msg::JointTrajectory goal;
  goal.joint_names = arm7_joints();
  trajectory_msgs::msg::JointTrajectoryPoint point;
  const double wild = chance(0.2) ? 8.0 : 1.0;
  double shortest_s = 0.1;  // at a velocity limit; a quintic is 15/8 as fast as on average
  for (size_t i = 0; i < 7; ++i) {
    const double way = uniform(-wild, wild);
    point.positions.push_back(watch->q[i] + way);
    shortest_s = std::max(shortest_s, 15.0 / 8.0 * std::abs(way) / watch->bounds[i].velocity);
  }
  point.velocities.assign(7, 0.0);
  point.accelerations.assign(7, 0.0);
  const bool feasible = chance(0.5);
  point.time_from_start =
      rclcpp::Duration::from_seconds(shortest_s * uniform(feasible ? 1.0 : 0.3, feasible ? 1.5 : 1.0));
  goal.points = {point};
  note(feasible ? "goal" : "goal that is too fast");
  goals[name]->publish(goal);
  executor->spin_some();
}

void Sequences::send_reference(const std::string& name) {
  trajectory_msgs::msg::JointTrajectoryPoint point;
  const double size = chance(0.2) ? 50.0 : chance(0.5) ? 0.5 : 0.02;
  for (size_t i = 0; i < 7; ++i) point.positions.push_back(watch->q[i] + uniform(-size, size));
  if (chance(0.5)) {
    for (size_t i = 0; i < 7; ++i) point.velocities.push_back(uniform(-2.0, 2.0));
  }
  if (chance(0.1)) point.positions[3] = std::nan("");
  if (chance(0.1)) point.positions.pop_back();
  note("reference");
  references[name]->publish(point);
  executor->spin_some();
}

// For the hand: near, far, out of reach, any way round.
void Sequences::send_target() {
  const auto task = std::dynamic_pointer_cast<TaskSpaceController>(loaded.at("task"));
  if (!task->arm().has_stepped()) return;
  geometry_msgs::msg::PoseStamped message;
  const double size = chance(0.2) ? 5.0 : chance(0.5) ? 0.5 : 0.05;
  const dyn::Vec3d& here = task->arm().task().measured.p_m;
  message.pose.position.x = here.x() + uniform(-size, size);
  message.pose.position.y = here.y() + uniform(-size, size);
  message.pose.position.z = here.z() + uniform(-size, size);
  Eigen::Quaterniond turn(uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(-1.0, 1.0));
  turn.normalize();
  if (chance(0.5)) turn = Eigen::Quaterniond(task->arm().task().measured.R);
  message.pose.orientation.w = turn.w();
  message.pose.orientation.x = turn.x();
  message.pose.orientation.y = turn.y();
  message.pose.orientation.z = turn.z();
  note("target");
  target_sent = watch->cycle;
  targets->publish(message);
  executor->spin_some();
}

// Slow, fast or absurd, in axes of the root or of the hand, for a time that may be longer than reference_timeout.
void Sequences::send_twist() {
  geometry_msgs::msg::TwistStamped message;
  message.header.frame_id = chance(0.5) ? "tool0" : "";
  const double size = chance(0.2) ? 50.0 : chance(0.5) ? 0.5 : 0.05;
  message.twist.linear.x = uniform(-size, size);
  message.twist.linear.y = uniform(-size, size);
  message.twist.linear.z = uniform(-size, size);
  message.twist.angular.z = uniform(-size, size);
  if (chance(0.1)) message.twist.linear.y = std::nan("");
  note("twist");
  const Eigen::Vector3d linear(message.twist.linear.x, message.twist.linear.y, message.twist.linear.z);
  if (linear.allFinite()) largest_twist = std::max(largest_twist, linear.norm());
  for (int k = 1 + below(5); k > 0 && !HasFatalFailure(); --k) {
    twists->publish(message);
    executor->spin_some();
    steps(below(60));
  }
}

// What a hand may push with, and what no arm can.
void Sequences::send_wrench() {
  geometry_msgs::msg::WrenchStamped message;
  message.header.frame_id = chance(0.5) ? "tool0" : "";
  const double size = chance(0.1) ? 1e4 : 30.0;
  message.wrench.force.x = uniform(-size, size);
  message.wrench.force.z = uniform(-size, size);
  message.wrench.torque.y = uniform(-0.1 * size, 0.1 * size);
  note("wrench");
  wrenches->publish(message);
  executor->spin_some();
}

// While the hand is on its way: another law, softer or stiffer, with or without an inertia of its own.
void Sequences::change_law() {
  const auto node = std::dynamic_pointer_cast<TaskSpaceController>(loaded.at("task"))->get_node();
  const bool impedance = chance(0.5);
  const double stiffness = chance(0.5) ? 200.0 : 3000.0;
  const double kg = chance(0.5) ? 0.0 : uniform(2.0, 10.0);
  note(impedance ? "impedance" : "computed torque");
  using Six = std::vector<double>;
  const Six stiff{stiffness, stiffness, stiffness, 0.02 * stiffness, 0.02 * stiffness, 0.02 * stiffness};
  const Six inertia{kg, kg, kg, 0.02 * kg, 0.02 * kg, 0.02 * kg};
  for (const rclcpp::Parameter& parameter :
       {rclcpp::Parameter("task.mode", impedance ? "impedance" : "computed_torque"),
        rclcpp::Parameter("task.stiffness", stiff), rclcpp::Parameter("task.inertia", inertia),
        rclcpp::Parameter("task.reject_external", chance(0.5)),
        rclcpp::Parameter("task.posture_p", chance(0.5) ? 0.0 : 10.0)}) {
    ASSERT_TRUE(node->set_parameter(parameter).successful) << parameter.get_name() << "\n" << told;
  }
}

// Small steps from where the arm is, at a fifth of a radian a second: a position drive is told where to be at once.
void Sequences::send_positions() {
  note("positions");
  std_msgs::msg::Float64MultiArray message;
  message.data = watch->q;
  std::vector<double> rate(7);
  for (double& r : rate) r = uniform(-0.2, 0.2);
  for (int k = 0; k < 20; ++k) {
    for (size_t i = 0; i < 7; ++i) {
      const JointBounds& bounds = watch->bounds[i];
      message.data[i] = std::clamp(message.data[i] + 0.01 * rate[i], bounds.lower, bounds.upper);
    }
    positions->publish(message);
    executor->spin_some();
    steps(10);
  }
}

void Sequences::act() {
  if (active("trajectory") && chance(0.5)) send_goal("trajectory");
  if (active("fed_trajectory") && chance(0.5)) send_goal("fed_trajectory");
  for (const char* name : {"computed", "feedforward"}) {
    if (active(name) && chance(0.4)) send_reference(name);
  }
  if (active("task") && chance(0.4)) change_law();
  if (active("task") && chance(0.6)) send_target();
  if (active("task") && chance(0.4)) send_twist();
  if (active("task") && chance(0.3)) send_wrench();
  if (active("position") && chance(0.7)) send_positions();
  if (active("faulty") && chance(0.5)) faulty->fails = true;
  if (chance(0.5)) steps(below(300));
  if (chance(0.6)) push(15.0, uniform(0.1, 0.4));
  steps(50 + below(300));
}

void Sequences::play(int actions) {
  for (int k = 0; k < actions && !HasFatalFailure(); ++k) {
    if (chance(0.1)) kill_one();
    if (HasFatalFailure()) return;
    change_controllers();
    if (HasFatalFailure()) return;
    if (chance(0.2))
      steps(below(30));  // and at once another one
    else
      act();
  }
}

TEST_F(Sequences, PushesAreSuchThatAFreeArmStaysBelowHalfItsVelocityLimits) {
  bring_up();
  random.seed(1);
  switch_to({"gravity_compensation"}, {});
  for (int k = 0; k < 20 && !HasFatalFailure(); ++k) {
    watch->forget();
    push(15.0, 0.4);
    EXPECT_LT(watch->fastest, 0.5);
    EXPECT_GT(watch->fastest, 0.01);
    steps(1000);
  }
}

TEST_F(Sequences, NothingLeavesTheLimitsOfTheArm) {
  const char* const given_seed = std::getenv("DYN_SEED");
  const char* const given_count = std::getenv("DYN_SEQUENCES");
  const unsigned seed = given_seed != nullptr ? static_cast<unsigned>(std::stoul(given_seed)) : 1U;
  const int count = given_count != nullptr ? std::stoi(given_count) : 100;
  std::printf("seed %u (DYN_SEED=%u plays it again)\n", seed, seed);
  bring_up();
  double fastest = 0.0, strongest = 0.0;
  for (int k = 0; k < count && !HasFatalFailure(); ++k) {
    random.seed(seed + static_cast<unsigned>(k));
    told = "seed " + std::to_string(seed) + ", sequence " + std::to_string(k) + ": ";
    watch->forget();
    play(4 + below(4));
    fastest = std::max(fastest, watch->fastest);
    strongest = std::max(strongest, watch->strongest);
  }
  std::printf(
      "%ld cycles: at most %.3g of a velocity limit, %.3g of an effort limit, leaps of %.3g rad; %ld messages "
      "of the broadcaster, external efforts up to %.3g N m\n"
      "task: targets leap by %.3g m, joints are at most %.3g rad beyond their position limits\n",
      watch->cycle, fastest, strongest, worst_leap, dynamics->messages, dynamics->largest_external, worst_target_leap,
      worst_beyond);
  EXPECT_GT(dynamics->messages, count / 10);
}

template <class Base>
static void add_plugins(const char* base, std::set<std::string>& types) {
  pluginlib::ClassLoader<Base> loader("controller_interface", std::string("controller_interface::") + base);
  for (const std::string& type : loader.getDeclaredClasses()) {
    if (loader.getClassPackage(type) == "dyn_controllers") types.insert(type);
  }
}

TEST(SequencesHave, EveryControllerThatIsDeclaredAsAPlugin) {
  std::set<std::string> declared, played;
  add_plugins<controller_interface::ControllerInterface>("ControllerInterface", declared);
  add_plugins<controller_interface::ChainableControllerInterface>("ChainableControllerInterface", declared);
  for (const auto& [name, type] : sequence_controllers()) {
    if (type.rfind("dyn_controllers/", 0) == 0) played.insert(type);
  }
  EXPECT_FALSE(declared.empty());
  EXPECT_EQ(declared, played);
}

}  // namespace dyn_controllers::test
