// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
// One ROS context for all cases of a test program.
#include <gtest/gtest.h>

#include "rclcpp/rclcpp.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  rclcpp::init(argc, argv);
  const int result = RUN_ALL_TESTS();
  rclcpp::shutdown();
  return result;
}
