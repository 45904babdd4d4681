// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "bench/measure.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace dyn::bench {
namespace {

using Clock = std::chrono::steady_clock;

double elapsed_ns(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

void pin() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(std::max(0, sched_getcpu()), &set);
  sched_setaffinity(0, sizeof(set), &set);
}

double quantile(std::vector<double> values, double at) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(at * static_cast<double>(values.size() - 1))];
}

// Calls in one turn: long enough for the clock's resolution, short enough to fit between two interrupts.
int calls_of_a_turn(const Contestant& contestant, int states) {
  int calls = 1;
  while (calls < states) {
    const auto start = Clock::now();
    contestant.run(0, calls);
    if (elapsed_ns(start) > 100e3) break;
    calls *= 2;
  }
  return std::min(calls, states);
}

class ColdCache {
 public:
  explicit ColdCache(int megabytes) : memory_(static_cast<size_t>(megabytes) << 17U) {}
  double time(const Contestant& contestant, int state) {
    for (size_t i = 0; i < memory_.size(); i += 8) ++memory_[i];
    contestant.run(state, 0);  // what leads to the library's call is not what is measured
    const auto empty = Clock::now();
    const double overhead = elapsed_ns(empty);
    const auto start = Clock::now();
    contestant.run(state, 1);
    return std::max(0.0, elapsed_ns(start) - overhead);
  }

 private:
  std::vector<std::ptrdiff_t> memory_;
};

}  // namespace

std::vector<Times> measure(const std::vector<Contestant>& contestants, const Effort& effort) {
  pin();
  const size_t n = contestants.size();
  std::vector<int> calls(n);
  for (size_t k = 0; k < n; ++k) calls[k] = calls_of_a_turn(contestants[k], effort.states);
  std::vector<std::vector<double>> samples(n);
  std::vector<std::vector<double>> cold(n);
  for (int round = 0; round < effort.rounds; ++round) {
    for (size_t k = 0; k < n; ++k) {
      const int first = (round * calls[k]) % (effort.states - calls[k] + 1);
      contestants[k].run(first, calls[k]);  // warm-up
      const auto start = Clock::now();
      contestants[k].run(first, calls[k]);
      samples[k].push_back(elapsed_ns(start) / calls[k]);
    }
  }
  ColdCache cache(effort.cold_megabytes);
  for (int round = 0; round < effort.cold_calls; ++round) {
    for (size_t k = 0; k < n; ++k) cold[k].push_back(cache.time(contestants[k], round % effort.states));
  }
  std::vector<Times> times(n);
  for (size_t k = 0; k < n; ++k) {
    times[k] = {quantile(samples[k], 0.5), quantile(samples[k], 0.0), quantile(samples[k], 0.1),
                quantile(samples[k], 0.9), cold[k].empty() ? 0.0 : quantile(cold[k], 0.5)};
  }
  return times;
}

}  // namespace dyn::bench
