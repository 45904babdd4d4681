// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// DYN_SANITIZED: AddressSanitizer or ThreadSanitizer has taken the place of malloc. GCC says so by a macro, Clang by a
// feature.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DYN_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DYN_SANITIZED 1
#endif
#endif
