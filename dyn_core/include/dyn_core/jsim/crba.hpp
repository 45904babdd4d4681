// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by composite rigid bodies (CRBA).
// double runs the lane form, src/jsim/crba_lanes.cpp: composites about the bodies' origins in base axes; the wrench of
// a composite is multiplied with the unit twists of all its ancestors at once.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/dh_transforms.hpp"
#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::jsim {

// The composite-rigid-body algorithm in link frames (Walker and Orin 1982; Featherstone 2008, section 6.2), in its
// efficient form with screw frames, the CRBA of Table I of paper 003 (Safeea, Neto and Bearee):
//   composite of i: its own inertia and its children's, each transformed by two screws
//   F = composite of i times the joint's unit acceleration;  M_ii = component of F along the joint's axis
//   F transformed inwards joint by joint;  M_ij = component of F along the axis of ancestor j
template <class T>
class Crba {
 public:
  static constexpr std::string_view name = "crba";
  static constexpr std::string_view source = "Featherstone 2008, section 6.2; paper 003, Table I";
  static constexpr std::string_view lane_form = "src/jsim/crba_lanes.cpp";
  static constexpr unsigned needs = needs_trigonometry;

  explicit Crba(int capacity) : screw_(capacity), composite_(capacity) {}

  // in: cos_q, sin_q, q of ws.  out: M, symmetric, in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> M) noexcept {
    DYN_EXPECTS(fits(tree, ws, M));
    sum_composites(tree, ws);
    M.setZero();
    for (int i = 0; i < tree.size; ++i) {
      dh::Wrench<T> F = unit_wrench(composite_[i], tree.motion[i]);
      M(i, i) = tree.motion[i] == Motion::revolute ? F.n.z() : F.f.z();
      int j = i;
      while (tree.parent[j] >= 0) {
        dh::inwards(F, tree.screw.joint[j], screw_[j]);
        j = tree.parent[j];
        M(i, j) = M(j, i) = tree.motion[j] == Motion::revolute ? F.n.z() : F.f.z();
      }
    }
  }

 private:
  using Inertia = dh::RigidInertia<T>;

  void sum_composites(const Tree& tree, const Workspace<T>& ws) noexcept {
    for (int i = 0; i < tree.size; ++i) {
      screw_[i] = dh::joint_displacement(tree, ws, i);
      const ScrewInertia& own = tree.screw.inertia[i];
      composite_[i] = Inertia{static_cast<T>(own.m), own.h.template cast<T>(), own.I.template cast<T>()};
    }
    for (int i = tree.size; i-- > 0;) {
      if (tree.parent[i] < 0) continue;
      Inertia moved = composite_[i];
      dh::inwards(moved, tree.screw.joint[i], screw_[i]);
      Inertia& parent = composite_[tree.parent[i]];
      parent.m += moved.m;
      parent.h += moved.h;
      for (int c = 0; c < 3; ++c) {
        for (int r = c; r < 3; ++r) parent.I(r, c) += moved.I(r, c);
      }
    }
  }

  // Acceleration z of the joint: revolute n = I z, f = z x h; prismatic n = h x z, f = m z.
  static dh::Wrench<T> unit_wrench(const Inertia& b, Motion motion) noexcept {
    const T zero(0.0);
    if (motion == Motion::prismatic) return {{b.h.y(), -b.h.x(), zero}, {zero, zero, b.m}};
    return {{b.I(2, 0), b.I(2, 1), b.I(2, 2)}, {-b.h.y(), b.h.x(), zero}};
  }

  std::vector<dh::JointDisplacement<T>> screw_;
  std::vector<Inertia> composite_;
};

}  // namespace dyn::jsim
