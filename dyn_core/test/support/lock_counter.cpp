// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Each function counts and calls the next one of its name, found once.
#include "support/lock_counter.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdlib>

namespace dyn::test {
namespace {
thread_local std::int64_t count = 0;
}  // namespace
std::int64_t lock_calls_of_this_thread() noexcept { return count; }

namespace {
// Conditions have an older version of the same name, which dlsym may give: ask for the present one first.
void* next(const char* name, const char* version) {
  void* f = version != nullptr ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  if (f == nullptr) f = dlsym(RTLD_NEXT, name);
  if (f == nullptr) std::abort();
  return f;
}
}  // namespace
}  // namespace dyn::test

// A plain atomic, no local static with a guard: dlsym may come back here on its way.
#define DYN_COUNTED(version, name, parameters, arguments, exceptions)  \
  extern "C" int name parameters exceptions {                          \
    using Function = int(*) parameters;                                \
    static std::atomic<Function> following{nullptr};                   \
    Function f = following.load(std::memory_order_relaxed);            \
    if (f == nullptr) {                                                \
      f = reinterpret_cast<Function>(dyn::test::next(#name, version)); \
      following.store(f, std::memory_order_relaxed);                   \
    }                                                                  \
    ++dyn::test::count;                                                \
    return f arguments;                                                \
  }
#define DYN_CONDITION "GLIBC_2.3.2"

DYN_COUNTED(nullptr, pthread_mutex_lock, (pthread_mutex_t * m), (m), noexcept)
DYN_COUNTED(nullptr, pthread_mutex_trylock, (pthread_mutex_t * m), (m), noexcept)
DYN_COUNTED(nullptr, pthread_mutex_timedlock, (pthread_mutex_t * m, const timespec* t), (m, t), noexcept)
DYN_COUNTED(nullptr, pthread_mutex_unlock, (pthread_mutex_t * m), (m), noexcept)
DYN_COUNTED(nullptr, pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l), noexcept)
DYN_COUNTED(nullptr, pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l), noexcept)
DYN_COUNTED(nullptr, pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l), noexcept)
DYN_COUNTED(nullptr, pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l), noexcept)
DYN_COUNTED(nullptr, pthread_rwlock_unlock, (pthread_rwlock_t * l), (l), noexcept)
DYN_COUNTED(nullptr, pthread_spin_lock, (pthread_spinlock_t * l), (l), noexcept)
DYN_COUNTED(nullptr, pthread_spin_trylock, (pthread_spinlock_t * l), (l), noexcept)
DYN_COUNTED(nullptr, pthread_spin_unlock, (pthread_spinlock_t * l), (l), noexcept)
DYN_COUNTED(nullptr, sem_trywait, (sem_t * s), (s), noexcept)
DYN_COUNTED(nullptr, sem_post, (sem_t * s), (s), noexcept)
DYN_COUNTED(nullptr, sem_wait, (sem_t * s), (s), )
DYN_COUNTED(nullptr, sem_timedwait, (sem_t * s, const timespec* t), (s, t), )
DYN_COUNTED(DYN_CONDITION, pthread_cond_signal, (pthread_cond_t * c), (c), noexcept)
DYN_COUNTED(DYN_CONDITION, pthread_cond_broadcast, (pthread_cond_t * c), (c), noexcept)
DYN_COUNTED(DYN_CONDITION, pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t* m), (c, m), )
DYN_COUNTED(DYN_CONDITION, pthread_cond_timedwait, (pthread_cond_t * c, pthread_mutex_t* m, const timespec* t),
            (c, m, t), )
DYN_COUNTED(nullptr, pthread_cond_clockwait, (pthread_cond_t * c, pthread_mutex_t* m, clockid_t k, const timespec* t),
            (c, m, k, t), )
