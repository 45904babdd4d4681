// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Messages of the loop to the user, without logging in the loop: changes of mode and other incidents go into a
// lockfree::Ring; a slow timer of the node's executor takes them out and logs them.
#pragma once

#include <cstdint>

#include "dyn_core/control/controller.hpp"

namespace dyn_controllers {

struct CycleEvent {
  enum class What : std::uint8_t {
    mode,           // differs from that of the cycle before
    limited,        // a reference is cut to what the arm can do, the first after a second without one
    damped,         // the controlled frame comes near a singular posture, the first after a second without one
    fallback,       // the validator asked for a fallback
    no_motion,      // the state does not follow the torque
    bad_reference,  // the controller above wrote a number that is not finite, the first after a second without one
    activated,      //
    not_activated,  // a state is not finite
  };
  // What was not finite, if anything; or a state that is frozen.
  enum class Cause : std::uint8_t { none, position, velocity, gravity, result, singular, frozen };

  What what = What::mode;
  dyn::control::CycleReport::Mode mode = dyn::control::CycleReport::Mode::tracking;
  Cause cause = Cause::none;
  int coordinate = -1;
  bool fallback_holds = false;
  bool bad_reference = false;           // the last reference was refused
  double value = 0.0;                   // the offending number
  double away_m = 0.0, away_rad = 0.0;  // the controlled frame from its target
  dyn::control::ReferenceCut cut;
};

}  // namespace dyn_controllers
