// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Stores that bypass the caches, for results that do not fit into the last-level cache: ordinary stores would first
// read the lines that they overwrite, and evict lines that are still needed.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dyn {

// Bytes of the last-level cache; 32 MiB where the system does not say.
inline size_t last_level_cache() {
#if defined(_SC_LEVEL3_CACHE_SIZE)
  const long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (size > 0) return static_cast<size_t>(size);
#endif
  return size_t{32} << 20U;
}

// std::copy_n past the caches; finish_streaming() before another thread may read.
inline void stream(const double* from, size_t count, double* to) noexcept {
#if defined(__SSE2__)
  size_t i = 0;
  if (count > 0 && reinterpret_cast<std::uintptr_t>(to) % 16 != 0) to[i++] = from[0];
  for (; i + 2 <= count; i += 2) _mm_stream_pd(to + i, _mm_loadu_pd(from + i));
  if (i < count) to[i] = from[i];
#else
  std::copy_n(from, count, to);
#endif
}
inline void finish_streaming() noexcept {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace dyn
