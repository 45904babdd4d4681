// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// attach() and detach() of dyn_core/model/payload.hpp in place. Where they throw, the description is as it was.
#pragma once

#include <string>

#include "dyn_core/model/payload.hpp"

namespace dyn {

void put_on(RobotDescription& robot, const Payload& payload);
void take_off(RobotDescription& robot, const std::string& name);

// "box" of "box/body", and whether a link or joint of that name is the payload's.
[[nodiscard]] bool belongs_to(const std::string& payload, const std::string& link_or_joint);

}  // namespace dyn
