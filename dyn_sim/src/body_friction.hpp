// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The friction of each body's joint. A mimic joint rubs at its own rate, and the joint that it follows feels that
// `ratio` times. Of a joint with several coordinates each has the friction of the joint.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dyn_core/model/joint_friction.hpp"
#include "dyn_core/model/model.hpp"

namespace dyn::sim {

struct BodyFriction {
  size_t coordinate;
  double ratio;
  bool mimics;
  JointFriction joint;

  // Of the coordinate, which moves at the rate v; to be taken from the torque of its motor.
  [[nodiscard]] double torque(double v) const noexcept {
    return ratio * friction_torque(joint, ratio * v, friction_creep_rate);
  }
};

// By body.
[[nodiscard]] inline std::vector<BodyFriction> body_frictions(const Model& model) {
  std::map<std::string, const JointDescription*> joints;
  for (const JointDescription& joint : model.description().joints) joints[joint.name] = &joint;
  std::vector<BodyFriction> all;
  for (int body = 0; body < model.bodies(); ++body) {
    const JointDescription& joint = *joints.at(model.body_joint(body));
    all.push_back({static_cast<size_t>(model.tree().coordinate[body]), model.tree().ratio[body],
                   joint.mimic.has_value(), joint_friction(joint)});
  }
  return all;
}

}  // namespace dyn::sim
