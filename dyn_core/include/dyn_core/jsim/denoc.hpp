// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by paper 001 (Mohan and Saha), in link frames: this form is counted.
// double runs the lane form, src/jsim/denoc_lanes.cpp: the same recursion, but in base axes, each body about its own
// origin.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/dh_transforms.hpp"
#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::jsim {

// Paper 001 (Mohan and Saha), the generalized inertia matrix by decoupled natural orthogonal complement, in link
// frames: M = N_d^T N_1^T diag(M_i) N_1 N_d with N_1 of the twist propagations A and N_d of the joint twists p.
//   Mtilde_i = M_i + sum over the children c of A_ci^T Mtilde_c A_ci           (28; its last factor is printed as A_ic)
//   i_ij = p_i^T Mtilde_i A_ij p_j,  j an ancestor of i or i itself            (29)
// Mtilde is kept as a mass matrix of 6 x 6, twists A_ij p_j are propagated outwards over the subtree of j.
template <class T>
class Denoc {
 public:
  static constexpr std::string_view name = "denoc";
  static constexpr std::string_view source = "paper 001 (Mohan and Saha), eqs 28, 29";
  static constexpr std::string_view lane_form = "src/jsim/denoc_lanes.cpp";
  static constexpr unsigned needs = needs_trigonometry;

  explicit Denoc(int capacity) : screw_(capacity), composite_(capacity), momentum_(capacity), twist_(capacity) {}

  // in: cos_q, sin_q, q of ws.  out: M, symmetric, in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> M) noexcept {
    DYN_EXPECTS(fits(tree, ws, M));
    compose(tree, ws);
    M.setZero();
    for (int j = 0; j < tree.size; ++j) {
      const bool turns = tree.motion[j] == Motion::revolute;
      M(j, j) = turns ? momentum_[j].n.z() : momentum_[j].f.z();
      const Vec3<T> zero = Vec3<T>::Zero();
      const Vec3<T> z = Vec3<T>::UnitZ();
      twist_[j] = turns ? dh::Twist<T>{z, zero} : dh::Twist<T>{zero, z};  // p_j
      for (int i = j + 1; i < tree.subtree_end[j]; ++i) {
        dh::Twist<T>& t = twist_[i];
        t = twist_[tree.parent[i]];
        dh::outwards(t, tree.screw.joint[i], screw_[i]);  // A_ij p_j
        M(i, j) = M(j, i) = momentum_[i].n.dot(t.w) + momentum_[i].f.dot(t.a);
      }
    }
  }

 private:
  // (28), and Mtilde_i p_i
  void compose(const Tree& tree, const Workspace<T>& ws) noexcept {
    for (int i = 0; i < tree.size; ++i) {
      screw_[i] = dh::joint_displacement(tree, ws, i);
      composite_[i] = dh::mass_matrix<T>(tree.screw.inertia[i]);
    }
    for (int i = tree.size; i-- > 0;) {
      momentum_[i] = dh::times_axis(composite_[i], tree.motion[i]);
      if (tree.parent[i] < 0) continue;
      dh::MassMatrix<T> moved = composite_[i];
      dh::inwards(moved, tree.screw.joint[i], screw_[i]);
      dh::add(composite_[tree.parent[i]], moved);
    }
  }

  std::vector<dh::JointDisplacement<T>> screw_;
  std::vector<dh::MassMatrix<T>> composite_;  // Mtilde
  std::vector<dh::Wrench<T>> momentum_;       // Mtilde_i p_i
  std::vector<dh::Twist<T>> twist_;           // A_ij p_j for one j
};

}  // namespace dyn::jsim
