// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The closed loop of `dyn run`: every arm's controller and plant, once a cycle, against the clock or as fast as it
// goes.
#pragma once

#include <atomic>
#include <functional>

#include "dyn_sim/run/record.hpp"

namespace dyn::sim {

// What the loop shows of itself while it runs; written by the loop, read by whoever looks.
struct LiveView {
  std::atomic<double> time_s{0.0};
  std::atomic<double> worst_error{0.0};  // of the last cycle, rad or m
  std::atomic<double> update_ns{0.0};    // of the last cycle
  std::atomic<double> residual{0.0};     // newest of any validator
  std::atomic<std::uint64_t> overruns{0};
  std::atomic<int> jsim{0};      // index of the first arm's algorithm
  std::atomic<int> payloads{0};  // of the first arm's plant
};

struct RunOptions {
  bool fast = false;
  double duration_s = 0.0;                     // 0: what the configuration says
  std::atomic<bool>* stop = nullptr;           // set from outside to end early
  std::function<void(const LiveView&)> watch;  // called some ten times a second from the calling thread
};

// Throws ModelError where the run cannot begin; a run that has begun always ends with a record.
RunRecord run_closed_loop(const RunConfig& config, const RunOptions& options);

}  // namespace dyn::sim
