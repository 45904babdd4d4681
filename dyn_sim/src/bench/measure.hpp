// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Times of contestants for the same task on the same states, taken in turns in one process on one core.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dyn::bench {

struct Contestant {
  std::string task;  // as it is printed: M, C, g, h, M+C+g, inverse, ..
  std::string library;
  std::string algorithm;
  std::function<void(int first, int count)> run;  // calls on states [first, first + count)
  double differs = 0.0;                           // of a peer: largest relative difference from this project's numbers
  bool generated = false;                         // code written for this one robot
};

struct Times {  // ns a call
  double median = 0.0, lowest = 0.0, p10 = 0.0, p90 = 0.0, cold = 0.0;
};

struct Effort {
  int states = 1024;
  int rounds = 60;
  int cold_calls = 40;
  int cold_megabytes = 8;  // of other data that is written before a cold call
};

// Pins the thread to its present core; in each round every contestant has one turn. Cold: one call after other memory
// larger than the second-level cache was written, less the time of an empty call; the median.
[[nodiscard]] std::vector<Times> measure(const std::vector<Contestant>& contestants, const Effort& effort);

}  // namespace dyn::bench
