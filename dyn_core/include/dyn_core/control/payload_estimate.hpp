// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The payload, learnt from the tracking error (Slotine and Li): the ten parameters of one body on a link, as its
// pseudo-inertia
//   P = [Sigma h; h^T m],  Sigma = int r r^T dm,  h = int r dm   (payload frame),
// which is positive definite exactly where they are physically consistent. With p = H (r, 1) a point of the payload
// in the base frame, J_i, T = sum J_i v_i, T_s = sum J_i v_s,i twists as 3 x 4 matrices (a point's velocity is T p),
// the point's acceleration along the sliding motion, less gravity, is
//   B p,  B = sum J_i a_s,i + sum Jdot_i v_s,i + T_s T - (0 g0),
// (symmetric in v and v_s: the C of Christoffel symbols, so that Mdot - 2C is skew), and the payload's torque
//   tau_i = int (J_i p) . (B p) dm = trace(J_i H P H^T B^T),
// linear in P. With S = T - T_s the sliding twist, the estimate follows Lee, Kwon and Park's natural gradient
//   Pdot = -gain P L P,  L = sym((B H)^T (S H)),
// under which s^T M s / 2 + (Bregman divergence of P from the true one) / gain falls by s^T K s. With P = U U^T, a
// period T is U <- U (1 + Y + Y^2/2), Y = -gain T U^T L U / 2: P stays positive definite. Runs on the loop's thread.
#pragma once

#include <vector>

#include "dyn_core/kinematics/workspace.hpp"
#include "dyn_core/model/body_inertia.hpp"

namespace dyn::control {

class PayloadEstimate {
 public:
  explicit PayloadEstimate(int max_bodies);

  // The first estimate: a ball at the origin of the payload frame; both above 0.
  DYN_REALTIME void reset(double mass_kg, double radius_m) noexcept;
  // The body that carries the payload (-1, or a tree of more than max_bodies: none), and the payload frame in that
  // body's frame.
  DYN_REALTIME void choose(const Tree& tree, int body, const Pose& body_T_payload) noexcept;

  // tau += torque of the estimate under (q, v, v_s, a_s), coordinates; keeps what adapt() needs. v_s: sliding velocity.
  DYN_REALTIME void add_torque(const Tree& tree, const ConstVectorRef<double>& q, const ConstVectorRef<double>& v,
                               const ConstVectorRef<double>& v_s, const ConstVectorRef<double>& a_s,
                               VectorRef<double> tau) noexcept;
  // Updates the estimate over a period (above 0), at the state of the last add_torque(). gain: 1/J, at least 0.
  DYN_REALTIME void adapt(double gain, double period_s) noexcept;

  [[nodiscard]] BodyInertia inertia() const noexcept;  // payload frame
  [[nodiscard]] Eigen::Matrix4d pseudo_inertia() const noexcept { return U_ * U_.transpose(); }

 private:
  using Twist = Eigen::Matrix<double, 3, 4>;

  Eigen::Matrix4d U_ = Eigen::Matrix4d::Identity();
  Eigen::Matrix4d L_ = Eigen::Matrix4d::Zero();
  Workspace<double> ws_;
  std::vector<int> chain_;  // bodies from the base to the one that carries it
  int links_ = 0;
  Pose body_T_payload_;
};

}  // namespace dyn::control
