// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What goes to the log while this lives, line by line with its severity in front: "WARN: ..".
#pragma once

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "rcutils/logging.h"

namespace dyn_controllers::test {

class LogCapture {
 public:
  LogCapture() : before_(rcutils_logging_get_output_handler()) {
    lines().clear();
    rcutils_logging_set_output_handler(&LogCapture::take);
  }
  ~LogCapture() { rcutils_logging_set_output_handler(before_); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  LogCapture(LogCapture&&) = delete;
  LogCapture& operator=(LogCapture&&) = delete;

  // Lines that contain the text.
  [[nodiscard]] static long count(const std::string& text) {
    const std::scoped_lock lock(mutex());
    return std::count_if(lines().begin(), lines().end(),
                         [&](const std::string& line) { return line.find(text) != std::string::npos; });
  }
  [[nodiscard]] static std::string all() {
    const std::scoped_lock lock(mutex());
    std::string text;
    for (const std::string& line : lines()) text += line + '\n';
    return text;
  }

 private:
  static std::vector<std::string>& lines() {
    static std::vector<std::string> all;
    return all;
  }
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static void take(const rcutils_log_location_t*, int severity, const char*, rcutils_time_point_value_t,
                   const char* format, va_list* arguments) {
    char text[1024];
    (void)std::vsnprintf(text, sizeof text, format, *arguments);
    const std::scoped_lock lock(mutex());
    lines().push_back(std::string(g_rcutils_log_severity_names[severity]) + ": " + text);
  }

  rcutils_logging_output_handler_t before_;
};

}  // namespace dyn_controllers::test
