// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A joint's ratio from <transmission>, below <robot> (ROS 1: <mechanicalReduction>) or <ros2_control> (ROS 2:
// <mechanical_reduction>), of the joint, of the actuator or of the transmission itself. Positive where the actuator
// turns as the joint does: velocity of the actuator = reduction x velocity of the joint.
#pragma once

#include <string>

#include "urdf_elements.hpp"

namespace dyn {

// Only for joints that ask for it: other transmissions are not read. Throws ModelError where there is none, where
// several joints or actuators share it, or where it is not clear which of several numbers is meant. `dynamics`: of the
// joint, for messages.
[[nodiscard]] double transmission_ratio(const urdf_text::Elements& elements, const xml::Element& dynamics,
                                        const std::string& joint);

}  // namespace dyn
