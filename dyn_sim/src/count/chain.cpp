// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "count/chain.hpp"

#include <cstdint>
#include <numbers>
#include <string>

namespace dyn::cli {
namespace {

// A linear congruential generator (Knuth's MMIX constants): the same numbers with every standard library.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  double uniform(double lower, double upper) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return lower + (upper - lower) * static_cast<double>(state_ >> 11U) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

// Distal DH: joint i rotates about z of frame i - 1; a, d, alpha give the next frame. R = Rz(0) Rx(alpha), p = (a, 0,
// d).
Pose dh_pose(Generator& random) {
  const double a_m = random.uniform(0.1, 0.5);
  const double d_m = random.uniform(0.05, 0.4);
  const double alpha_rad = random.uniform(-std::numbers::pi, std::numbers::pi);
  return {Eigen::AngleAxisd(alpha_rad, Vec3d::UnitX()).toRotationMatrix(), Vec3d(a_m, 0.0, d_m)};
}

// A solid box in a general orientation: three different principal moments, all products of inertia.
Inertial generic_inertial(Generator& random) {
  Inertial inertial;
  inertial.mass_kg = random.uniform(1.0, 10.0);
  inertial.com_m = {random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2)};
  const Vec3d side(random.uniform(0.05, 0.2), random.uniform(0.05, 0.2), random.uniform(0.2, 0.5));
  const Vec3d squares = side.cwiseProduct(side) * (inertial.mass_kg / 12.0);
  const Vec3d axis = Vec3d(random.uniform(0.1, 1.0), random.uniform(0.1, 1.0), random.uniform(0.1, 1.0)).normalized();
  const Mat3d R = Eigen::AngleAxisd(random.uniform(0.3, 1.2), axis).toRotationMatrix();
  const Mat3d moments = Mat3d::Identity() * squares.sum() - Mat3d(squares.asDiagonal());
  inertial.inertia_com_kgm2 = R * moments * R.transpose();
  return inertial;
}

}  // namespace

RobotDescription generic_chain(int joints, std::uint64_t seed) {
  Generator random(seed);
  RobotDescription robot;
  robot.name = "chain" + std::to_string(joints);
  robot.source = "generic serial chain";
  robot.links.push_back({"link0", std::nullopt});
  for (int i = 1; i <= joints; ++i) {
    const std::string number = std::to_string(i);
    robot.links.push_back({"link" + number, generic_inertial(random)});
    JointDescription joint;
    joint.name = "joint" + number;
    joint.type = JointType::continuous;
    joint.parent_link = "link" + std::to_string(i - 1);
    joint.child_link = "link" + number;
    joint.parent_T_joint = dh_pose(random);
    joint.axis = Vec3d::UnitZ();
    robot.joints.push_back(joint);
  }
  return robot;
}

}  // namespace dyn::cli
