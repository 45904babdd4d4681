// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Pinocchio beside the loop, as ROS shows it: every so many cycles the controller drops a sample into the ring, the
// core's validator compares on a thread of its own, and ~/validation says what came out.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "dyn_controllers/dyn_controllers_parameters.hpp"
#include "dyn_core/control/controller.hpp"
#include "dyn_core/live/live_model.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"

namespace dyn_controllers {

class Validation {
 public:
  // Throws dyn::ModelError where the settings are no good, or for mode `gate` where this package was built without
  // Pinocchio; mode `monitor` then says so and compares nothing.
  Validation(rclcpp_lifecycle::LifecycleNode& node, dyn::live::LiveModel& live, const parameters::Params& params,
             double period_s);
  ~Validation();
  Validation(const Validation&) = delete;
  Validation& operator=(const Validation&) = delete;
  Validation(Validation&&) = delete;
  Validation& operator=(Validation&&) = delete;

  // Largest relative errors of the newest sample; NaN before the first. Any thread may look.
  struct Residuals {
    std::atomic<double> M{std::numeric_limits<double>::quiet_NaN()}, Cv{std::numeric_limits<double>::quiet_NaN()},
        g{std::numeric_limits<double>::quiet_NaN()};
  };
  [[nodiscard]] const Residuals& newest() const noexcept { return newest_; }

  // Before each step: a sample of it is wanted, or not.
  DYN_REALTIME void choose(dyn::control::Controller& controller) noexcept;

 private:
  struct Impl;
  Residuals newest_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn_controllers
