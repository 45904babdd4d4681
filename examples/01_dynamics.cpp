// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M, C and g of a robot at one state, the inverse and the forward dynamics.
//
//     01_dynamics [ROBOT]      a .urdf or .xacro file, or a name that `dyn robots` lists (arm7)
#include <dyn_core/dynamics.hpp>
#include <dyn_core/model/robot_library.hpp>
#include <dyn_core/numeric/residual.hpp>
#include <exception>
#include <iostream>

int main(int argc, char** argv) try {
  dyn::Dynamics robot(dyn::load_model(argc > 1 ? argv[1] : "arm7"));
  const int n = robot.model().coordinates();
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(n, 0.4), v = 0.1 * q, a = Eigen::VectorXd::Ones(n);

  // One pass over the robot. The status is not ok where q or v is not finite.
  if (!robot.update(q, v).ok()) return 1;
  std::cout << "joints:";
  for (const auto& name : robot.model().coordinate_names()) std::cout << ' ' << name;
  std::cout << "\nM =\n" << robot.M() << "\nC =\n" << robot.C() << "\ng = " << robot.g().transpose() << '\n';

  // tau = M a + C v + g, and back: M qdd = tau - C v - g.
  Eigen::VectorXd tau(n), qdd(n);
  robot.inverse({a.data(), a.data() + n}, {tau.data(), tau.data() + n});
  if (!robot.forward({tau.data(), tau.data() + n}, {qdd.data(), qdd.data() + n}).ok()) return 1;
  const double error = dyn::largest_entry(qdd - a);  // infinite where an entry is not a number
  std::cout << "tau = " << tau.transpose() << "\nforward(inverse(a)) - a: " << error << " at most\n";
  return error < 1e-9 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
