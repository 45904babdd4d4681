// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Runs code that may throw in a callback that must not throw: the reason goes to the log.
#pragma once

#include <exception>
#include <utility>

#include "rclcpp/logging.hpp"
#include "rclcpp_lifecycle/node_interfaces/lifecycle_node_interface.hpp"

namespace dyn_controllers {

using CallbackReturn = rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface::CallbackReturn;

// `failure`: the result if `work` throws.
template <class Work>
CallbackReturn reported(const rclcpp::Logger& logger, CallbackReturn failure, Work&& work) {
  try {
    std::forward<Work>(work)();
  } catch (const std::exception& error) {
    RCLCPP_ERROR(logger, "%s", error.what());
    return failure;
  }
  return CallbackReturn::SUCCESS;
}

}  // namespace dyn_controllers
