// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The newest value from one thread to another, neither ever waits: references from a subscription to the loop, samples
// of the state from the loop to a publisher. Three slots: one is being written, one is being read, one is shared; both
// sides exchange theirs for the shared one. Memory comes once, with the value that all slots start as.
#pragma once

#include <array>
#include <atomic>

#include "dyn_core/error.hpp"

namespace dyn_controllers {

template <class T>
class TripleBuffer {
 public:
  explicit TripleBuffer(const T& first) : slots_{first, first, first} {}

  // The writer: fill, then publish(). A value that nobody has read is overwritten.
  DYN_REALTIME T& back() noexcept { return slots_[back_]; }
  // Release: who takes the slot sees what was written to it. Acquire: the reader is done with what comes back.
  DYN_REALTIME void publish() noexcept { back_ = shared_.exchange(back_ | fresh, std::memory_order_acq_rel) & index; }

  // The reader: true if there is something new at front() since the last call.
  DYN_REALTIME bool take() noexcept {
    if ((shared_.load(std::memory_order_relaxed) & fresh) == 0U) return false;
    front_ = shared_.exchange(front_, std::memory_order_acq_rel) & index;
    return true;
  }
  DYN_REALTIME const T& front() const noexcept { return slots_[front_]; }

 private:
  static constexpr unsigned index = 3U, fresh = 4U;
  static_assert(std::atomic<unsigned>::is_always_lock_free);
  std::array<T, 3> slots_;
  unsigned back_ = 0;   // the writer's
  unsigned front_ = 1;  // the reader's
  std::atomic<unsigned> shared_{2};
};

}  // namespace dyn_controllers
