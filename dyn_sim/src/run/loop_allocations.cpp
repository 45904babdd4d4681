// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "loop_allocations.hpp"

#include <cerrno>
#include <cstddef>

#include "dyn_core/realtime.hpp"
#include "dyn_core/sanitized.hpp"

#if defined(__GLIBC__) && !defined(DYN_SANITIZED)
#define DYN_COUNTS_ALLOCATIONS 1
#endif

namespace {
thread_local std::int64_t allocations = 0;

[[maybe_unused]] void note_allocation() noexcept {
  ++allocations;
  dyn::realtime::forbid("allocating memory");
}
}  // namespace

#ifdef DYN_COUNTS_ALLOCATIONS
// glibc's functions, under the names that it provides for programs that replace them.
extern "C" {
void* __libc_malloc(std::size_t size);                           // NOLINT
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT
void* __libc_realloc(void* old, std::size_t size);               // NOLINT
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT

void* malloc(std::size_t size) noexcept {
  note_allocation();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  note_allocation();
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  note_allocation();
  return __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  note_allocation();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  note_allocation();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  note_allocation();
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
}
#endif

namespace dyn::sim {

std::int64_t allocations_of_this_thread() noexcept { return allocations; }

bool allocations_are_counted() noexcept {
#ifdef DYN_COUNTS_ALLOCATIONS
  return true;
#else
  return false;
#endif
}

}  // namespace dyn::sim
