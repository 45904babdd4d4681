// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A payload with a joint of its own, pendulum/swing: 1 kg that hangs 0.2 m below the flange of arm7 and swings about y.
#pragma once

#include "dyn_msgs/srv/attach_payload.hpp"

namespace dyn_controllers::test {

inline dyn_msgs::srv::AttachPayload::Request pendulum_on_flange() {
  dyn_msgs::srv::AttachPayload::Request request;
  request.payload.name = "pendulum";
  request.payload.link = "tool0";
  request.payload.urdf = R"(<robot name="pendulum"><link name="hook"/><link name="load"><inertial>
    <origin xyz="0 0 -0.2"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>
    </inertial></link><joint name="swing" type="continuous"><parent link="hook"/><child link="load"/>
    <axis xyz="0 1 0"/></joint></robot>)";
  return request;
}

}  // namespace dyn_controllers::test
