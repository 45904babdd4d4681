// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A robot's driver as the controllers of one process share it that tell it what the robot carries: a driver has one
// load, and each controller a model with payloads of its own. One of them tells the driver: the one that is active, and
// while none is, the one that was it before, or was configured first. Not for the loop.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dyn_core/model/body_inertia.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "rmw/types.h"

namespace dyn_controllers {

class SharedDriver {
 public:
  using Controller = rclcpp_lifecycle::LifecycleNode;

  // That of this service or topic, the same for all who ask while one of them has it.
  static std::shared_ptr<SharedDriver> of(const std::string& name);

  // `controller` must exist until leave().
  void join(const Controller& controller);
  void leave(const Controller& controller);
  // Whether `controller`, which has joined, is the one that tells the driver.
  [[nodiscard]] bool is_told_by(const Controller& controller);
  // The name of the one that does.
  [[nodiscard]] std::string told_by() const;

  // A change, or a repetition, of one controller at a time; not owned once `stopped` is set.
  [[nodiscard]] std::unique_lock<std::timed_mutex> turn(const std::atomic<bool>& stopped);
  // The load that the driver has agreed to last, in the turn of whoever reads or writes it; none: not known.
  std::optional<dyn::BodyInertia> told;
  // The identifiers of the servers that were there then, likewise. One that has come since does not know the load.
  using Servers = std::vector<std::array<std::uint8_t, RMW_GID_STORAGE_SIZE>>;
  Servers told_servers;

 private:
  std::timed_mutex turns_;
  mutable std::mutex mutex_;                    // of controllers_
  std::vector<const Controller*> controllers_;  // the first one tells
};

}  // namespace dyn_controllers
