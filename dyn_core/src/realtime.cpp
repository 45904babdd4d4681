// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/realtime.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace dyn::realtime {
namespace {

// Needs no construction, destruction or allocation on first use, since malloc itself calls check().
struct Loop {
  const char* entry_point;  // the outermost
  int depth;
};
#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
thread_local constinit Loop loop{nullptr, 0};

std::atomic<Handler> handler{nullptr};

void say(const char* text) noexcept { (void)!write(STDERR_FILENO, text, std::strlen(text)); }

[[noreturn]] void end_program(const char* entry_point, const char* what) noexcept {
  say("dyn_core: ");
  say(what);
  say(" in the real-time loop, within ");
  say(entry_point);
  say("\n");
  std::abort();
}

}  // namespace

void enter(const char* entry_point) noexcept {
  if (loop.depth++ == 0) loop.entry_point = entry_point;
}

void leave() noexcept { --loop.depth; }

// The handler itself is not checked.
void check(const char* what) noexcept {
  if (loop.depth == 0) return;
  const Handler other = handler.load();
  if (other == nullptr) end_program(loop.entry_point, what);
  const int depth = loop.depth;
  loop.depth = 0;
  other(loop.entry_point, what);
  loop.depth = depth;
}

Handler set_violation_handler(Handler fresh) noexcept { return handler.exchange(fresh); }

}  // namespace dyn::realtime
