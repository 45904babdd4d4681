// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The check against Pinocchio beside the loop, with its topic: every few cycles the controller drops a sample into the
// ring, the validator of dyn_core compares it on its own thread, and ~/validation has the result.
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
  // Throws dyn::ModelError if the settings are invalid, or for mode `gate` if this package was built without Pinocchio;
  // mode `monitor` then logs that and compares nothing.
  Validation(rclcpp_lifecycle::LifecycleNode& node, dyn::live::LiveModel& live, const parameters::Params& params,
             double period_s);
  ~Validation();
  Validation(const Validation&) = delete;
  Validation& operator=(const Validation&) = delete;
  Validation(Validation&&) = delete;
  Validation& operator=(Validation&&) = delete;

  // Largest relative errors of the newest sample; NaN before the first. May be called by any thread.
  struct Residuals {
    std::atomic<double> M{std::numeric_limits<double>::quiet_NaN()}, Cv{std::numeric_limits<double>::quiet_NaN()},
        g{std::numeric_limits<double>::quiet_NaN()};
  };
  [[nodiscard]] const Residuals& newest() const noexcept { return newest_; }

  // Before each step: whether a sample of it is wanted.
  DYN_REALTIME void choose(dyn::control::Controller& controller) noexcept;

 private:
  struct Impl;
  Residuals newest_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn_controllers
