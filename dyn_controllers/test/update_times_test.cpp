// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// How long a cycle's parts take: joint_trajectory_controller, the computed-torque controller below it with everything
// that is on by default, and the simulated arm's read. Between two cycles the loop computes without a pause, or waits
// for the rest of a millisecond without sleeping, or walks through 4 MiB meanwhile, or sleeps. Prints docs/arms.md's
// table:  ctest --test-dir build-ros -R UpdateTimes -V
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
};

TEST_F(UpdateTimes, ByWhatTheLoopDoesInBetween) {
  start({0.0, 0.6, 0.0, 1.2, 0.0, 0.6, 0.0},
        {{"computed_torque_controller", "dyn_controllers/ComputedTorqueController"},
         {"joint_trajectory_controller", "joint_trajectory_controller/JointTrajectoryController"}});
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

}  // namespace
}  // namespace dyn_controllers::test
