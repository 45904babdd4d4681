// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A mailbox for whole values between any number of writer threads and one loop thread. The loop never waits, allocates
// or frees; writers never wait for the loop; nothing is torn, lost or leaked.
//
// Two atomic pointers, and who may do what with them:
//
//   fresh_    null  --publish (writer)-->  value  --take (loop)-->  null
//             value --publish (writer)-->  newer value: the older one was never seen by the loop and the writer, who
//                                          got it back from the exchange, frees it. So only the newest value counts;
//                                          a value must therefore be whole, not a change to the one before.
//             any   --offer (loop)----->   value that a writer made and the loop itself puts in at a cycle of its
//                                          choice; one that was never seen goes to the retired ones.
//   retired_  list  --retire (loop)--->  old value in front of the list
//             list  --collect (writer)-->  null: the writer got the whole list and frees it.
//
// retire() takes the list out before it puts the longer one in. Between the two steps retired_ is null, and only the
// loop ever stores a value other than null there, so nothing can be overwritten: both steps are single exchanges,
// wait-free.
#pragma once

#include <atomic>
#include <memory>

#include "dyn_core/error.hpp"

namespace dyn::live {

// T has a member `T* next_retired = nullptr` for the list of retired values.
template <class T>
class Handover {
 public:
  Handover() = default;
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;
  Handover(Handover&&) = delete;
  Handover& operator=(Handover&&) = delete;
  ~Handover() {
    delete fresh_.load(std::memory_order_relaxed);
    collect();
  }

  // Writers. Release: the loop that takes the value sees all that was written to it.
  void publish(std::unique_ptr<T> value) noexcept {
    delete fresh_.exchange(value.release(), std::memory_order_acq_rel);
    collect();
  }

  // Writers. Acquire: the loop's last writes to a value come before its destructor.
  void collect() noexcept {
    T* list = retired_.exchange(nullptr, std::memory_order_acquire);
    while (list != nullptr) {
      T* const next = list->next_retired;
      delete list;
      list = next;
    }
  }

  // The loop: the newest value nobody has taken yet, or null. The look before the exchange spares the usual cycle, in
  // which nothing is new, a locked instruction.
  DYN_REALTIME T* take() noexcept {
    if (fresh_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    return fresh_.exchange(nullptr, std::memory_order_acquire);
  }

  // The loop publishes what a writer has made and handed to it some other way: freeing is left to writers.
  DYN_REALTIME void offer(std::unique_ptr<T> value) noexcept {
    retire(fresh_.exchange(value.release(), std::memory_order_acq_rel));
  }

  // The loop gives back a value it has taken and no longer uses; some writer will free it.
  DYN_REALTIME void retire(T* old) noexcept {
    if (old == nullptr) return;
    old->next_retired = retired_.exchange(nullptr, std::memory_order_acquire);
    retired_.store(old, std::memory_order_release);
  }

 private:
  static_assert(std::atomic<T*>::is_always_lock_free);
  std::atomic<T*> fresh_{nullptr};
  std::atomic<T*> retired_{nullptr};
};

}  // namespace dyn::live
