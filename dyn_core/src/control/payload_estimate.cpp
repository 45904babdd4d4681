// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/payload_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::control {
namespace {

using Twist = Eigen::Matrix<double, 3, 4>;

Twist twist(const Vec3d& angular, const Vec3d& linear_at_base) noexcept {
  Twist t;
  t << 0.0, -angular.z(), angular.y(), linear_at_base.x(),  //
      angular.z(), 0.0, -angular.x(), linear_at_base.y(),   //
      -angular.y(), angular.x(), 0.0, linear_at_base.z();
  return t;
}

// A (B p, 0) for a point p: twist A applied to the velocity B p.
Twist after(const Twist& A, const Twist& B) noexcept { return A.leftCols<3>() * B; }

// Unit twist of a joint at the base origin: (k, o x k) or (0, k).
Twist joint_twist(const Tree& tree, const Workspace<double>& ws, int i) noexcept {
  const Vec3d& k = ws.axis[i];
  return tree.motion[i] == Motion::revolute ? twist(k, ws.origin[i].cross(k)) : twist(Vec3d::Zero(), k);
}

}  // namespace

PayloadEstimate::PayloadEstimate(int max_bodies) : ws_(max_bodies), chain_(max_bodies) {}

void PayloadEstimate::reset(double mass_kg, double radius_m) noexcept {
  DYN_EXPECTS(mass_kg > 0.0 && radius_m > 0.0);
  U_.setZero();
  const double spread = std::sqrt(mass_kg / 5.0) * radius_m;  // int x^2 dm of a ball is m r^2 / 5
  U_.diagonal() << spread, spread, spread, std::sqrt(mass_kg);
  L_.setZero();
}

void PayloadEstimate::choose(const Tree& tree, int body, const Pose& body_T_payload) noexcept {
  DYN_EXPECTS(body < tree.size);
  links_ = 0;
  if (tree.size > ws_.capacity) return;
  for (int i = body; i >= 0; i = tree.parent[i]) chain_[links_++] = i;
  std::reverse(chain_.begin(), chain_.begin() + links_);
  body_T_payload_ = body_T_payload;
}

void PayloadEstimate::add_torque(const Tree& tree, const ConstVectorRef<double>& q, const ConstVectorRef<double>& v,
                                 const ConstVectorRef<double>& v_s, const ConstVectorRef<double>& a_s,
                                 VectorRef<double> tau) noexcept {
  if (links_ == 0) return;
  spread_positions(tree, q.data(), ws_);
  update_kinematics(tree, ws_, needs_positions);
  Twist T = Twist::Zero();
  Twist T_s = Twist::Zero();
  Twist B = Twist::Zero();
  B.col(3) = -tree.gravity;
  for (int k = 0; k < links_; ++k) {
    const int i = chain_[k];
    const int c = tree.coordinate[i];
    const double ratio = tree.ratio[i];
    const Twist J = joint_twist(tree, ws_, i);
    const Twist Jdot = after(T, J) - after(J, T);  // T: the twist of the bodies before the joint
    B += ratio * (a_s[c] * J + v_s[c] * Jdot);
    T += ratio * v[c] * J;
    T_s += ratio * v_s[c] * J;
  }
  B += after(T_s, T);

  const int last = chain_[links_ - 1];
  Eigen::Matrix4d H = Eigen::Matrix4d::Identity();
  H.topLeftCorner<3, 3>() = ws_.R[last] * body_T_payload_.R;
  H.topRightCorner<3, 1>() = ws_.origin[last] + ws_.R[last] * body_T_payload_.p_m;
  const Twist BH = B * H;
  const Twist SH = (T - T_s) * H;
  const Eigen::Matrix4d product = BH.transpose() * SH;
  L_ = 0.5 * (product + product.transpose());

  const Eigen::Matrix4d HU = H * U_;
  const Eigen::Matrix<double, 4, 3> Q = HU * (BH * U_).transpose();  // H P H^T B^T
  for (int k = 0; k < links_; ++k) {
    const int i = chain_[k];
    const Twist J = joint_twist(tree, ws_, i);
    tau[tree.coordinate[i]] += tree.ratio[i] * J.cwiseProduct(Q.transpose()).sum();
  }
}

void PayloadEstimate::adapt(double gain, double period_s) noexcept {
  DYN_EXPECTS(gain >= 0.0 && period_s > 0.0);
  Eigen::Matrix4d Y = U_.transpose() * L_ * U_;
  Y *= -0.5 * gain * period_s;
  constexpr double most = 0.1;  // of a change in one period, relative
  const double size = Y.norm();
  if (!std::isfinite(size)) return;
  if (size > most) Y *= most / size;
  const Eigen::Matrix4d step = Eigen::Matrix4d::Identity() + Y + 0.5 * Y * Y;
  U_ = Eigen::Matrix4d(U_ * step);
}

BodyInertia PayloadEstimate::inertia() const noexcept {
  const Eigen::Matrix4d P = pseudo_inertia();
  BodyInertia body;
  body.mass_kg = P(3, 3);
  body.com_m = P.topRightCorner<3, 1>() / body.mass_kg;
  const Mat3d central = P.topLeftCorner<3, 3>() - body.mass_kg * body.com_m * body.com_m.transpose();
  body.inertia_com_kgm2 = central.trace() * Mat3d::Identity() - central;
  return body;
}

}  // namespace dyn::control
