// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// DYN_EXPECTS(condition) checks what a public function asks of its caller (sizes, indices, ranges, the order of calls:
// stated where the function is declared) in debug and test builds, those with DYN_REALTIME_GUARD. A caller that breaks
// it ends the program with the condition, the file and the line. A release build evaluates nothing. Input of users
// (files, parameters, states that are not finite) is no precondition: it is answered by a ModelError or a Status.
#pragma once

namespace dyn {

// Always in the library, so that a checked program may use an unchecked library. Ends the program; allocates nothing
// before.
[[noreturn]] void precondition_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace dyn

#ifdef DYN_REALTIME_GUARD
#define DYN_EXPECTS(condition) \
  static_cast<bool>(condition) ? static_cast<void>(0) : ::dyn::precondition_failed(#condition, __FILE__, __LINE__)
#else
#define DYN_EXPECTS(condition) static_cast<void>(0)
#endif
