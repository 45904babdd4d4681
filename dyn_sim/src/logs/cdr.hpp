// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// sensor_msgs/msg/JointState as serialized by ROS 2 (CDR). Every length is checked against the rest of the message.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dyn::sim::logs {

struct JointState {
  std::int64_t stamp_ns = 0;
  std::vector<std::string> names;
  std::vector<double> position, velocity, effort;
};

// Throws ModelError that says what is wrong with the message.
[[nodiscard]] JointState decode_joint_state(std::span<const std::uint8_t> message);

}  // namespace dyn::sim::logs
