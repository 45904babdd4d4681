// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A second set of link frames, for algorithms in link frames whose cost is counted. A body frame's z is the joint's
// axis, but its angle about z and its place along z are free; chosen along the common normal with the next axis, the
// transform to the next frame is two screws, as with Denavit-Hartenberg parameters:
//   parent_T_body(q) = [Rz(gamma)] Tx(a) Rx(alpha) Rz(theta0 + q) Tz(d)      (prismatic: Rz(theta0) Tz(d + q))
// and rotating a vector costs 2 x 4 multiplications instead of 9. Of several children only the first can have gamma =
// 0. Where two axes are nearly parallel the common normal is far away: then the translation stays general (p).
//
// Derived from the geometry and inertias of a Tree; Model::build and set_body_inertia keep it up to date.
#pragma once

#include <vector>

#include "dyn_core/numeric/types.hpp"

namespace dyn {

struct Tree;

// cos and sin of a rotation in a plane, and what the rotation of a symmetric matrix needs: s^2 and c s.
template <class T>
struct PlaneTurn {
  T c, s, ss, cs;
};

struct ScrewJoint {
  PlaneTurn<double> gamma{1.0, 0.0, 0.0, 0.0};  // about the parent's z
  PlaneTurn<double> alpha{1.0, 0.0, 0.0, 0.0};  // about the x axis after that
  Vec3d p = Vec3d::Zero();                      // from the parent's origin, in its axes after gamma, m
  double d = 0.0;                               // along the joint's axis, m
  double c0 = 1.0, s0 = 0.0;                    // of theta0
  bool turned = false;                          // gamma is not zero
  bool along_x = true;                          // p = (a, 0, 0)
};

struct ScrewInertia {
  double m = 0.0;
  Vec3d h = Vec3d::Zero();  // m c
  Mat3d I = Mat3d::Zero();  // about the frame's origin
};

struct ScrewFrames {
  std::vector<ScrewJoint> joint;
  std::vector<ScrewInertia> inertia;
  std::vector<double> c, s, shift;  // body_T_screw = Rz Tz(shift)
};

// Off the loop: allocates.
ScrewFrames make_screw_frames(const Tree& tree);

// After the inertia of a body has changed; real-time safe.
void update_screw_inertia(Tree& tree, int body) noexcept;

}  // namespace dyn
