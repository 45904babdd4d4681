// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Two threads that set parameters at once: the second gets every chance to overtake the first where that holds no lock.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "control/rig.hpp"

namespace {
thread_local std::function<void()> after_unlock;
}  // namespace

extern "C" int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  using Function = int (*)(pthread_mutex_t*);
  static std::atomic<Function> following{nullptr};
  Function f = following.load();
  if (f == nullptr) following = f = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pthread_mutex_unlock"));
  const int result = f(mutex);
  if (after_unlock) after_unlock();
  return result;
}

namespace dyn::control {
namespace {

// The newest parameters, which later limits are checked against, are those that the loop takes.
TEST(TwoWriters, TheParametersOfTheLaterOneAreInForce) {
  Rig rig;
  Parameters first = plain_parameters(), second = plain_parameters();
  first.effort_limit = {7.0, 7.0, 7.0};
  std::atomic<bool> begin{false}, done{false};
  std::thread other([&] {
    while (!begin) std::this_thread::yield();
    rig.controller.set_parameters(second);
    done = true;
  });
  std::thread one([&] {
    after_unlock = [&] {
      begin = true;
      for (int k = 0; k < 100 && !done; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    rig.controller.set_parameters(first);
    after_unlock = nullptr;
  });
  one.join();
  other.join();
  Actuation unlimited = Rig::actuation(*rig.live.newest_model(), {}, References::any);
  unlimited.effort_limit[0] = MotionLimits::none;
  ASSERT_THROW(rig.controller.check_limits(unlimited), ModelError)
      << "the second set, without an effort limit, is newest";
  (void)rig.step();
  EXPECT_EQ(rig.controller.effort_bound(0), 100.0) << "and in force";
}

}  // namespace
}  // namespace dyn::control
