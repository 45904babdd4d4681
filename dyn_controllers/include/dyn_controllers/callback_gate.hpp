// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The executor calls timers, subscriptions and services from threads of its own, while the controller manager cleans a
// controller up in another one. rclcpp keeps the timer alive whose callback is running, but not the object that the
// callback uses. So whoever gives callbacks with its `this` lets them pass a gate: destroying the gate waits until all
// that are inside have returned, and those that come later do nothing. It is the owner's last member, which is
// destroyed first. Not for the loop.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace dyn_controllers {

class CallbackGate {
 public:
  CallbackGate() : state_(std::make_shared<State>()) {}
  ~CallbackGate() { close(); }
  CallbackGate(const CallbackGate&) = delete;
  CallbackGate& operator=(const CallbackGate&) = delete;
  CallbackGate(CallbackGate&&) = delete;
  CallbackGate& operator=(CallbackGate&&) = delete;

  // `callback`, of the same arguments and without a result, as long as the gate is open.
  template <class Callback>
  [[nodiscard]] auto guard(Callback callback) const {
    return guarded(std::function(std::move(callback)));
  }
  // Not from a callback of this gate, which would wait for itself.
  void close() noexcept {
    state_->closed = true;
    const std::scoped_lock all_have_left(state_->inside);
  }

 private:
  struct State {
    std::atomic<bool> closed{false};
    std::shared_mutex inside;  // shared by the callbacks that run: callback groups say which may run at once
  };

  template <class... Arguments>
  [[nodiscard]] auto guarded(std::function<void(Arguments...)> callback) const {
    return [state = state_, callback = std::move(callback)](Arguments... arguments) {
      const std::shared_lock enter(state->inside);
      if (!state->closed) callback(std::forward<Arguments>(arguments)...);
    };
  }

  std::shared_ptr<State> state_;
};

}  // namespace dyn_controllers
