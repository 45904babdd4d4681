#include <dyn_core/dynamics.hpp>
#include <dyn_core/model/urdf.hpp>
#include <iostream>

int main(int, char** argv) {
  dyn::Dynamics robot(dyn::Model::build(dyn::load_urdf(argv[1])), {.jsim = "fused", .coriolis = "fused"});
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(robot.model().coordinates(), 0.5), v = 0.1 * q;
  if (!robot.update(q, v).ok()) return 1;
  std::cout << "M =\n" << robot.M() << "\nC =\n" << robot.C() << "\ng = " << robot.g().transpose() << '\n';
}
