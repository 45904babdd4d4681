// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Eigen's vectors, and poses of frames, into messages.
#pragma once

#include "dyn_core/control/task_space.hpp"
#include "geometry_msgs/msg/pose.hpp"
#include "geometry_msgs/msg/twist.hpp"
#include "geometry_msgs/msg/wrench.hpp"

namespace dyn_controllers {

template <class Message>
void put(const dyn::Vec3d& from, Message& to) {
  to.x = from.x();
  to.y = from.y();
  to.z = from.z();
}
inline void put(const dyn::control::Vec6d& from, geometry_msgs::msg::Twist& to) {
  put(dyn::Vec3d(from.head<3>()), to.linear);
  put(dyn::Vec3d(from.tail<3>()), to.angular);
}
inline void put(const dyn::control::Vec6d& from, geometry_msgs::msg::Wrench& to) {
  put(dyn::Vec3d(from.head<3>()), to.force);
  put(dyn::Vec3d(from.tail<3>()), to.torque);
}

inline void put(const dyn::control::TaskPoint& from, geometry_msgs::msg::Pose& to) {
  put(from.p_m, to.position);
  const Eigen::Quaterniond turn(from.R);
  to.orientation.w = turn.w();
  to.orientation.x = turn.x();
  to.orientation.y = turn.y();
  to.orientation.z = turn.z();
}

}  // namespace dyn_controllers
