// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One arm's part of the loop of `dyn run`.
#include "run/arm_loop.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

namespace dyn::sim {
namespace {

// Its forward dynamics have no answer.
RunConfig arm_that_fails() {
  const auto file = std::filesystem::temp_directory_path() / ("arm_loop_" + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "robot: " << DYN_SINGULAR_TIP << "\nduration_s: 1\ncontroller: {validation: {mode: 'off'}}\n"
                      << "trajectory: {type: sinusoid, amplitude: 0.5}\n";
  RunConfig config = load_run_config(file);
  std::filesystem::remove(file);
  return config;
}

// The time of a cycle is that of the arms that still move.
TEST(ArmLoop, AnArmThatHasFailedTakesNoTime) {
  const RunConfig config = arm_that_fails();
  const std::atomic<bool> give_up{false};
  ArmRecord record;
  ArmView view;
  ArmLoop arm(config.arms.at(0), config.rate_hz, config.duration_s, give_up, record, view);
  arm.preallocate();
  std::int64_t cycle = 0;
  for (; cycle < 1000 && !arm.failed(); ++cycle) arm.cycle(cycle, static_cast<double>(cycle) / config.rate_hz);
  ASSERT_TRUE(arm.failed());
  EXPECT_GT(arm.last_update_ns(), 0.0);
  const int rows = record.rows;
  arm.cycle(cycle, static_cast<double>(cycle) / config.rate_hz);
  EXPECT_EQ(arm.last_update_ns(), 0.0);
  EXPECT_EQ(record.rows, rows);
}

}  // namespace
}  // namespace dyn::sim
