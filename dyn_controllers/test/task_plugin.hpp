// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A TaskSpaceController of arm7's tool0 by itself, in a posture that is not singular.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dyn_controllers/task_space_controller.hpp"
#include "plugin_fixture.hpp"

namespace dyn_controllers::test {

inline const std::vector<double> bent{0.0, 0.5, 0.0, -1.5, 0.0, 1.1, 0.0};

inline std::map<std::string, rclcpp::ParameterValue> task_parameters() {
  auto parameters = arm7_parameters();
  parameters["frame"] = rclcpp::ParameterValue("tool0");
  return parameters;
}

template <class P>
void set_bent(P& plugin) {
  for (size_t i = 0; i < 7; ++i) plugin.set_state(arm7_joints()[i] + "/position", bent[i]);
}

// One cycle below another controller, with a target so far along x from where the hand is.
template <class P>
return_type aim_beside(P& plugin, double x_m) {
  const auto& here = plugin.controller->arm().task().measured;
  const Eigen::Quaterniond turn(here.R);
  const double values[] = {here.p_m.x() + x_m, here.p_m.y(), here.p_m.z(), turn.x(), turn.y(), turn.z(), turn.w()};
  const char* const names[] = {"position.x",    "position.y",    "position.z",   "orientation.x",
                               "orientation.y", "orientation.z", "orientation.w"};
  for (size_t i = 0; i < 7; ++i) (void)plugin.reference(std::string("tool0/") + names[i]).set_value(values[i]);
  return plugin.update();
}

}  // namespace dyn_controllers::test
