// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// DYN_REALTIME marks functions of the real-time path: no allocation, lock, system call, exception, string or map; loops
// are bounded. Whatever the loop may call is marked.
//
// In debug and test builds (DYN_REALTIME_GUARD) this is checked at run time. A realtime::Scope at each entry point of
// the loop (Controller::step, LiveModel::acquire, ...) says that the thread is in its cycle; what must not happen there
// (attaching, building models, publishing, allocating, logging) begins with forbid(), which then ends the program with
// the names of both. A release build checks nothing.
#pragma once

#define DYN_REALTIME

namespace dyn::realtime {

// Always in the library, so that a guarded program may use an unguarded library; called in guarded builds only.
void enter(const char* entry_point) noexcept;
void leave() noexcept;
void check(const char* what) noexcept;

// Called on the violating thread instead of ending the program; null: the program ends. Returns the previous handler.
// For tests.
using Handler = void (*)(const char* entry_point, const char* what) noexcept;
Handler set_violation_handler(Handler handler) noexcept;

// Two namespaces, since tests link guarded code with an unguarded library (one definition of each name).
#ifdef DYN_REALTIME_GUARD
inline namespace guarded {
class Scope {
 public:
  explicit Scope(const char* entry_point) noexcept { enter(entry_point); }
  ~Scope() { leave(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  Scope(Scope&&) = delete;
  Scope& operator=(Scope&&) = delete;
};
inline void forbid(const char* what) noexcept { check(what); }
}  // namespace guarded
#else
inline namespace unguarded {
struct [[maybe_unused]] Scope {
  constexpr explicit Scope(const char*) noexcept {}
};
constexpr void forbid(const char*) noexcept {}
}  // namespace unguarded
#endif

}  // namespace dyn::realtime
