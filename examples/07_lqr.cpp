// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// LQR about a posture: A and B of the sampled system from the analytic derivatives, the gain, and the arm's return to
// the posture on the native plant.
#include <cstdlib>
#include <dyn_core/derivatives/lqr.hpp>
#include <dyn_core/derivatives/sampled_system.hpp>
#include <dyn_core/dynamics.hpp>
#include <dyn_core/model/robot_library.hpp>
#include <dyn_sim/plant.hpp>
#include <exception>
#include <iostream>
#include <vector>

int main() try {
  constexpr double period_s = 1e-3;
  constexpr int n = 7;
  const dyn::RobotDescription robot = dyn::load_robot("arm7");
  const auto model = std::make_shared<const dyn::Model>(dyn::Model::build(robot, {.armature = true}));
  const std::vector<double> posture{0.1, 0.4, -0.2, 1.2, 0.3, -0.5, 0.2}, rest(n, 0.0);
  dyn::Dynamics dynamics(model);
  if (!dynamics.update(posture, rest).ok()) return EXIT_FAILURE;
  const Eigen::VectorXd holding = dynamics.g();  // N m

  dyn::Derivatives derivatives(model);
  if (!derivatives.update_forward(posture, rest, {holding.data(), n}).ok()) return EXIT_FAILURE;
  dyn::SampledSystem sampled(n);
  sampled.update(derivatives, period_s);

  Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(2 * n, 2 * n), R = Eigen::MatrixXd::Identity(n, n) * 1e-3;
  Q.topLeftCorner(n, n) *= 1e3;
  const Eigen::MatrixXd K = dyn::solve_lqr(sampled.A(), sampled.B(), Q, R).K;
  std::cout << "effort = g - K (q - posture, v), K =\n" << K << '\n';

  dyn::sim::PlantSettings settings;
  settings.friction = false;
  const auto plant = dyn::sim::make_native_plant(robot, settings, {0.0, 0.0, -9.81});
  plant->reset(std::vector<double>(n, 0.1), rest);
  Eigen::VectorXd x(2 * n), effort(n);
  for (int cycle = 0; cycle < 3000; ++cycle) {
    for (int i = 0; i < n; ++i) {
      x[i] = plant->q()[i] - posture[i];
      x[n + i] = plant->v()[i];
    }
    effort = holding - K * x;
    plant->advance({effort.data(), n}, period_s);
  }
  std::cout << "after 3 s " << x.head(n).norm() << " rad from the posture\n";
  return x.norm() < 1e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return EXIT_FAILURE;
}
