// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The same M by the algorithms of different papers, chosen by name while the program runs.
//
//     02_swap_algorithms [ROBOT]
#include <dyn_core/dynamics.hpp>
#include <dyn_core/model/robot_library.hpp>
#include <dyn_core/numeric/residual.hpp>
#include <exception>
#include <iostream>

int main(int argc, char** argv) try {
  dyn::Dynamics robot(dyn::load_model(argc > 1 ? argv[1] : "arm7"));
  const int n = robot.model().coordinates();
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(n, 0.4), v = 0.1 * q;
  if (!robot.update(q, v).ok()) return 1;
  const Eigen::MatrixXd M = robot.M();  // by `fused`, the default

  double worst = 0.0;
  for (const char* name : {"explicit", "denoc", "screw", "gdahj", "crba", "momentum"}) {
    // Real-time safe; false, and nothing changed, where the name is unknown.
    if (!robot.set_jsim(name) || !robot.update(q, v).ok()) return 1;
    const double difference = dyn::largest_entry(robot.M() - M);  // infinite where an entry is not a number
    worst = dyn::larger_error(worst, difference);
    std::cout << name << ": differs from fused by " << difference << " kg m^2 at most\n";
  }
  std::cout << "an unknown name is " << (robot.set_jsim("fastest") ? "taken" : "refused") << '\n';
  return worst < 1e-10 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
