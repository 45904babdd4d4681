// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The loop of `dyn run`, events included: what the runner counts on the loop's thread is here every call of malloc's
// family, free, mmap, and of mutexes, read-write locks, conditions and semaphores. There is to be none.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "dyn_sim/run/runner.hpp"
#include "run/loop_allocations.hpp"
#include "support/allocation_counter.hpp"
#include "support/lock_counter.hpp"

namespace dyn::sim {

std::int64_t allocations_of_this_thread() noexcept {
  const auto count = dyn::test::allocations_of_this_thread();
  return count.allocations + count.frees + count.mappings + dyn::test::lock_calls_of_this_thread();
}
bool allocations_are_counted() noexcept { return true; }

namespace {

constexpr int swaps = 1000;  // of models and of plants, of algorithms, of gains
#ifdef DYN_TEST_MUJOCO
constexpr std::array engines{"native", "mujoco"};
#else
constexpr std::array engines{"native"};
#endif

std::filesystem::path write_configuration(const std::string& engine) {
  const auto file = std::filesystem::temp_directory_path() / ("loop_proof_" + std::to_string(getpid()) + ".yaml");
  std::ofstream yaml(file);
  yaml << "robot: arm7\nrate_hz: 1000\nduration_s: " << 0.2 + 0.003 * swaps << '\n'
       << "plant: {engine: " << engine << ", friction: false}\n"
       << "controller: {gains: {default: {p: 400, d: 40}}, validation: {mode: gate, rate: 100}}\n"
       << "trajectory: {type: quintic, velocity_scale: 0.5, way_points: [[0, 0, 0, 0, 0, 0, 0], "
       << "[0.9, 0.5, -0.6, 0.9, 0.7, -0.5, 1.0], [0, 0, 0, 0, 0, 0, 0]]}\nevents:\n";
  for (int k = 0; k < swaps; ++k) {
    const double at = 0.1 + 0.003 * k;
    yaml << "  - {at: " << at << ", ";
    if (k % 2 == 0) {
      yaml << "attach: {name: box, link: tool0, mass: 2.0, com: [0, 0, 0.06], inertia: [0.007, 0, 0, 0.007, 0, "
              "0.006]}}\n";
    } else {
      yaml << "detach: box, transition_time: 0.002}\n";
    }
    yaml << "  - {at: " << at + 0.001 << ", set: {jsim_algorithm: " << (k % 2 == 0 ? "gdahj" : "crba") << "}}\n"
         << "  - {at: " << at + 0.002 << ", set: {gains.joint1.p: " << 400 + k % 7 << "}}\n";
  }
  return file;
}

class RunLoopProof : public testing::TestWithParam<const char*> {};

TEST_P(RunLoopProof, NeitherAllocatesNorLocksThroughAThousandEventsOfEachKind) {
  const auto file = write_configuration(GetParam());
  const RunConfig config = load_run_config(file);
  std::filesystem::remove(file);
  RunOptions options;
  options.fast = true;
  const RunRecord record = run_closed_loop(config, options);
  EXPECT_EQ(record.cycles, 200U + 3U * swaps);
  EXPECT_EQ(record.allocations_in_loop, 0);
  ASSERT_EQ(record.arms.size(), 1U);
  ASSERT_EQ(record.arms[0].events.size(), 3U * swaps);
  for (const EventRecord& event : record.arms[0].events) {
    EXPECT_EQ(event.error, "");
    EXPECT_NEAR(event.applied_s, event.planned_s, 1e-6) << event.label;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, RunLoopProof, testing::ValuesIn(engines),
                         [](const auto& engine) { return std::string(engine.param); });

}  // namespace
}  // namespace dyn::sim
