// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn mjcf: the robot for other programs that simulate with MuJoCo.
#include "dyn_sim/mjcf.hpp"

#include <iostream>
#include <memory>

#include "command.hpp"
#include "commands/log_options.hpp"
#include "options.hpp"
#include "output.hpp"

namespace dyn::cli {
namespace {

struct Call {
  RobotCall robot;
  sim::PlantSettings settings;
  std::string out;
  bool frictionless = false, unlimited = false, without_armature = false;
};

void mjcf(Call& call) {
  call.settings.friction = !call.frictionless;
  call.settings.limits = !call.unlimited;
  ModelOptions options = model_options(call.robot);
  options.armature = !call.without_armature;
  const std::string text = sim::mjcf_of(load(call.robot, options), call.settings);
  if (call.out.empty()) {
    std::cout << text;
  } else {
    write_text(call.out, text);
  }
}

}  // namespace

Action declare_mjcf(CLI::App& app) {
  auto call = std::make_shared<Call>();
  call->settings.step_s = 5e-4;
  add_robot(app, call->robot);
  app.add_option("--out", call->out, "File to write [standard output]");
  app.add_option("--step", call->settings.step_s, "Step of the simulation, s")
      ->capture_default_str()
      ->check(CLI::Range(1e-6, 1.0));
  app.add_option("--integrator", call->settings.integrator, "rk4, or implicitfast for stiff friction")
      ->capture_default_str()
      ->check(CLI::IsMember({"rk4", "implicitfast"}));
  app.add_flag("--no-friction", call->frictionless, "Joints without damping and friction");
  app.add_flag("--no-armature", call->without_armature, "Joints without the drives' reflected inertia");
  app.add_flag("--no-limits", call->unlimited, "Joints without end stops, motors without limits");
  return [call] { mjcf(*call); };
}

}  // namespace dyn::cli
