// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "stress/families.hpp"

#include <algorithm>
#include <cmath>

#include "dyn_core/model/model.hpp"
#include "support/random_robot.hpp"

namespace dyn::stress {
namespace {

using test::random_robot;
using test::random_values;
using test::RandomTreeOptions;
using test::Rng;
using test::uniform;

int between(Rng& rng, int lower, int upper) { return std::uniform_int_distribution<int>(lower, upper)(rng); }
double power_of_ten(Rng& rng, double lower, double upper) { return std::pow(10.0, uniform(rng, lower, upper)); }

// A random state: up to 3 rad or m and their rates; the pitch of a floating joint stays off its singularity.
Case with_state(Rng& rng, RobotDescription robot) {
  Case made{.robot = std::move(robot), .q = {}, .v = {}, .a = {}, .tau = {}};
  const Model model = Model::build(made.robot);
  const int n = model.coordinates();
  made.q = random_values(rng, n, 3.0);
  for (const Joint& joint : model.joints()) {
    if (joint.degrees == 6) made.q[joint.first_coordinate + 4] = uniform(rng, -1.2, 1.2);
  }
  made.v = random_values(rng, n, 3.0);
  made.a = random_values(rng, n, 5.0);
  made.tau = random_values(rng, n, 20.0);
  return made;
}

// random_robot() with at least one joint that is not fixed.
RobotDescription movable_robot(Rng& rng, const RandomTreeOptions& options) {
  for (;;) {
    RobotDescription robot = random_robot(rng, options);
    for (const JointDescription& joint : robot.joints) {
      if (joint.type != JointType::fixed) return robot;
    }
  }
}

void scale_body(Inertial& body, double mass, double length) {
  body.mass_kg *= mass;
  body.com_m *= length;
  body.inertia_com_kgm2 *= mass * length * length;
}

Case ordinary(std::uint64_t seed) {
  Rng rng(seed);
  return with_state(rng, movable_robot(rng, {.joints = between(rng, 1, 12), .serial = between(rng, 0, 1) == 0}));
}

Case long_chain(std::uint64_t seed) {
  Rng rng(seed);
  return with_state(rng, random_robot(rng, {.joints = 200, .serial = true, .every_type = false}));
}

Case masses(std::uint64_t seed) {  // each body's by itself
  Rng rng(seed);
  RobotDescription robot = movable_robot(rng, {.joints = between(rng, 2, 10)});
  for (LinkDescription& link : robot.links) scale_body(*link.inertial, power_of_ten(rng, -6.0, 6.0), 1.0);
  return with_state(rng, std::move(robot));
}

Case levers(std::uint64_t seed) {  // from joint to joint, one of them at least
  Rng rng(seed);
  RobotDescription robot = movable_robot(rng, {.joints = between(rng, 2, 10)});
  const int longest = between(rng, 0, static_cast<int>(robot.joints.size()) - 1);
  for (size_t i = 0; i < robot.joints.size(); ++i) {
    Vec3d& p = robot.joints[i].parent_T_joint.p_m;
    if (static_cast<int>(i) == longest) {
      p = test::random_vector(rng, 1.0).normalized() * 1e4;
    } else {
      p *= power_of_ten(rng, -2.0, 2.0);
    }
  }
  return with_state(rng, std::move(robot));
}

Case heavy_tip(std::uint64_t seed) {
  Rng rng(seed);
  RobotDescription robot = random_robot(rng, {.joints = 7, .serial = true, .every_type = false});
  for (LinkDescription& link : robot.links) scale_body(*link.inertial, 1e-4, 1.0);
  scale_body(*robot.links.back().inertial, power_of_ten(rng, 3.0, 12.0), 1.0);
  return with_state(rng, std::move(robot));
}

Case far_away(std::uint64_t seed) {  // a carriage at 100 km
  Rng rng(seed);
  RobotDescription robot = random_robot(rng, {.joints = between(rng, 2, 9), .serial = true, .every_type = false});
  robot.joints.front().type = JointType::prismatic;
  Case made = with_state(rng, std::move(robot));
  made.q.front() = uniform(rng, 0.0, 1.0) < 0.5 ? -1e5 : 1e5;
  return made;
}

Case tiny(std::uint64_t seed) {  // rates, accelerations and some angles below the smallest normal number
  Rng rng(seed);
  Case made = with_state(rng, movable_robot(rng, {.joints = between(rng, 1, 10)}));
  for (auto* values : {&made.v, &made.a, &made.tau}) {
    for (double& x : *values) x *= power_of_ten(rng, -315.0, -300.0);
  }
  for (double& x : made.q) x *= between(rng, 0, 1) == 0 ? 1.0 : 1e-310;
  return made;
}

Case coincident(std::uint64_t seed) {  // joints at one point; some axes nearly parallel
  Rng rng(seed);
  RobotDescription robot = random_robot(rng, {.joints = between(rng, 3, 10), .serial = true, .every_type = false});
  for (JointDescription& joint : robot.joints) {
    if (uniform(rng, 0.0, 1.0) < 0.5) joint.parent_T_joint.p_m.setZero();
    if (uniform(rng, 0.0, 1.0) < 0.3) {
      joint.parent_T_joint.R.setIdentity();
      joint.axis = (Vec3d::UnitZ() + test::random_vector(rng, 1e-3)).normalized();
    }
  }
  return with_state(rng, std::move(robot));
}

constexpr Family all_families[] = {
    {"ordinary", "trees of up to 12 joints of every type", 0.30, ordinary},
    {"chain of 200", "200 revolute joints in a row", 0.0002, long_chain},
    {"masses", "each body's mass from 1e-6 to 1e6 of what it was", 0.14, masses},
    {"levers", "one joint 10 km from the one before it", 0.14, levers},
    {"heavy tip", "seven joints, the last body 1e3 to 1e12 times as heavy", 0.14, heavy_tip},
    {"far away", "on a carriage that stands at 100 km", 0.10, far_away},
    {"tiny", "rates and torques from 1e-315 to 1e-300", 0.08, tiny},
    {"coincident", "joints at one point, axes parallel to 1e-3", 0.0998, coincident},
};

}  // namespace

std::span<const Family> families() { return all_families; }

}  // namespace dyn::stress
