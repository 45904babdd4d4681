// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Every term of the torque in ros2_control's introspection (the controller manager's ~/introspection_data, every
// cycle): CONTROLLER.JOINT/effort_gravity and the like, named as in dyn_msgs/ControllerState, and the validator's
// newest residuals, CONTROLLER.validation/mass_matrix and the like. ros2_control reads the numbers itself, behind
// update() on the loop's thread. Where the installed ros2_control has no introspection this does nothing.
#pragma once

#include <memory>
#include <string>

#include "dyn_controllers/arm.hpp"

namespace dyn_controllers {

class Introspection {
 public:
  // Registers what there is, not yet shown; all of it goes with this object. `arm` must live longer.
  Introspection(const std::string& controller, const Arm& arm);
  ~Introspection();
  Introspection(const Introspection&) = delete;
  Introspection& operator=(const Introspection&) = delete;
  Introspection(Introspection&&) = delete;
  Introspection& operator=(Introspection&&) = delete;

  // The loop: only an active controller's numbers are of this cycle. ros2_control's queue of such wishes may be full,
  // as it is when registrations wait in it until they are published for the first time: settle() tries again.
  DYN_REALTIME void show(bool on) noexcept;
  DYN_REALTIME void settle() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn_controllers
