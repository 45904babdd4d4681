// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The closed loop of `dyn run`: every arm's controller and plant, once a cycle, in real time or as fast as possible.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "dyn_sim/run/record.hpp"

namespace dyn::sim {

// The loop's view of one arm while it runs; written by the loop, read by any thread.
struct ArmView {
  static constexpr int most_joints = 16;  // at most so many are shown
  struct JointView {
    std::atomic<double> q{0.0}, error{0.0}, effort{0.0}, external{0.0};
  };
  std::array<JointView, most_joints> joints;
  std::atomic<double> residual{0.0};  // the validator's newest
  std::atomic<int> jsim{0};           // index of the algorithm
  std::atomic<int> payloads{0};       // number attached to the plant
  std::atomic<bool> collision{false}, saturated{false}, holding{false}, failed{false};
};

struct LiveView {
  std::atomic<double> time_s{0.0};
  std::atomic<double> worst_error{0.0};  // of the last cycle and any arm, rad or m
  std::atomic<double> update_ns{0.0};    // of the last cycle, all arms
  std::atomic<double> worst_update_ns{0.0};
  std::atomic<std::uint64_t> overruns{0};
  std::atomic<bool> stopping{false};           // the arms are being brought to rest
  std::vector<std::unique_ptr<ArmView>> arms;  // filled before the loop begins
};

struct RunOptions {
  bool fast = false;
  double duration_s = 0.0;  // 0: what the configuration says
  // Set from outside to end early: 1 brings the arms to rest first, unless that takes too long; 2 ends the loop at
  // once.
  std::atomic<int>* stop = nullptr;
  std::function<void(const LiveView&)> watch;  // called some ten times a second from the calling thread
};

inline double planned_duration_s(const RunConfig& config, const RunOptions& options) {
  return options.duration_s > 0.0 ? options.duration_s : config.duration_s;
}

// Throws ModelError if the run cannot start; a run that has started always ends with a record.
RunRecord run_closed_loop(const RunConfig& config, const RunOptions& options);

}  // namespace dyn::sim
