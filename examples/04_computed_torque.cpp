// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Computed torque on the native plant of `dyn run`: the controller of dyn_core, cycle by cycle, without a clock.
#include <algorithm>
#include <cmath>
#include <dyn_core/control/controller.hpp>
#include <dyn_core/model/robot_library.hpp>
#include <dyn_sim/plant.hpp>
#include <dyn_sim/trajectory.hpp>
#include <exception>
#include <iostream>
#include <vector>

int main() try {
  constexpr double period_s = 1e-3;
  const dyn::RobotDescription robot = dyn::load_robot("arm7");
  dyn::live::LiveModel live(robot, {.model = {.armature = true}});
  const std::size_t n = live.robot_coordinates();

  dyn::control::Parameters parameters;
  parameters.gains.assign(n, {.p = 400.0, .d = 40.0});  // 1/s^2, 1/s: accelerations per error
  const auto actuation = dyn::control::Actuation::from_model(*live.newest_model(), {});
  dyn::control::Controller controller(live, actuation, parameters, period_s);

  dyn::sim::PlantSettings settings;
  settings.friction = false;
  const auto plant = dyn::sim::make_native_plant(robot, settings, {0.0, 0.0, -9.81});
  const auto trajectory = dyn::sim::make_timed_quintic(
      {std::vector<double>(n, 0.0), std::vector<double>(n, 0.5), std::vector<double>(n, -0.3)}, 1.5);

  std::vector<double> q(n), v(n), a(n), effort(n);
  trajectory->sample(0.0, q, v, a);
  plant->reset(q, v);
  controller.activate({plant->q(), plant->v()});
  double largest = 0.0;
  for (int cycle = 0; cycle * period_s < trajectory->duration_s(); ++cycle) {
    trajectory->sample(cycle * period_s, q, v, a);
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(q[i] - plant->q()[i]));
    (void)controller.step({plant->q(), plant->v()}, {q, v, a}, effort);
    plant->advance(effort, period_s);
  }
  std::cout << "largest tracking error over " << trajectory->duration_s() << " s: " << largest << " rad\n";
  return largest < 1e-5 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
