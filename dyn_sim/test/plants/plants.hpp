// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Small arms with closed-form answers, and settings that leave everything out, for the tests of the plants.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/model/urdf.hpp"
#include "dyn_sim/plant.hpp"

namespace dyn::sim::test {

inline std::vector<std::string> engines() {
#ifdef DYN_TEST_MUJOCO
  return {"native", "mujoco"};
#else
  return {"native"};
#endif
}

inline PlantSettings plain(const std::string& engine) {
  PlantSettings settings;
  settings.engine = engine;
  settings.friction = settings.armature = settings.limits = false;
  if (engine == "mujoco") settings.step_s = 1e-4;
  return settings;
}

// One revolute joint about z: a body of 2 kg whose moment about the axis is 0.5 kg m^2.
inline constexpr double wheel_inertia_kgm2 = 0.5;
inline RobotDescription wheel() {
  RobotDescription robot;
  robot.name = "wheel";
  robot.links.push_back({"base", {}});
  robot.links.push_back({"rim", Inertial{2.0, Vec3d::Zero(), Vec3d(0.3, 0.3, wheel_inertia_kgm2).asDiagonal()}});
  JointDescription joint;
  joint.name = "axle";
  joint.type = JointType::revolute;
  joint.parent_link = "base";
  joint.child_link = "rim";
  joint.axis = Vec3d::UnitZ();
  joint.limits = JointLimits{-1.0, 1.0, true, 10.0, 4.0};
  joint.damping = 0.3;
  joint.friction = 1.5;
  joint.armature = 0.25;
  robot.joints.push_back(joint);
  return robot;
}

inline RobotDescription robot(const std::string& name) {
  return load_urdf(std::filesystem::path(DYN_ROBOTS) / (name + ".urdf"));
}

// The same torque for some cycles of 1 ms.
inline void hold(Plant& plant, const std::vector<double>& effort, int cycles) {
  for (int k = 0; k < cycles; ++k) plant.advance(effort, 1e-3);
}

inline const Vec3d down(0.0, 0.0, -9.81);

// With every engine: plants_test.cpp instantiates it.
class Plants : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Plant> make(const PlantSettings& settings, const RobotDescription& arm = wheel()) {
    auto plant = make_plant(arm, settings, down);
    const std::vector<double> rest(plant->model().coordinates(), 0.0);
    plant->reset(rest, rest);
    return plant;
  }
  PlantSettings settings_ = plain(GetParam());
};

}  // namespace dyn::sim::test
