// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/inverse_dynamics_solver.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "dyn_core/model/urdf.hpp"
#include "inverse_dynamics_solver/exceptions.h"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers {

using inverse_dynamics_solver::InvalidParameterValueException;

void InverseDynamicsSolver::initialize(Parameters parameters, const std::string& name_space,
                                       const std::string& robot_description) {
  const std::string prefix = name_space.empty() ? "" : name_space + '.';
  rclcpp::Parameter given;
  const auto has = [&](const std::string& name) { return parameters && parameters->get_parameter(name, given); };
  std::string urdf = robot_description;
  if (urdf.empty() && has("robot_description")) urdf = given.as_string();
  if (urdf.empty()) throw inverse_dynamics_solver::ParameterUninitializedException("robot_description");
  try {
    dyn::RobotDescription robot = dyn::parse_urdf(urdf, "robot_description");
    dyn::ModelOptions options;
    if (has(prefix + "gravity")) {
      const std::vector<double>& g = given.as_double_array();
      if (g.size() != 3) throw dyn::ModelError("gravity: has " + std::to_string(g.size()) + " numbers, not 3");
      options.gravity_mps2 = {g[0], g[1], g[2]};
    }
    std::vector<std::string> joints;
    if (has(prefix + "joints")) joints = given.as_string_array();
    for (dyn::JointDescription& joint : robot.joints) {
      if (joints.empty() || joint.mimic || std::find(joints.begin(), joints.end(), joint.name) != joints.end())
        continue;
      joint.type = dyn::JointType::fixed;
      joint.limits.reset();
    }
    auto dynamics = std::make_unique<dyn::Dynamics>(dyn::Model::build(robot, options));
    const auto& order = dynamics->model().coordinate_names();
    if (!joints.empty() && joints != order) {
      throw dyn::ModelError("joints: they are not joints of '" + robot.name +
                            "' with one degree of freedom, in its order");
    }
    friction_ = dyn::control::Actuation::from_model(dynamics->model(), {});
    dynamics_ = std::move(dynamics);
  } catch (const dyn::ModelError& error) {
    throw InvalidParameterValueException(error.what());
  }
}

dyn::Dynamics& InverseDynamicsSolver::at(const Vector& q, const Vector& v) const {
  if (!dynamics_) throw inverse_dynamics_solver::UninitializedException();
  const int n = dynamics_->model().coordinates();
  if (q.size() != n || v.size() != n)
    throw std::invalid_argument("the robot has " + std::to_string(n) + " coordinates");
  if (!dynamics_->update(q, v).ok()) throw std::invalid_argument("a position or velocity is not a finite number");
  return *dynamics_;
}

std::tuple<Eigen::MatrixXd, Eigen::VectorXd, Eigen::VectorXd> InverseDynamicsSolver::getDynamicParameters(
    const Vector& q, const Vector& v) const {
  const dyn::Dynamics& dynamics = at(q, v);
  return {dynamics.M(), dynamics.C() * v, dynamics.g()};
}

Eigen::MatrixXd InverseDynamicsSolver::getInertiaMatrix(const Vector& q) const { return at(q, rest(q)).M(); }

Eigen::VectorXd InverseDynamicsSolver::getCoriolisVector(const Vector& q, const Vector& v) const {
  return at(q, v).C() * v;
}

Eigen::VectorXd InverseDynamicsSolver::getGravityVector(const Vector& q) const { return at(q, rest(q)).g(); }

// As friction_compensation has it, smooth where the velocity changes its sign.
Eigen::VectorXd InverseDynamicsSolver::getFrictionVector(const Vector& v) const {
  (void)at(rest(v), v);
  Vector tau(v.size());
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    tau[i] = dyn::friction_torque(friction_.friction[i], v[i], dyn::friction_compensation_rate);
  }
  return tau;
}

Eigen::VectorXd InverseDynamicsSolver::getTorques(const Vector& q, const Vector& v, const Vector& a) const {
  dyn::Dynamics& dynamics = at(q, v);
  if (a.size() != q.size()) throw std::invalid_argument("accelerations and positions differ in number");
  Vector tau(a.size());
  const size_t n = a.size();
  dynamics.inverse({a.data(), n}, {tau.data(), n});
  return tau;
}

}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(dyn_controllers::InverseDynamicsSolver, inverse_dynamics_solver::InverseDynamicsSolver)
