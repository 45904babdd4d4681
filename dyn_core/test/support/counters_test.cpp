// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The counters that prove the real-time path clean must see everything themselves.
#include <gtest/gtest.h>
#include <malloc.h>
#include <semaphore.h>
#include <sys/mman.h>

#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <thread>

#include "dyn_core/numeric/types.hpp"
#include "dyn_core/sanitized.hpp"
#include "support/allocation_counter.hpp"
#include "support/lock_counter.hpp"

namespace dyn::test {
namespace {

void* volatile sink = nullptr;  // keeps the compiler from leaving the pair out

template <class Allocate>
AllocationCount allocate_and_free(Allocate&& allocate) {
  return count_allocations([&] {
    sink = allocate();
    std::free(sink);
  });
}

void expect_one(const AllocationCount& count) {
  EXPECT_EQ(count.allocations, 1);
  EXPECT_EQ(count.frees, 1);
}

TEST(AllocationCounter, SeesAllOfMallocsFamily) {
  expect_one(allocate_and_free([] { return std::malloc(100); }));
  expect_one(allocate_and_free([] { return std::calloc(10, 10); }));
  expect_one(allocate_and_free([] { return std::realloc(nullptr, 100); }));
  expect_one(allocate_and_free([] { return std::aligned_alloc(64, 128); }));
  expect_one(allocate_and_free([] { return memalign(64, 128); }));
  expect_one(allocate_and_free([] {
    void* p = nullptr;
    return posix_memalign(&p, 64, 128) == 0 ? p : nullptr;
  }));
}

TEST(AllocationCounter, SeesOperatorNewInAllItsForms) {
  struct alignas(64) Wide {
    double x[8];
  };
  const auto count_new = [](auto&& make) {
    expect_one(count_allocations([&] {
      auto p = make();
      sink = p.get();
    }));
  };
  count_new([] { return std::make_unique<double>(1.0); });
  count_new([] { return std::make_unique<double[]>(10); });
  count_new([] { return std::make_unique<Wide>(); });
  count_new([] { return std::unique_ptr<double>(new (std::nothrow) double(1.0)); });
}

TEST(AllocationCounter, SeesTemporariesOfEigen) {
  const MatX<double> a = MatX<double>::Random(8, 8);
  MatX<double> b = a;
  EXPECT_GT(count_allocations([&] { b = a * b; }).allocations, 0);
  EXPECT_TRUE(count_allocations([&] { b.noalias() = a.lazyProduct(a); }).none());
}

TEST(AllocationCounter, CountsOnlyTheCallingThread) {
  const auto count = count_allocations([] {});
  EXPECT_TRUE(count.none());
  AllocationCount within;
  std::thread([&] { within = count_allocations([] { sink = std::malloc(10); }); }).join();
  EXPECT_EQ(within.allocations, 1);
  EXPECT_EQ(count_allocations([] { std::free(sink); }).frees, 1);
}

#ifndef DYN_SANITIZED
TEST(AllocationCounter, SeesMappings) {
  const auto count = count_allocations([] {
    void* p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(p, MAP_FAILED);
    *static_cast<int*>(p) = 1;
    munmap(p, 4096);
  });
  EXPECT_EQ(count.mappings, 2);
}
#endif

TEST(LockCounter, SeesMutexesConditionsAndSemaphores) {
  std::mutex mutex;
  std::shared_mutex shared;
  std::condition_variable condition;
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  EXPECT_EQ(count_lock_calls([] {}), 0);
  EXPECT_EQ(count_lock_calls([&] { const std::lock_guard lock(mutex); }), 2);
  EXPECT_EQ(count_lock_calls([&] { const std::shared_lock lock(shared); }), 2);
  EXPECT_EQ(count_lock_calls([&] { const std::unique_lock lock(shared); }), 2);
  EXPECT_EQ(count_lock_calls([&] { condition.notify_all(); }), 1);
  EXPECT_EQ(count_lock_calls([&] { sem_post(&semaphore); }), 1);
  EXPECT_EQ(count_lock_calls([&] { sem_wait(&semaphore); }), 1);
  sem_destroy(&semaphore);
}

TEST(LockCounter, WaitingStillWorks) {
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    ready = true;
    condition.notify_one();
  });
  std::unique_lock lock(mutex);
  condition.wait(lock, [&] { return ready; });
  lock.unlock();
  other.join();
  EXPECT_TRUE(ready);
}

}  // namespace
}  // namespace dyn::test
