// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Every term of the torque in ros2_control's introspection (the controller manager's ~/introspection_data, every
// cycle): CONTROLLER.JOINT/effort_gravity and the like, named as in dyn_msgs/ControllerState, and the validator's
// newest residuals, CONTROLLER.validation/mass_matrix and the like. ros2_control itself reads the numbers after
// update(), on the loop's thread. If the installed ros2_control has no introspection this does nothing.
#pragma once

#include <memory>
#include <string>

#include "dyn_controllers/arm.hpp"

namespace dyn_controllers {

class Introspection {
 public:
  // Registers all of them, disabled; they are unregistered with this object. `arm` must outlive it.
  Introspection(const std::string& controller, const Arm& arm);
  ~Introspection();
  Introspection(const Introspection&) = delete;
  Introspection& operator=(const Introspection&) = delete;
  Introspection(Introspection&&) = delete;
  Introspection& operator=(Introspection&&) = delete;

  // The loop: only an active controller's numbers belong to the present cycle. ros2_control's queue of enable requests
  // may be full, as it is while registrations wait in it for their first publication: settle() tries again.
  DYN_REALTIME void show(bool on) noexcept;
  DYN_REALTIME void settle() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn_controllers
