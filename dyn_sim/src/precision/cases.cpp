// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "dyn_core/model/robot_library.hpp"
#include "dyn_sim/precision.hpp"

namespace dyn::sim {
namespace {

ArmConfig ideal_arm(const std::string& robot) {
  ArmConfig arm;
  arm.name = arm.robot = robot;
  arm.description = load_robot(robot);
  arm.jsim = arm.coriolis = "fused";
  arm.validation.mode = "off";
  arm.plant.friction = false;
  arm.plant.limits = false;
  arm.plant.tolerance = 1e-12;
  arm.live.model.armature = true;
  for (JointDescription& joint : arm.description.joints) {
    if (joint.limits) joint.limits->effort = 1e9;  // as if there were none
  }
  return arm;
}

std::unique_ptr<Trajectory> moves(const Model& model) {
  Point limits;
  for (const Joint& joint : model.joints()) limits.push_back(joint.description.limits->velocity);
  return make_quintic({{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
                       {0.9, 0.5, -0.6, 0.9, 0.7, -0.5, 1.0},
                       {-0.7, 0.8, 0.6, 1.2, -0.6, 0.6, -0.8},
                       {0.4, -0.4, 0.3, 0.5, 0.9, -0.8, 0.5},
                       {-0.5, 0.3, -0.8, 1.0, -0.9, 0.4, -1.0},
                       {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}},
                      limits, 0.8);
}

Payload box() {
  Inertial inertial;
  inertial.mass_kg = 3.0;
  inertial.com_m = Vec3d(0.0, 0.0, 0.06);
  inertial.inertia_com_kgm2 = inertia_tensor(0.0072, 0.0, 0.0, 0.0072, 0.0, 0.006);
  return Payload::rigid("box", "tool0", inertial);
}

}  // namespace

RunConfig arm7_moves(double rate_hz, double prediction) {
  ArmConfig arm = ideal_arm("arm7");
  const Model model = Model::build(arm.description, arm.live.model);
  arm.controller.gains.assign(model.coordinates(), {400.0, 40.0, 0.0, 0.0});
  arm.controller.prediction = prediction;
  arm.trajectory = moves(model);
  RunConfig run;
  run.title = "Precision of computed torque on arm7";
  run.rate_hz = rate_hz;
  run.duration_s = arm.trajectory->duration_s();
  run.arms.push_back(std::move(arm));
  return run;
}

RunConfig arm7_with_payload(Belief belief) {
  RunConfig run = arm7_moves(1000.0, 0.5);
  const bool early = belief == Belief::from_the_start;
  const bool late = belief == Belief::one_cycle_late || belief == Belief::late_and_ramped;
  const bool ramped = belief == Belief::ramped || belief == Belief::late_and_ramped;
  const double plant_s = early ? 0.0 : payload_at_s;
  auto& events = run.arms.front().events;
  events.push_back({plant_s, AttachEvent{box(), Target::plant, 0.0}, "plant: attach box"});
  if (belief != Belief::never) {
    events.push_back({late ? plant_s + 1.0 / run.rate_hz : plant_s,
                      AttachEvent{box(), Target::model, ramped ? 0.1 : 0.0}, "model: attach box"});
  }
  return run;
}

ArmConfig paper_004_feedforward() {
  ArmConfig arm = ideal_arm("three_link");
  arm.live.model.gravity_mps2 = Vec3d(0.0, 0.0, -9.807);
  arm.controller.law = control::Law::feedforward;
  arm.controller.gains.assign(3, {});
  const Point size{1.0, 0.75, 0.5};
  const double quarter = -0.5 * std::numbers::pi;  // 1 - cos = 1 + sin(. - pi/2)
  arm.trajectory = make_sinusoid(size, size, {1.0, 1.0, 1.0}, {quarter, quarter, quarter});
  return arm;
}

}  // namespace dyn::sim
