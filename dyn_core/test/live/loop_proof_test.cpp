// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The proof that the loop's thread allocates nothing, frees nothing and takes no lock, while everything around it
// changes: every call of these functions on its thread is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "dyn_core/control/controller.hpp"
#include "dyn_core/live/sample_ring.hpp"
#include "dyn_core/registry.hpp"
#include "live/arm.hpp"
#include "support/allocation_counter.hpp"
#include "support/lock_counter.hpp"
#include "support/wait.hpp"

namespace dyn::live {
namespace {

constexpr int swaps = 1000;  // of models, of algorithms and of gains

// Friction compensation goes on and off with the gains, so that one sees in the torque which ones are used.
control::Parameters with_gain(double p, bool marked) {
  control::Parameters parameters;
  parameters.friction_compensation = marked;
  parameters.gains.assign(3, {p, 40.0, 1.0, 1.0});
  parameters.collision_threshold = 100.0;
  parameters.passive_damping = 0.5;
  return parameters;
}

// The loop's report: the model, algorithms and gains that it has used.
struct Seen {
  std::atomic<std::uint64_t> generation{0};
  std::atomic<int> jsim{-1};
  std::atomic<bool> marked{false};
  std::atomic<bool> stop{false};
};

struct Counts {
  test::AllocationCount allocations;
  std::int64_t locks = 0, cycles = 0, bad = 0;
};

void loop(control::Controller& controller, Seen& seen, Counts& counts) {
  std::vector<double> q(5, 0.1), v(5, 0.1), a(5, 0.0), far(5, 0.1), effort(5, 0.0);
  const auto run = [&] {
    controller.activate({q, v});
    for (; !seen.stop.load(std::memory_order_acquire); ++counts.cycles) {
      const double t = 1e-3 * static_cast<double>(counts.cycles);
      for (size_t i = 0; i < 5; ++i) q[i] = std::sin(t + static_cast<double>(i));
      for (size_t i = 0; i < 5; ++i) far[i] = q[i] + 1e-3;
      if (counts.cycles % 1000 == 999) q[0] = std::nan("");  // the handling of faults too
      const auto report = controller.step({q, v}, {far, v, a, counts.cycles % 7 != 0}, effort);
      counts.bad += report.status.ok() ? 0 : 1;
      controller.warm_up();
      std::this_thread::yield();  // in place of the sleep of a real loop
      if (!report.status.ok()) continue;
      seen.generation.store(report.generation, std::memory_order_release);
      seen.jsim.store(report.algorithms.jsim, std::memory_order_release);
      seen.marked.store(controller.terms().friction[0] != 0.0, std::memory_order_release);
    }
  };
  counts.locks = test::count_lock_calls([&] { counts.allocations = test::count_allocations(run); });
}

// Writers wait until the loop has used what they wrote: each of the swaps is one.
void swap_models(LiveModel& live, const Seen& seen) {
  for (int k = 0; k < swaps; ++k) {
    Applied applied;
    switch (k % 4) {
      case 0: applied = live.attach(test::box("box", 1.0 + 1e-3 * k), k % 8 == 0 ? 0.01 : 0.0); break;
      case 1: applied = live.attach(test::bucket("bucket"), 0.0); break;
      case 2: applied = live.detach("box", 0.005); break;
      default: applied = live.detach("bucket", 0.0); break;
    }
    const auto used = [&] { return seen.generation.load(std::memory_order_acquire) == applied.generation; };
    if (!test::wait_until(used, "the loop uses the new model")) return;
  }
}

void swap_algorithms(LiveModel& live, const Seen& seen) {
  const auto& jsims = AlgorithmList<JsimAlgorithms<double>>::names;
  const auto& coriolis_names = AlgorithmList<CoriolisAlgorithms<double>>::names;
  for (size_t k = 1; k <= swaps; ++k) {
    const auto name = jsims[k % jsims.size()];
    live.set_jsim(name);
    const auto used = [&] { return seen.jsim.load(std::memory_order_acquire) == AlgorithmIndex::find_jsim(name); };
    if (!test::wait_until(used, "the loop uses the new algorithm")) return;
    live.set_coriolis(coriolis_names[k % coriolis_names.size()]);
    if (k % 10 == 0) live.set_gravity({0.0, 0.0, -9.81 + 1e-3 * static_cast<double>(k)});
  }
}

void swap_gains(control::Controller& controller, const Seen& seen) {
  for (int k = 1; k <= swaps; ++k) {
    const bool marked = k % 2 == 1;
    controller.set_parameters(with_gain(100.0 + k, marked));
    const auto used = [&] { return seen.marked.load(std::memory_order_acquire) == marked; };
    if (!test::wait_until(used, "the loop uses the new gains")) return;
  }
}

TEST(LoopProof, TheLoopsThreadNeitherAllocatesNorLocks) {
  LiveOptions options;
  options.max_payload_dofs = 2;
  RobotDescription robot = test::small_arm();
  robot.joints[0].damping = 1.0;
  LiveModel live(robot, options);
  SampleRing ring(64, live.max_coordinates(), 5);
  control::Controller controller(live, control::Actuation::from_model(*live.newest_model(), {}),
                                 with_gain(100.0, false), 1e-3);
  controller.set_sample_ring(&ring);
  Seen seen;
  Counts counts;
  std::thread thread([&] { loop(controller, seen, counts); });
  std::thread reader([&] {
    while (!seen.stop.load(std::memory_order_acquire)) {
      if (ring.front() != nullptr) {
        ring.release();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    }
  });
  std::vector<std::thread> writers;
  writers.emplace_back([&] { swap_models(live, seen); });
  writers.emplace_back([&] { swap_algorithms(live, seen); });
  writers.emplace_back([&] { swap_gains(controller, seen); });
  for (auto& writer : writers) writer.join();
  seen.stop.store(true, std::memory_order_release);
  thread.join();
  reader.join();
  EXPECT_GE(counts.cycles, 2 * swaps);
  EXPECT_EQ(live.acquire(0.0).id, static_cast<std::uint64_t>(swaps));
  EXPECT_GT(counts.bad, 0) << "no cycle had a state that was not finite";
  EXPECT_EQ(counts.allocations.allocations, 0);
  EXPECT_EQ(counts.allocations.frees, 0);
  EXPECT_EQ(counts.allocations.mappings, 0);
  EXPECT_EQ(counts.locks, 0);
}

}  // namespace
}  // namespace dyn::live
