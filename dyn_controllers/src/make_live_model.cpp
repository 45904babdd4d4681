// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/make_live_model.hpp"

#include "dyn_core/model/urdf.hpp"

namespace dyn_controllers {

dyn::RobotDescription described(const std::string& urdf, const Armature& armature) {
  dyn::RobotDescription robot = dyn::parse_urdf(urdf, "robot_description");
  armature.put_into(robot);
  return robot;
}

std::unique_ptr<dyn::live::LiveModel> make_live_model(const std::string& urdf, const Armature& armature,
                                                      const dyn::live::LiveOptions& options,
                                                      const rclcpp::Logger& logger) {
  if (urdf.empty()) throw dyn::ModelError("there is no robot_description yet");
  auto live = std::make_unique<dyn::live::LiveModel>(described(urdf, armature), options);
  for (const std::string& warning : live->newest_model()->warnings()) RCLCPP_WARN(logger, "%s", warning.c_str());
  return live;
}

}  // namespace dyn_controllers
