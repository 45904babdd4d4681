// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The newest value from one thread to another, neither of which ever waits: references from a subscription to the loop,
// samples of the state from the loop to a publisher. Only the constructor allocates.
//
// Three slots, each with one owner:
//
//   back    the writer's: filled without haste       publish(): back <-> shared, which is marked fresh
//   shared  nobody's, in an atomic index             take():    shared <-> front, if it is fresh
//   front   the reader's: stays as it is until the reader takes again
//
// A value that nobody has taken when the next one is published is overwritten.
#pragma once

#include <array>
#include <atomic>

#include "dyn_core/realtime.hpp"

namespace dyn::lockfree {

template <class T>
class Latest {
 public:
  // All three slots start as copies of `first`, with its sizes.
  explicit Latest(const T& first) : slots_{first, first, first} {}

  // The writer: the slot to fill; it holds some older value.
  DYN_REALTIME T& back() noexcept { return slots_[back_]; }
  // The writer: hands over back(). Release: who takes the slot sees what was written to it. Acquire: the reader is done
  // with what comes back.
  DYN_REALTIME void publish() noexcept { back_ = shared_.exchange(back_ | fresh, std::memory_order_acq_rel) & index; }

  // The reader: true if front() is now a value that was published after the last call.
  DYN_REALTIME bool take() noexcept {
    if ((shared_.load(std::memory_order_relaxed) & fresh) == 0U) return false;
    front_ = shared_.exchange(front_, std::memory_order_acq_rel) & index;
    return true;
  }
  // The reader: the value taken last; `first` before that.
  [[nodiscard]] DYN_REALTIME const T& front() const noexcept { return slots_[front_]; }

 private:
  static constexpr unsigned index = 3U, fresh = 4U;
  static_assert(std::atomic<unsigned>::is_always_lock_free);
  std::array<T, 3> slots_;
  unsigned back_ = 0;   // the writer's
  unsigned front_ = 1;  // the reader's
  std::atomic<unsigned> shared_{2};
};

}  // namespace dyn::lockfree
