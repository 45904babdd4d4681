// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// All controllers on a real controller manager, with what watches them in every cycle and what a test does with them.
#pragma once

#include <array>
#include <future>
#include <map>
#include <optional>
#include <random>

#include "arm_watch.hpp"
#include "dyn_controllers/task_space_controller.hpp"
#include "dyn_msgs/srv/push.hpp"
#include "dynamics_watch.hpp"
#include "faulty_client.hpp"
#include "geometry_msgs/msg/pose_stamped.hpp"
#include "geometry_msgs/msg/twist_stamped.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"
#include "sequence_parameters.hpp"
#include "std_msgs/msg/float64_multi_array.hpp"

namespace dyn_controllers::test {

using Names = std::vector<std::string>;
inline constexpr int best_effort = controller_manager_msgs::srv::SwitchController::Request::BEST_EFFORT;
inline constexpr double period_s = 0.001;
inline constexpr double largest_leap = 5e-3;         // rad beyond velocity times period
inline constexpr double largest_target_leap = 1e-3;  // m beyond velocity times period
inline constexpr double farthest_beyond = 1e-3;      // rad beyond a position limit

class Sequences : public ManagerTest {
 protected:
  void bring_up() {
    const Extras plant{"<param name='tolerance'>1e-8</param>", {}};
    const std::vector<double> ready{0.0, 0.3, 0.0, 0.6, 0.0, -0.3, 0.0};
    make_manager(with_simulated_arm(arm7_urdf(), ready, plant), sequence_controllers(), sequence_parameters());
    if (HasFatalFailure()) return;
    watch = std::make_shared<ArmWatch>();
    faulty = std::make_shared<FaultyClient>();
    dynamics = std::make_unique<DynamicsWatch>(*user, "/dynamics/dynamics", watch->seen);
    ASSERT_NE(manager->add_controller(watch, "watch", "ArmWatch"), nullptr);
    ASSERT_NE(manager->add_controller(faulty, "faulty", "FaultyClient"), nullptr);
    for (const char* name : {"watch", "faulty"}) {
      ASSERT_EQ(manager->configure_controller(name), return_type::OK);
    }
    executor->add_node(manager);
    for (const char* name : {"trajectory", "fed_trajectory"}) {
      goals[name] = user->create_publisher<trajectory_msgs::msg::JointTrajectory>(
          std::string("/") + name + "/joint_trajectory", 1);
    }
    for (const char* name : {"computed", "feedforward"}) {
      references[name] =
          user->create_publisher<trajectory_msgs::msg::JointTrajectoryPoint>(std::string("/") + name + "/reference", 1);
    }
    targets = user->create_publisher<geometry_msgs::msg::PoseStamped>("/task/target_pose", 1);
    twists = user->create_publisher<geometry_msgs::msg::TwistStamped>("/task/target_twist", 1);
    wrenches = user->create_publisher<geometry_msgs::msg::WrenchStamped>("/task/target_wrench", 1);
    positions = user->create_publisher<std_msgs::msg::Float64MultiArray>("/position/commands", 1);
    pushes = user->create_client<dyn_msgs::srv::Push>("/simulated_arm/push");
    switch_to({"watch"}, {});
    may_fail = true;
    find_controllers();
  }
  // The manager's own list is locked while it switches.
  void find_controllers() {
    loaded.clear();
    for (const auto& spec : manager->get_loaded_controllers()) loaded[spec.info.name] = spec.c;
  }

  // --- Chance
  // ---------------------------------------------------------------------------------------------------------
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); }
  bool chance(double p) { return uniform(0.0, 1.0) < p; }

  // --- What is active
  // -------------------------------------------------------------------------------------------------
  bool active(const std::string& name) {
    const auto one = loaded.find(name);
    return one != loaded.end() && one->second->get_lifecycle_state().id() == State::PRIMARY_STATE_ACTIVE;
  }
  Names active_ones() {
    Names names;
    for (const auto& [name, type] : sequence_controllers()) {
      if (active(name)) names.push_back(name);
    }
    if (active("faulty")) names.emplace_back("faulty");
    return names;
  }
  void note(const std::string& what) { told += what + "; "; }

  // --- What is checked
  // ------------------------------------------------------------------------------------------------
  void step() {
    cycle();
    for (const char* name : {"computed", "feedforward"}) check_leap(name);
    check_frame();
    ASSERT_TRUE(watch->breach.empty()) << watch->breach << "\n" << told;
    ASSERT_TRUE(dynamics->breach.empty()) << dynamics->breach << "\n" << told;
  }
  void steps(int count) {
    for (int i = 0; i < count && !HasFatalFailure(); ++i) step();
  }
  // Commanded positions: those that the controller follows.
  void check_leap(const std::string& name) {
    std::vector<double>& last = last_followed[name];
    const auto one = std::dynamic_pointer_cast<TorqueController>(active(name) ? loaded.at(name) : nullptr);
    if (one == nullptr || !one->arm().has_stepped()) {
      last.clear();
      return;
    }
    const auto followed = one->arm().followed();
    for (size_t i = 0; i < 7; ++i) {
      const double before = last.empty() ? one->arm().q()[i] : last[i];
      const double leap = std::abs(followed.q[i] - before) - std::abs(followed.v[i]) * period_s;
      worst_leap = std::max(worst_leap, leap);
      ASSERT_LE(leap, largest_leap) << name << ", joint" << i + 1 << ": from " << before << " to " << followed.q[i]
                                    << " at " << followed.v[i] << " rad/s, cycle " << watch->cycle << "\n"
                                    << told;
    }
    last.assign(followed.q.begin(), followed.q.end());
  }
  // Under `task` the target begins where the hand is and moves by twists, but for one leap to each pose that is sent;
  // no joint leaves its position limits.
  void check_frame() {
    const auto one = std::dynamic_pointer_cast<TaskSpaceController>(active("task") ? loaded.at("task") : nullptr);
    const bool runs = one != nullptr && one->arm().has_stepped();
    for (size_t i = 0; i < 7; ++i) {
      const double beyond = std::max(watch->q[i] - watch->bounds[i].upper, watch->bounds[i].lower - watch->q[i]);
      was_within[i] = beyond <= 0.0 || (runs && was_within[i]);
      if (!runs || !was_within[i]) continue;
      worst_beyond = std::max(worst_beyond, beyond);
      ASSERT_LE(beyond, farthest_beyond) << "joint" << i + 1 << ", cycle " << watch->cycle << "\n" << told;
    }
    if (!runs) {
      last_target.reset();
      largest_twist = 0.0;
      return;
    }
    const dyn::control::TaskCycle& task = one->arm().task();
    const dyn::Vec3d before = last_target.value_or(task.measured.p_m);
    const double leap = (task.target.p_m - before).norm() - largest_twist * period_s;
    last_target = task.target.p_m;
    if (leap > largest_target_leap && watch->cycle - target_sent < 1000) {
      target_sent = -1000;
      return;
    }
    if (watch->cycle - target_sent >= 1000) worst_target_leap = std::max(worst_target_leap, leap);
    ASSERT_LE(leap, largest_target_leap) << "the target, cycle " << watch->cycle << "\n" << told;
  }
  // What waits for the loop, while the loop runs; two seconds of the arm's time are a hang.
  template <class F>
  void bounded(const std::string& what, F&& call) {
    auto done = std::async(std::launch::async, std::forward<F>(call));
    int count = 0;
    while (done.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready && !HasFatalFailure()) {
      step();
      ASSERT_LT(++count, 2000) << what << " hangs\n" << told;
    }
    done.get();
  }

  // --- What may happen
  // ------------------------------------------------------------------------------------------------
  void change_controllers();
  void act();
  void kill_one();
  void push(double force_N, double seconds);
  void send_goal(const std::string& name);
  void send_reference(const std::string& name);
  void send_target();
  void send_twist();
  void send_wrench();
  void change_law();
  void send_positions();
  void play(int actions);

  std::mt19937 random;
  std::string told;
  double worst_leap = 0.0, worst_target_leap = 0.0, worst_beyond = -10.0;
  std::array<bool, 7> was_within{};  // its position limits, since `task` is active
  std::optional<dyn::Vec3d> last_target;
  long target_sent = -1000;    // cycle of the last pose that has not arrived yet
  double largest_twist = 0.0;  // m/s, sent since `task` is active
  std::shared_ptr<ArmWatch> watch;
  std::shared_ptr<FaultyClient> faulty;
  std::unique_ptr<DynamicsWatch> dynamics;
  std::map<std::string, controller_interface::ControllerInterfaceBaseSharedPtr> loaded;
  std::map<std::string, std::vector<double>> last_followed;
  std::map<std::string, rclcpp::Publisher<trajectory_msgs::msg::JointTrajectory>::SharedPtr> goals;
  std::map<std::string, rclcpp::Publisher<trajectory_msgs::msg::JointTrajectoryPoint>::SharedPtr> references;
  rclcpp::Publisher<std_msgs::msg::Float64MultiArray>::SharedPtr positions;
  rclcpp::Publisher<geometry_msgs::msg::PoseStamped>::SharedPtr targets;
  rclcpp::Publisher<geometry_msgs::msg::TwistStamped>::SharedPtr twists;
  rclcpp::Publisher<geometry_msgs::msg::WrenchStamped>::SharedPtr wrenches;
  rclcpp::Client<dyn_msgs::srv::Push>::SharedPtr pushes;
};

}  // namespace dyn_controllers::test
