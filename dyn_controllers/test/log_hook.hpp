// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Does something of the test's at the first line of the log that contains a text, on the thread that logs it, before
// that goes on.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "rcutils/logging.h"

namespace dyn_controllers::test {

class LogHook {
 public:
  LogHook(std::string text, std::function<void()> action) : before_(rcutils_logging_get_output_handler()) {
    {
      const std::scoped_lock lock(waiting().mutex);
      waiting().text = std::move(text);
      waiting().action = std::move(action);
    }
    rcutils_logging_set_output_handler(&LogHook::take);
  }
  ~LogHook() {
    rcutils_logging_set_output_handler(before_);
    const std::scoped_lock lock(waiting().mutex);
    waiting().action = nullptr;
  }
  LogHook(const LogHook&) = delete;
  LogHook& operator=(const LogHook&) = delete;
  LogHook(LogHook&&) = delete;
  LogHook& operator=(LogHook&&) = delete;

 private:
  struct Waiting {
    std::mutex mutex;
    std::string text;
    std::function<void()> action;
  };
  static Waiting& waiting() {
    static Waiting one;
    return one;
  }
  static void take(const rcutils_log_location_t*, int, const char*, rcutils_time_point_value_t, const char* format,
                   va_list* arguments) {
    char line[1024];
    (void)std::vsnprintf(line, sizeof line, format, *arguments);
    std::function<void()> action;
    {
      const std::scoped_lock lock(waiting().mutex);
      if (std::string(line).find(waiting().text) != std::string::npos)
        action = std::exchange(waiting().action, nullptr);
    }
    if (action) action();
  }

  rcutils_logging_output_handler_t before_;
};

}  // namespace dyn_controllers::test
