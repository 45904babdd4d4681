// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// How long a cycle's parts take: joint_trajectory_controller, the computed-torque controller below it with everything
// that is on by default, then with everything that can be, and the simulated arm's read. Between two cycles the loop
// computes without a pause, or waits for the rest of a millisecond without sleeping, or walks through 4 MiB meanwhile,
// or sleeps. Prints docs/arms.md's table:  ctest --test-dir build-ros -R UpdateTimes -V
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <thread>

#include "controller_manager_fixture.hpp"

namespace dyn_controllers::test {
namespace {

using Clock = std::chrono::steady_clock;

struct UpdateTimes : ManagerTest {
  using Times = std::vector<double>;  // us

  template <class F>
  static void timed(Times& times, F&& what) {
    const Clock::time_point begin = Clock::now();
    ASSERT_EQ(what(), controller_interface::return_type::OK);
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }

  static std::string at(Times times, double share) {
    std::sort(times.begin(), times.end());
    std::array<char, 32> text{};
    (void)std::snprintf(text.data(), text.size(), "%.1f",
                        times[static_cast<size_t>(share * static_cast<double>(times.size() - 1))]);
    return text.data();
  }

  void print_times(const char* parameters);
};

// What is off by default; the model of the arm is checked by Pinocchio while it runs, in another thread.
const char* const every_feature = R"(    friction_compensation: true
    effort_rate_limit: 1.0e+5
    collision_threshold: 30.0
    external_wrench: {frame: tool0, force_threshold: 20.0, torque_threshold: 5.0}
    acceleration_limit: {joint1: 50.0, joint2: 50.0, joint3: 50.0, joint4: 50.0, joint5: 50.0, joint6: 50.0, joint7: 50.0}
    validation: {mode: gate, rate: 100.0}
)";

void UpdateTimes::print_times(const char* parameters) {
  start({0.0, 0.6, 0.0, 1.2, 0.0, 0.6, 0.0},
        {{"computed_torque_controller", "dyn_controllers/ComputedTorqueController"},
         {"joint_trajectory_controller", "joint_trajectory_controller/JointTrajectoryController"}},
        {.hardware_parameters = "", .payload_joints = {}, .parameters = parameters});
  switch_to({"computed_torque_controller"}, {});
  switch_to({"joint_trajectory_controller"}, {});
  cycles(200);
  const auto torque = controller("computed_torque_controller"), moves = controller("joint_trajectory_controller");
  ASSERT_TRUE(torque->is_in_chained_mode());
  std::vector<char> memory(4 << 20);
  const std::vector<std::pair<const char*, std::function<void(Clock::time_point)>>> pauses{
      {"none", [](Clock::time_point) {}},
      {"busy",
       [&](Clock::time_point end) {
         while (Clock::now() < end) continue;
       }},
      {"busy with other memory",
       [&](Clock::time_point end) {
         while (Clock::now() < end) {
           for (size_t k = 0; k < memory.size(); k += 64) ++memory[k];
         }
       }},
      {"asleep", [](Clock::time_point end) { std::this_thread::sleep_until(end); }}};
  std::printf(
      "| in between | computed torque: p50 | p99 us | joint_trajectory_controller: p50 | p99 us | read: p50 | p99 us "
      "|\n");
  for (const auto& [name, pause] : pauses) {
    Times of_torque, of_moves, of_read;
    for (int k = 0; k < 2000 && !HasFatalFailure(); ++k) {
      const Clock::time_point begin = Clock::now();
      now += period;
      set_clock();
      timed(of_read, [this] {
        manager->read(now, period);
        return controller_interface::return_type::OK;
      });
      timed(of_moves, [&] { return moves->update(now, period); });
      timed(of_torque, [&] { return torque->update(now, period); });
      manager->write(now, period);
      pause(begin + std::chrono::milliseconds(1));
    }
    ASSERT_FALSE(HasFatalFailure());
    std::printf("| %s | %s | %s | %s | %s | %s | %s |\n", name, at(of_torque, 0.5).c_str(), at(of_torque, 0.99).c_str(),
                at(of_moves, 0.5).c_str(), at(of_moves, 0.99).c_str(), at(of_read, 0.5).c_str(),
                at(of_read, 0.99).c_str());
  }
  ASSERT_EQ(watcher->update(now, period), controller_interface::return_type::OK);  // the arm is held
  EXPECT_NEAR(watcher->q[1], 0.6, 1e-3);
  EXPECT_NEAR(watcher->q[3], 1.2, 1e-3);
}

TEST_F(UpdateTimes, ByWhatTheLoopDoesInBetween) { print_times(""); }

TEST_F(UpdateTimes, WithEveryFeatureOn) { print_times(every_feature); }

}  // namespace
}  // namespace dyn_controllers::test
