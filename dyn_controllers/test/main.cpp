// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
// One ROS context for all cases of a test program. In guarded builds (dyn_core/realtime.hpp) logging in the loop ends
// it.
#include <gtest/gtest.h>

#include "dyn_core/realtime.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rcutils/logging.h"

namespace {

rcutils_logging_output_handler_t write_log = nullptr;

void write_log_off_the_loop(const rcutils_log_location_t* location, int severity, const char* name,
                            rcutils_time_point_value_t time, const char* format, va_list* arguments) {
  dyn::realtime::forbid("logging");
  write_log(location, severity, name, time, format, arguments);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  rclcpp::init(argc, argv);
  write_log = rcutils_logging_get_output_handler();
  rcutils_logging_set_output_handler(&write_log_off_the_loop);
  const int result = RUN_ALL_TESTS();
  rcutils_logging_set_output_handler(write_log);
  rclcpp::shutdown();
  return result;
}
