// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What the algorithms see: a tree of bodies, each moved by one simple joint (revolute or prismatic) about or along the
// z axis of its own frame. Bodies are in depth-first order, so parents come before children and the subtree of body i
// is the range [i, subtree_end[i]). Plain arrays, one entry a body; filled by Model::build. A Model's tree never
// changes; in a copy of it (Dynamics has one) gravity and inertias may (body_inertia.hpp).
//
// How a URDF becomes this: links behind fixed joints are merged into their parent's body; every joint frame is turned
// so that its axis is z; a floating joint is P P P R R R (x, y, z, yaw, pitch, roll) and a planar one P P R, with
// massless bodies between; a mimic joint is a body of its own that follows another coordinate.
//
// Coordinates (q, v, a, tau as users see them) are entries of the user's order: q_body = ratio * q[coordinate] +
// offset.
#pragma once

#include <cstdint>
#include <vector>

#include "dyn_core/model/principal_inertia.hpp"
#include "dyn_core/model/screw_frames.hpp"
#include "dyn_core/numeric/types.hpp"

namespace dyn {

enum class Motion : std::uint8_t { revolute, prismatic };

struct Tree {
  int size = 0;                   // bodies
  int coordinates = 0;            // degrees of freedom, n
  Vec3d gravity = Vec3d::Zero();  // m/s^2, base frame

  std::vector<int> parent;       // -1: the base
  std::vector<int> subtree_end;  // subtree of i: [i, subtree_end[i])
  std::vector<Motion> motion;
  std::vector<Mat3d> parent_R_joint;        // joint frame in the parent's body frame at q = 0, z is the axis
  std::vector<Vec3d> parent_p_joint;        // its origin, m
  std::vector<double> mass;                 // kg
  std::vector<Vec3d> com;                   // centre of mass in the body frame, m
  std::vector<Mat3d> inertia_com;           // about the centre of mass, axes of the body frame, kg m^2
  std::vector<PrincipalInertia> principal;  // the same inertia as principal screws

  ScrewFrames screw;  // the same bodies in frames of Denavit-Hartenberg type; derived from the above

  std::vector<int> coordinate;   // entry of q that moves the body
  std::vector<double> ratio;     // 1 unless mimic
  std::vector<double> offset;    // 0 unless mimic
  std::vector<double> armature;  // one a coordinate; added to M's diagonal; 0 unless asked for

  bool bodies_are_coordinates = true;  // coordinate[i] == i for all, no mimic: internal and user order are the same
  bool has_mimic = false;

  // Does joint a move body b (a is b or an ancestor of it)?
  [[nodiscard]] bool supports(int a, int b) const noexcept { return a <= b && b < subtree_end[a]; }
};

}  // namespace dyn
