// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Whole values from any number of writer threads to one loop thread. The loop never waits, allocates or frees; writers
// never wait for the loop; nothing is torn, lost or leaked.
//
// A value has one owner at any time: the Owned that holds it, or one of two atomic pointers in here:
//
//   fresh_    null  --publish (writer)-->  value  --take (loop)-->  null
//             value --publish (writer)-->  newer value: the loop never saw the older one, and the writer that
//                                          got it back from the exchange frees it. So only the newest value counts;
//                                          a value must therefore be whole, not a difference to the one before.
//             any   --offer (loop)----->   value that a writer made and the loop itself stores, at a cycle of its
//                                          choice; a value in fresh_ that was not taken yet is retired.
//   retired_  list  --retire (loop)--->  old value in front of the list
//             list  --collect (writer)-->  null: the writer got the whole list and frees it, or uses values of it
//                                          again.
//
// retire() takes the list out before it puts the longer one in. Between the two steps retired_ is null, and only the
// loop ever stores a value other than null there, so nothing can be overwritten: both steps are single exchanges,
// wait-free.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "dyn_core/precondition.hpp"
#include "dyn_core/realtime.hpp"

namespace dyn::lockfree {

template <class T>
class Handover;

// A value that can be handed over, or nothing. Made and freed by writers; the loop moves it and gives it to
// Handover::retire() when it no longer needs it.
template <class T>
class Owned {
 public:
  Owned() = default;
  template <class... Arguments>
  static Owned make(Arguments&&... arguments) {
    return Owned(std::make_unique<Node>(std::forward<Arguments>(arguments)...));
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Owned(Owned&&) noexcept = default;
  Owned& operator=(Owned&& other) noexcept {
    if (node_ != nullptr) realtime::forbid("freeing a value of a Handover");
    node_ = std::move(other.node_);
    return *this;
  }
  ~Owned() {
    if (node_ != nullptr) realtime::forbid("freeing a value of a Handover");
  }

  DYN_REALTIME explicit operator bool() const noexcept { return node_ != nullptr; }
  DYN_REALTIME T& operator*() const noexcept { return node_->value; }
  DYN_REALTIME T* operator->() const noexcept { return &node_->value; }

 private:
  friend class Handover<T>;
  struct Node {
    template <class... Arguments>
    explicit Node(Arguments&&... arguments) : value(std::forward<Arguments>(arguments)...) {}
    T value;
    Node* next_retired = nullptr;
  };
  explicit Owned(std::unique_ptr<Node> node) noexcept : node_(std::move(node)) {}
  std::unique_ptr<Node> node_;
};

template <class T>
class Handover {
 public:
  Handover() = default;
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;
  Handover(Handover&&) = delete;
  Handover& operator=(Handover&&) = delete;
  // No other thread may use the Handover any more.
  ~Handover() {
    free(fresh_.load(std::memory_order_relaxed));
    collect();
  }

  // Writers, any number at once: fresh_ becomes `value`, which must not be empty. Frees the value that was never seen
  // and all retired ones. Release: the loop that takes the value sees all that was written to it.
  void publish(Owned<T> value) noexcept {
    realtime::forbid("Handover::publish");
    DYN_EXPECTS(value);
    free(fresh_.exchange(value.node_.release(), std::memory_order_acq_rel));
    collect();
  }

  // Writers, any number at once: frees all retired values. Acquire: the loop's last writes to a value come before its
  // destructor.
  void collect() noexcept {
    collect([](Owned<T>) {});
  }
  // The same, and hands every retired value to `keep`, which may use it for another one.
  template <class Keep>
  void collect(const Keep& keep) {
    realtime::forbid("Handover::collect");
    Node* list = retired_.exchange(nullptr, std::memory_order_acquire);
    while (list != nullptr) {
      Owned<T> value{std::unique_ptr<Node>(list)};
      list = std::exchange(list->next_retired, nullptr);
      keep(std::move(value));
    }
  }

  // The loop: the newest value that was not taken yet, which the loop owns from now on; or nothing. The load before the
  // exchange saves a locked instruction in the usual cycle, in which nothing is new.
  [[nodiscard]] DYN_REALTIME Owned<T> take() noexcept {
    if (fresh_.load(std::memory_order_relaxed) == nullptr) return {};
    return Owned<T>(std::unique_ptr<Node>(fresh_.exchange(nullptr, std::memory_order_acquire)));
  }

  // The loop: publishes a value that a writer made and passed to it in some other way; writers free the one it
  // replaces.
  DYN_REALTIME void offer(Owned<T> value) noexcept {
    DYN_EXPECTS(value);
    retire(Owned<T>(std::unique_ptr<Node>(fresh_.exchange(value.node_.release(), std::memory_order_acq_rel))));
  }

  // The loop: gives back a value it has taken and no longer uses, or nothing; some writer will free it.
  DYN_REALTIME void retire(Owned<T> old) noexcept {
    if (!old) return;
    Node* const node = old.node_.release();
    node->next_retired = retired_.exchange(nullptr, std::memory_order_acquire);
    retired_.store(node, std::memory_order_release);
  }

 private:
  using Node = typename Owned<T>::Node;

  static void free(Node* node) noexcept { const std::unique_ptr<Node> last_owner(node); }

  static_assert(std::atomic<Node*>::is_always_lock_free);
  std::atomic<Node*> fresh_{nullptr};
  std::atomic<Node*> retired_{nullptr};
};

}  // namespace dyn::lockfree
