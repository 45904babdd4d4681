// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Random robots for tests: trees with joints of every type about arbitrary axes, physically possible inertias.
#pragma once

#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "dyn_core/model/description.hpp"

namespace dyn::test {

using Rng = std::mt19937_64;

inline double uniform(Rng& rng, double lower, double upper) {
  return std::uniform_real_distribution<double>(lower, upper)(rng);
}
inline Vec3d random_vector(Rng& rng, double size) {
  return {uniform(rng, -size, size), uniform(rng, -size, size), uniform(rng, -size, size)};
}
inline Mat3d random_rotation(Rng& rng) {
  std::normal_distribution<double> normal;
  const Eigen::Quaterniond q(normal(rng), normal(rng), normal(rng), normal(rng));
  return q.normalized().toRotationMatrix();
}

// Eight point masses: any such body is physically possible.
inline Inertial random_inertial(Rng& rng) {
  Inertial inertial;
  Mat3d second = Mat3d::Zero();  // sum of m r r^T
  std::vector<std::pair<double, Vec3d>> points;
  for (int k = 0; k < 8; ++k) points.emplace_back(uniform(rng, 0.05, 0.5), random_vector(rng, 0.15));
  for (const auto& [mass, r] : points) {
    inertial.mass_kg += mass;
    inertial.com_m += mass * r;
  }
  inertial.com_m /= inertial.mass_kg;
  for (const auto& [mass, r] : points) second += mass * (r - inertial.com_m) * (r - inertial.com_m).transpose();
  inertial.inertia_com_kgm2 = second.trace() * Mat3d::Identity() - second;
  inertial.com_m += random_vector(rng, 0.1);
  return inertial;
}

struct RandomTreeOptions {
  int joints = 7;
  bool serial = false;
  bool every_type = true;  // else revolute only
  bool mimic = false;
  bool rotors = false;  // of most joints that can have one: ratios of 5 to 100 of either sign
};

inline bool may_have_rotor(const JointDescription& joint) {
  const bool simple =
      joint.type == JointType::revolute || joint.type == JointType::continuous || joint.type == JointType::prismatic;
  return simple && !joint.mimic;
}
inline void give_rotor(Rng& rng, JointDescription& joint) {
  joint.armature = uniform(rng, 0.01, 0.1);
  const double ratio = uniform(rng, 5.0, 100.0);
  joint.rotor = Rotor{uniform(rng, -1.0, 1.0) < 0.0 ? -ratio : ratio, random_vector(rng, 1.0).normalized()};
}

inline JointType random_type(Rng& rng) {
  const double x = uniform(rng, 0.0, 1.0);
  if (x < 0.45) return JointType::revolute;
  if (x < 0.60) return JointType::continuous;
  if (x < 0.80) return JointType::prismatic;
  if (x < 0.90) return JointType::fixed;
  return x < 0.95 ? JointType::floating : JointType::planar;
}

inline RobotDescription random_robot(Rng& rng, const RandomTreeOptions& options) {
  RobotDescription robot;
  robot.name = "random";
  robot.links.push_back({"link0", random_inertial(rng)});
  std::vector<std::string> leaders;
  for (int k = 1; k <= options.joints; ++k) {
    const std::string number = std::to_string(k);
    robot.links.push_back({"link" + number, random_inertial(rng)});
    JointDescription joint;
    joint.name = "joint" + number;
    joint.type = options.every_type ? random_type(rng) : JointType::revolute;
    const int parent = options.serial ? k - 1 : std::max(0, k - 1 - static_cast<int>(uniform(rng, 0.0, 3.0)));
    joint.parent_link = "link" + std::to_string(parent);
    joint.child_link = "link" + number;
    joint.parent_T_joint = {random_rotation(rng), random_vector(rng, 0.3)};
    joint.axis = random_vector(rng, 1.0).normalized();
    if (joint.type == JointType::revolute || joint.type == JointType::prismatic) {
      joint.limits = JointLimits{-2.0, 2.0, true, 3.0, 50.0};
      if (options.mimic && !leaders.empty() && uniform(rng, 0.0, 1.0) < 0.3) {
        const auto leader = static_cast<size_t>(uniform(rng, 0.0, static_cast<double>(leaders.size()) - 1e-9));
        joint.mimic = Mimic{leaders[leader], uniform(rng, -2.0, 2.0), uniform(rng, -0.5, 0.5)};
      } else {
        leaders.push_back(joint.name);
      }
    }
    if (options.rotors && may_have_rotor(joint) && uniform(rng, 0.0, 1.0) < 0.8) give_rotor(rng, joint);
    robot.joints.push_back(joint);
  }
  return robot;
}

inline std::vector<double> random_values(Rng& rng, int n, double size) {
  std::vector<double> values(n);
  for (double& x : values) x = uniform(rng, -size, size);
  return values;
}

}  // namespace dyn::test
