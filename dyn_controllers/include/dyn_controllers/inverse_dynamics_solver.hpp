// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn_core behind the interface of the package inverse_dynamics_solver, for controllers written for that interface. Not
// for the loop: the interface returns matrices by value. One object per thread, as with its other solvers.
//
// Node parameters, in the namespace that initialize() is given: `gravity` (three numbers, m/s^2, in the root link's
// frame; 0 0 -9.81), `joints` (the coordinates that are used, in the robot's order; the others are fixed at 0; by
// default all of them).
#pragma once

#include <memory>
#include <string>
#include <tuple>

#include "dyn_core/control/controller.hpp"
#include "dyn_core/dynamics.hpp"
#include "inverse_dynamics_solver/inverse_dynamics_solver.h"

namespace dyn_controllers {

class InverseDynamicsSolver : public inverse_dynamics_solver::InverseDynamicsSolver {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;
  using Parameters = rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr;

  // These throw the interface's exceptions if a parameter is missing or wrong, and before initialize().
  void initialize(Parameters parameters, const std::string& name_space, const std::string& robot_description) override;
  [[nodiscard]] std::tuple<Matrix, Vector, Vector> getDynamicParameters(const Vector& q,
                                                                        const Vector& v) const override;
  [[nodiscard]] Matrix getInertiaMatrix(const Vector& q) const override;
  [[nodiscard]] Vector getCoriolisVector(const Vector& q, const Vector& v) const override;
  [[nodiscard]] Vector getGravityVector(const Vector& q) const override;
  // The URDF's damping and friction.
  [[nodiscard]] Vector getFrictionVector(const Vector& v) const override;
  [[nodiscard]] Vector getTorques(const Vector& q, const Vector& v, const Vector& a) const override;

 private:
  // Throws std::invalid_argument if a vector does not fit this robot.
  dyn::Dynamics& at(const Vector& q, const Vector& v) const;
  [[nodiscard]] Vector rest(const Vector& q) const { return Vector::Zero(q.size()); }

  std::unique_ptr<dyn::Dynamics> dynamics_;
  dyn::control::Actuation friction_;
};

}  // namespace dyn_controllers
