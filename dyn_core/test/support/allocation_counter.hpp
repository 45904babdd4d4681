// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Counts what must not happen on the real-time path, for the calling thread: every call of malloc's family (malloc,
// calloc, realloc, reallocarray, aligned_alloc, posix_memalign, memalign, valloc, pvalloc, and so operator new in all
// its forms), of free, and of mmap. Compile allocation_counter.cpp into the test program: it takes the place of these
// functions for the whole process, whichever library calls them. In a guarded program (realtime.hpp) they also fire
// where the loop calls them.
#pragma once

#include <cstdint>

namespace dyn::test {

struct AllocationCount {
  std::int64_t allocations = 0;  // malloc's family
  std::int64_t frees = 0;        // of anything but null
  std::int64_t mappings = 0;     // mmap, munmap, mremap

  [[nodiscard]] bool none() const { return allocations == 0 && frees == 0 && mappings == 0; }
};

// What the calling thread has done so far; differences count.
[[nodiscard]] AllocationCount allocations_of_this_thread() noexcept;

// Counts what `f` does.
template <class F>
[[nodiscard]] AllocationCount count_allocations(F&& f) {
  const AllocationCount before = allocations_of_this_thread();
  f();
  const AllocationCount after = allocations_of_this_thread();
  return {after.allocations - before.allocations, after.frees - before.frees, after.mappings - before.mappings};
}

}  // namespace dyn::test
