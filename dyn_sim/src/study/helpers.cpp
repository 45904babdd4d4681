// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/helpers.hpp"

#include <algorithm>
#include <cmath>

#include "output.hpp"

namespace dyn::study {

const Inertial& inertial_of(const RobotDescription& robot, const std::string& link) {
  for (const LinkDescription& l : robot.links) {
    if (l.name == link && l.inertial) return *l.inertial;
  }
  throw ModelError(robot.name + ": there is no link '" + link + "' with an inertia");
}

const JointDescription& joint_of(const RobotDescription& robot, const std::string& joint) {
  for (const JointDescription& j : robot.joints) {
    if (j.name == joint) return j;
  }
  throw ModelError(robot.name + ": there is no joint '" + joint + "'");
}

std::vector<double> random_values(std::mt19937_64& rng, int count, double largest) {
  std::uniform_real_distribution<double> spread(-largest, largest);
  std::vector<double> values(static_cast<size_t>(count));
  std::generate(values.begin(), values.end(), [&] { return spread(rng); });
  return values;
}

void demand(const Status& status, const Model& model) {
  if (status.ok()) return;
  const std::string joint = status.body >= 0 ? model.body_joint(status.body) : model.name();
  throw ModelError(joint +
                   (status.code == Status::Code::singular_inertia ? ": M is singular, pivot " : ": not finite, ") +
                   cli::number(status.value));
}

}  // namespace dyn::study
