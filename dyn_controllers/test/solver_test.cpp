// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The adapter behind the real inverse_dynamics_solver, found as a plugin, against the core.
#include <cmath>

#include "dyn_controllers/inverse_dynamics_solver.hpp"
#include "inverse_dynamics_solver/exceptions.h"
#include "plugin_fixture.hpp"
#include "pluginlib/class_loader.hpp"

namespace dyn_controllers::test {
namespace {

using Solver = inverse_dynamics_solver::InverseDynamicsSolver;
using Values = std::map<std::string, rclcpp::ParameterValue>;
using Vector = Eigen::VectorXd;

class SolverTest : public testing::Test {
 protected:
  std::shared_ptr<Solver> solver(const Values& parameters, const std::string& urdf = arm7_urdf()) {
    rclcpp::NodeOptions options;
    options.automatically_declare_parameters_from_overrides(true);
    for (const auto& [name, value] : parameters) options.append_parameter_override(name, value);
    node = std::make_shared<rclcpp::Node>("user", options);
    auto made = loader.createSharedInstance("dyn_controllers/InverseDynamicsSolver");
    made->initialize(node->get_node_parameters_interface(), "solver", urdf);
    return made;
  }
  pluginlib::ClassLoader<Solver> loader{"inverse_dynamics_solver", "inverse_dynamics_solver::InverseDynamicsSolver"};
  rclcpp::Node::SharedPtr node;
  const Vector q = Vector::LinSpaced(7, -0.6, 0.9), v = Vector::LinSpaced(7, 0.5, -0.4),
               a = Vector::LinSpaced(7, 1.0, 3.0);
};

TEST_F(SolverTest, GivesWhatTheCoreGives) {
  const auto it = solver({{"solver.gravity", rclcpp::ParameterValue(std::vector<double>{0.0, 1.0, -9.0})}});
  dyn::ModelOptions options;
  options.gravity_mps2 = {0.0, 1.0, -9.0};
  dyn::Dynamics dynamics(dyn::load_model("arm7", options));
  ASSERT_TRUE(dynamics.update(q, v).ok());
  const auto [M, Cv, g] = it->getDynamicParameters(q, v);
  EXPECT_LT((M - dynamics.M()).norm(), 1e-12);
  EXPECT_LT((Cv - dynamics.C() * v).norm(), 1e-12);
  EXPECT_LT((g - dynamics.g()).norm(), 1e-12);
  EXPECT_LT((it->getInertiaMatrix(q) - M).norm(), 1e-12);
  EXPECT_LT((it->getCoriolisVector(q, v) - Cv).norm(), 1e-12);
  EXPECT_LT((it->getGravityVector(q) - g).norm(), 1e-12);
  EXPECT_LT((it->getTorques(q, v, a) - (M * a + Cv + g)).norm(), 1e-11);
  EXPECT_GT(g.norm(), 1.0);
  const auto friction = dyn::control::Actuation::from_model(dynamics.model(), {});
  EXPECT_NEAR(it->getFrictionVector(v)[0], friction.friction[0].damping * v[0] + friction.friction[0].coulomb, 1e-12)
      << "at 0.5 rad/s";
}

// Joints that do not count stand still: M is the corner of the whole arm's.
TEST_F(SolverTest, SomeJointsCount) {
  const auto it = solver({{"solver.joints", rclcpp::ParameterValue(std::vector<std::string>{"joint1", "joint2"})}});
  Vector whole = Vector::Zero(7);
  whole.head(2) = q.head(2);
  dyn::Dynamics dynamics(dyn::load_model("arm7"));
  ASSERT_TRUE(dynamics.update(whole, Vector(Vector::Zero(7))).ok());
  EXPECT_LT((it->getInertiaMatrix(q.head(2)) - dynamics.M().topLeftCorner(2, 2)).norm(), 1e-12);
  EXPECT_LT((it->getGravityVector(q.head(2)) - dynamics.g().head(2)).norm(), 1e-12);
}

TEST_F(SolverTest, RefusesWhatItCannotDo) {
  using inverse_dynamics_solver::InvalidParameterValueException;
  const auto nothing = loader.createSharedInstance("dyn_controllers/InverseDynamicsSolver");
  EXPECT_THROW((void)nothing->getInertiaMatrix(q), inverse_dynamics_solver::UninitializedException);
  EXPECT_THROW((void)solver({}, ""), inverse_dynamics_solver::ParameterUninitializedException);
  EXPECT_THROW((void)solver({}, "<robot/>"), InvalidParameterValueException);
  EXPECT_THROW((void)solver({{"solver.gravity", rclcpp::ParameterValue(std::vector<double>{1.0})}}),
               InvalidParameterValueException);
  for (const std::vector<std::string>& joints : {std::vector<std::string>{"joint2", "joint1"}, {"no_such_joint"}}) {
    EXPECT_THROW((void)solver({{"solver.joints", rclcpp::ParameterValue(joints)}}), InvalidParameterValueException);
  }
  const auto it = solver({});
  EXPECT_THROW((void)it->getInertiaMatrix(q.head(6)), std::invalid_argument);
  EXPECT_THROW((void)it->getGravityVector(q * std::nan("")), std::invalid_argument);
}

}  // namespace
}  // namespace dyn_controllers::test
