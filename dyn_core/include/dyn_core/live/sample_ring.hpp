// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// From the loop to the validator: results of a cycle with the inputs that they were computed from. A lockfree::Ring
// whose producer is the loop and whose consumer is the validator's thread. A sample that finds the ring full, or does
// not fit into a slot, is dropped and counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "dyn_core/live/generation.hpp"
#include "dyn_core/lockfree/ring.hpp"
#include "dyn_core/numeric/types.hpp"

namespace dyn::live {

struct Sample {
  struct RampState {  // a body whose inertia is ramped from `start` to that of the sample's generation
    int body = -1;
    double progress = 1.0;  // of the linear blend, 0 to 1
    RampStart start;
  };

  std::uint64_t generation = 0;
  AlgorithmIndex algorithms;
  Vec3d gravity_mps2 = Vec3d::Zero();
  int n = 0;
  std::vector<double> q, v;      // n
  std::vector<double> M;         // n x n, column-major
  std::vector<double> Cv, g;     // n
  std::vector<RampState> ramps;  // ramp_count of them
  int ramp_count = 0;
};

class SampleRing {
 public:
  SampleRing(int slots, int max_coordinates, int max_bodies);

  // The loop: the next slot, or nullptr if the ring is full; counts no drop.
  [[nodiscard]] DYN_REALTIME Sample* next() noexcept { return ring_.next(); }
  // The loop: the slot to fill, or nullptr (and a drop is counted) if the ring is full; commit() hands it over.
  [[nodiscard]] DYN_REALTIME Sample* begin() noexcept {
    Sample* const slot = ring_.next();
    if (slot == nullptr) drop();
    return slot;
  }
  DYN_REALTIME void commit() noexcept { ring_.commit(); }
  // Instead of commit(): the sample does not fit into the slot.
  DYN_REALTIME void drop() noexcept { dropped_.fetch_add(1, std::memory_order_relaxed); }

  // The validator: the oldest sample or nullptr; release() gives the slot back.
  [[nodiscard]] const Sample* front() noexcept { return ring_.front(); }
  void release() noexcept { ring_.release(); }

  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t written() const noexcept { return ring_.committed(); }

 private:
  lockfree::Ring<Sample> ring_;
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace dyn::live
