// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Every value, in order, from one producer thread to one consumer thread; wait-free on both sides. All memory comes
// with the constructor: values are filled and read in their slots.
//
// A slot goes round through three owners:
//
//   free        the producer's: next() returns the one to fill next
//   committed   the consumer's: front() returns the oldest one
//   released    the producer's again, free at once; with AfterRelease::reclaim only after reclaim() has returned it, so
//               that the producer can free what the consumer left in it before it is filled anew
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "dyn_core/precondition.hpp"
#include "dyn_core/realtime.hpp"

namespace dyn::lockfree {

enum class AfterRelease : std::uint8_t { refill, reclaim };

template <class T, AfterRelease after_release = AfterRelease::refill>
class Ring {
 public:
  // `slots`, at least one, each T{} or a copy of `first` with its sizes.
  explicit Ring(std::size_t slots) : slots_(slots) { DYN_EXPECTS(slots > 0); }
  Ring(std::size_t slots, const T& first) : slots_(slots, first) { DYN_EXPECTS(slots > 0); }

  // The producer: the slot to fill; null if none is free. Acquire: the consumer is done with it.
  [[nodiscard]] DYN_REALTIME T* next() noexcept {
    const std::uint64_t count = committed_.load(std::memory_order_relaxed);
    std::uint64_t freed = reclaimed_;
    if constexpr (after_release == AfterRelease::refill) freed = released_.load(std::memory_order_acquire);
    return count - freed >= slots_.size() ? nullptr : &slots_[count % slots_.size()];
  }
  // The producer: hands over next(), which was not null. Release: the consumer sees what was written to it.
  DYN_REALTIME void commit() noexcept {
    DYN_EXPECTS(next() != nullptr);
    committed_.store(committed_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  // The producer: the oldest slot that was released and not yet reclaimed, or null; it is free from then on.
  [[nodiscard]] DYN_REALTIME T* reclaim() noexcept requires(after_release == AfterRelease::reclaim) {
    if (reclaimed_ == released_.load(std::memory_order_acquire)) return nullptr;
    return &slots_[reclaimed_++ % slots_.size()];
  }

  // The consumer: the oldest slot that was handed over, or null. Acquire: all that was written to it is seen.
  [[nodiscard]] DYN_REALTIME T* front() noexcept {
    const std::uint64_t count = released_.load(std::memory_order_relaxed);
    return count == committed_.load(std::memory_order_acquire) ? nullptr : &slots_[count % slots_.size()];
  }
  // The consumer: gives back front(), which was not null. Release: the producer sees what was done to it.
  DYN_REALTIME void release() noexcept {
    DYN_EXPECTS(front() != nullptr);
    released_.store(released_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  // Any thread: how many slots were committed, and released, so far.
  [[nodiscard]] DYN_REALTIME std::uint64_t committed() const noexcept {
    return committed_.load(std::memory_order_acquire);
  }
  [[nodiscard]] DYN_REALTIME std::uint64_t released() const noexcept {
    return released_.load(std::memory_order_acquire);
  }
  [[nodiscard]] DYN_REALTIME std::size_t slots() const noexcept { return slots_.size(); }

 private:
  std::vector<T> slots_;
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  std::atomic<std::uint64_t> committed_{0};  // by the producer
  std::atomic<std::uint64_t> released_{0};   // by the consumer
  std::uint64_t reclaimed_ = 0;              // the producer's own
};

}  // namespace dyn::lockfree
