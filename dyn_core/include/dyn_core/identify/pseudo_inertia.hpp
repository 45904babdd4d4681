// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The ten parameters of a body as a symmetric 4 x 4 matrix, linear in them (Wensing, Kim and Slotine 2017):
//   J = [ S  h ; h^T  m ],  S = tr(I)/2 1 - I,  h = m c,  I about the origin.
// A body is physically consistent (its density is nowhere negative) where J is positive definite. Distance from a body
// J0 by the Bregman divergence of -log det (Lee, Wensing and Park 2019), convex in J, infinite where J becomes
// singular:
//   d(J, J0) = tr(J0^-1 J) - log det(J0^-1 J) - 4
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>

#include "dyn_core/model/description.hpp"

namespace dyn::identify {

using Parameters10 =
    Eigen::Matrix<double, 10, 1>;  // m, h (3), I_xx, I_xy, I_yy, I_xz, I_yz, I_zz: regressor/layout.hpp

inline Eigen::Matrix4d pseudo_inertia(const Parameters10& p) {
  Mat3d I;
  I << p[4], p[5], p[7], p[5], p[6], p[8], p[7], p[8], p[9];
  Eigen::Matrix4d J;
  J.topLeftCorner<3, 3>() = 0.5 * I.trace() * Mat3d::Identity() - I;
  J.topRightCorner<3, 1>() = p.segment<3>(1);
  J.bottomLeftCorner<1, 3>() = p.segment<3>(1).transpose();
  J(3, 3) = p[0];
  return J;
}

inline Parameters10 parameters_of(const Eigen::Matrix4d& J) {
  const Mat3d S = J.topLeftCorner<3, 3>();
  const Mat3d I = S.trace() * Mat3d::Identity() - S;
  Parameters10 p;
  p << J(3, 3), J(0, 3), J(1, 3), J(2, 3), I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2);
  return p;
}

// E_k = dJ / dp_k.
inline const std::array<Eigen::Matrix4d, 10>& pseudo_inertia_basis() {
  static const std::array<Eigen::Matrix4d, 10> basis = [] {
    std::array<Eigen::Matrix4d, 10> all;
    for (int k = 0; k < 10; ++k) all[k] = pseudo_inertia(Parameters10::Unit(k));
    return all;
  }();
  return basis;
}

inline Parameters10 parameters_of(const Inertial& body) {
  const Vec3d& c = body.com_m;
  const Mat3d I = body.inertia_com_kgm2 + body.mass_kg * (c.squaredNorm() * Mat3d::Identity() - c * c.transpose());
  Parameters10 p;
  p << body.mass_kg, body.mass_kg * c, I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2);
  return p;
}

inline Inertial inertial_of(const Parameters10& p) {
  Inertial body;
  body.mass_kg = p[0];
  if (p[0] > 0.0) body.com_m = p.segment<3>(1) / p[0];
  const Vec3d& c = body.com_m;
  Mat3d I;
  I << p[4], p[5], p[7], p[5], p[6], p[8], p[7], p[8], p[9];
  body.inertia_com_kgm2 = I - p[0] * (c.squaredNorm() * Mat3d::Identity() - c * c.transpose());
  return body;
}

// The same body seen from frame A: x_A = R x_B + p.
inline Eigen::Matrix4d moved(const Eigen::Matrix4d& J, const Pose& a_T_b) {
  Eigen::Matrix4d T = Eigen::Matrix4d::Identity();
  T.topLeftCorner<3, 3>() = a_T_b.R;
  T.topRightCorner<3, 1>() = a_T_b.p_m;
  return T * J * T.transpose();
}

inline bool is_possible(const Eigen::Matrix4d& J) {
  const Eigen::LLT<Eigen::Matrix4d> factor(J);
  return factor.info() == Eigen::Success && factor.matrixLLT().diagonal().minCoeff() > 0.0;
}

// A body whose J is not positive definite (massless links) cannot be a prior: in units in which mass and size are of
// order one, eigenvalues below `least` are raised to it.
inline Eigen::Matrix4d floored(const Eigen::Matrix4d& J, double mass_kg, double size_m) {
  constexpr double least = 1e-4;
  Eigen::Vector4d unit = Eigen::Vector4d::Constant(std::sqrt(mass_kg) * size_m);
  unit[3] = std::sqrt(mass_kg);
  const Eigen::Matrix4d scaled = unit.cwiseInverse().asDiagonal() * J * unit.cwiseInverse().asDiagonal();
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> eigen(scaled);
  if (eigen.eigenvalues().minCoeff() >= least) return J;
  const Eigen::Vector4d raised = eigen.eigenvalues().cwiseMax(least);
  const Eigen::Matrix4d possible = eigen.eigenvectors() * raised.asDiagonal() * eigen.eigenvectors().transpose();
  return unit.asDiagonal() * possible * unit.asDiagonal();
}

// A fit may drive a body to the boundary of what is possible, and rounding beyond it: second moments about the centre
// of mass that are below 1e-12 of those about the origin are raised to that, so that the body stays possible when it is
// written and read. Other bodies stay as they are, to the bit.
inline Inertial off_the_boundary(const Inertial& body) {
  const Mat3d& I = body.inertia_com_kgm2;
  const Eigen::SelfAdjointEigenSolver<Mat3d> moments(0.5 * I.trace() * Mat3d::Identity() - I);
  const double least = 1e-12 * (0.5 * I.trace() + body.mass_kg * body.com_m.squaredNorm());
  if (moments.eigenvalues().minCoeff() >= least) return body;
  const Vec3d raised = moments.eigenvalues().cwiseMax(least);
  const Mat3d S = moments.eigenvectors() * raised.asDiagonal() * moments.eigenvectors().transpose();
  Inertial possible = body;
  possible.inertia_com_kgm2 = raised.sum() * Mat3d::Identity() - 0.5 * (S + S.transpose());
  return possible;
}

}  // namespace dyn::identify
