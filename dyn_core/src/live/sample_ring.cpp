// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/live/sample_ring.hpp"

namespace dyn::live {

SampleRing::SampleRing(int slots, int max_coordinates, int max_bodies) : slots_(static_cast<std::size_t>(slots)) {
  const auto n = static_cast<std::size_t>(max_coordinates);
  for (Sample& sample : slots_) {
    for (auto* vector : {&sample.q, &sample.v, &sample.Cv, &sample.g}) vector->resize(n);
    sample.M.resize(n * n);
    sample.ramps.resize(static_cast<std::size_t>(max_bodies));
  }
}

// The producer alone writes written_, the consumer alone released_; each reads the other's with acquire, so that a
// slot's contents are seen whole, and is not overwritten while it is read.
Sample* SampleRing::next() noexcept {
  const std::uint64_t written = written_.load(std::memory_order_relaxed);
  const bool full = written - released_.load(std::memory_order_acquire) >= slots_.size();
  return full ? nullptr : &slots_[written % slots_.size()];
}

Sample* SampleRing::begin() noexcept {
  Sample* const slot = next();
  if (slot == nullptr) dropped_.fetch_add(1, std::memory_order_relaxed);
  return slot;
}

void SampleRing::commit() noexcept {
  written_.store(written_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

const Sample* SampleRing::front() noexcept {
  const std::uint64_t released = released_.load(std::memory_order_relaxed);
  if (released == written_.load(std::memory_order_acquire)) return nullptr;
  return &slots_[released % slots_.size()];
}

void SampleRing::release() noexcept {
  released_.store(released_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

}  // namespace dyn::live
