// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Definitions in the program itself come before the C library's, for every library of the process. Sanitizers have an
// allocator of their own that must not be replaced: there their hooks count.
#include "support/allocation_counter.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>

#include "dyn_core/realtime.hpp"
#include "dyn_core/sanitized.hpp"
#include "support/allocation_failure.hpp"

namespace dyn::test {
namespace {
thread_local AllocationCount count;  // no constructor, no destructor: safe from the first malloc to the last free
thread_local std::int64_t before_failure = -1;
}  // namespace

AllocationCount allocations_of_this_thread() noexcept { return count; }
void fail_allocation_after(std::int64_t allocations) noexcept { before_failure = allocations; }
bool allocation_has_failed() noexcept { return before_failure < 0; }

}  // namespace dyn::test

using dyn::test::before_failure, dyn::test::count;

namespace {
// In a guarded program this fires within the loop.
void count_allocation() noexcept {
  ++count.allocations;
  dyn::realtime::forbid("allocating memory");
}
void count_free(const volatile void* p) noexcept {
  if (p == nullptr) return;
  ++count.frees;
  dyn::realtime::forbid("freeing memory");
}
}  // namespace

#ifdef DYN_SANITIZED

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, size_t),
                                                         void (*)(const volatile void*));
namespace {
const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, size_t) { count_allocation(); }, [](const volatile void* p) { count_free(p); });
}  // namespace

#else

namespace {
bool fails() noexcept {
  if (before_failure < 0 || before_failure-- > 0) return false;
  errno = ENOMEM;
  return true;
}
}  // namespace

extern "C" {

// The allocator behind the replaced names; exported by glibc for this purpose.
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

void* malloc(size_t size) noexcept {
  count_allocation();
  return fails() ? nullptr : __libc_malloc(size);
}
void* calloc(size_t number, size_t size) noexcept {
  count_allocation();
  return fails() ? nullptr : __libc_calloc(number, size);
}
void* realloc(void* p, size_t size) noexcept {
  count_allocation();
  return fails() ? nullptr : __libc_realloc(p, size);
}
void* reallocarray(void* p, size_t number, size_t size) noexcept {
  count_allocation();
  size_t bytes = 0;
  if (__builtin_mul_overflow(number, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return fails() ? nullptr : __libc_realloc(p, bytes);
}
void* memalign(size_t alignment, size_t size) noexcept {
  count_allocation();
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) noexcept {
  count_allocation();
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** result, size_t alignment, size_t size) noexcept {
  count_allocation();
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void* p = fails() ? nullptr : __libc_memalign(alignment, size);
  if (p == nullptr) return ENOMEM;
  *result = p;
  return 0;
}
void* valloc(size_t size) noexcept { return memalign(sysconf(_SC_PAGESIZE), size); }
void* pvalloc(size_t size) noexcept {
  const size_t page = sysconf(_SC_PAGESIZE);
  return memalign(page, (size + page - 1) / page * page);
}
void free(void* p) noexcept {
  count_free(p);
  __libc_free(p);
}

void* mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) noexcept {
  ++count.mappings;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, length, protection, flags, fd, offset));
}
void* mmap64(void* address, size_t length, int protection, int flags, int fd, off64_t offset) noexcept {
  return mmap(address, length, protection, flags, fd, offset);
}
int munmap(void* address, size_t length) noexcept {
  ++count.mappings;
  return static_cast<int>(syscall(SYS_munmap, address, length));
}
void* mremap(void* address, size_t old_size, size_t new_size, int flags, ...) noexcept {
  ++count.mappings;
  va_list arguments;
  va_start(arguments, flags);
  void* wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  return reinterpret_cast<void*>(syscall(SYS_mremap, address, old_size, new_size, flags, wanted));
}

}  // extern "C"

#endif
