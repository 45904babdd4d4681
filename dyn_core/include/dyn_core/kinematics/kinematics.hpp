// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// From q (and v) to frames, axes, inertias and velocities in the base frame, each in one pass from the base outwards.
// An algorithm's `needs` say which passes it requires; its caller runs each pass once for all algorithms.
#pragma once

#include <cmath>

#include "dyn_core/error.hpp"
#include "dyn_core/kinematics/workspace.hpp"

namespace dyn {

// What an algorithm requires to be up to date in the workspace; a bit set.
enum Needs : unsigned {
  needs_nothing = 0,
  needs_trigonometry = 1,  // cos_q, sin_q
  needs_positions = 3,     // R, origin, axis, com (and trigonometry)
  needs_inertias = 7,      // inertia (and positions)
  needs_velocities = 11,   // omega, velocity (and positions)
  needs_all = 15,
};

// User coordinates to bodies: q_body = ratio q[coordinate] + offset; rates without the offset.
template <class T>
void spread_positions(const Tree& tree, const T* q, Workspace<T>& ws) noexcept {
  for (int i = 0; i < tree.size; ++i) {
    const T& value = q[tree.coordinate[i]];
    ws.q[i] = tree.has_mimic ? T(T(tree.ratio[i]) * value + T(tree.offset[i])) : value;
  }
}
template <class T>
void spread_rates(const Tree& tree, const T* rates, std::vector<T>& to) noexcept {
  for (int i = 0; i < tree.size; ++i) {
    const T& value = rates[tree.coordinate[i]];
    to[i] = tree.has_mimic ? T(T(tree.ratio[i]) * value) : value;
  }
}

template <class T>
void update_trigonometry(const Tree& tree, Workspace<T>& ws) noexcept {
  using std::cos;
  using std::sin;
  for (int i = 0; i < tree.size; ++i) {
    const bool turns = tree.motion[i] == Motion::revolute;
    ws.cos_q[i] = turns ? cos(ws.q[i]) : T(1.0);
    ws.sin_q[i] = turns ? sin(ws.q[i]) : T(0.0);
  }
}

// R_i = R_parent R_tree Rz(q),  o_i = o_parent + R_parent p_tree (+ z q),  c_i = o_i + R_i c
template <class T>
void update_positions(const Tree& tree, Workspace<T>& ws) noexcept {
  for (int i = 0; i < tree.size; ++i) {
    const Mat3<T> R_tree = tree.parent_R_joint[i].template cast<T>();
    const Vec3<T> p_tree = tree.parent_p_joint[i].template cast<T>();
    const int p = tree.parent[i];
    const Mat3<T> R_joint = p < 0 ? R_tree : Mat3<T>(ws.R[p] * R_tree);
    ws.origin[i] = p < 0 ? p_tree : Vec3<T>(ws.origin[p] + ws.R[p] * p_tree);
    ws.axis[i] = R_joint.col(2);
    if (tree.motion[i] == Motion::revolute) {
      ws.R[i].col(0) = R_joint.col(0) * ws.cos_q[i] + R_joint.col(1) * ws.sin_q[i];
      ws.R[i].col(1) = R_joint.col(1) * ws.cos_q[i] - R_joint.col(0) * ws.sin_q[i];
      ws.R[i].col(2) = R_joint.col(2);
    } else {
      ws.R[i] = R_joint;
      ws.origin[i] += ws.axis[i] * ws.q[i];
    }
    ws.com[i] = ws.origin[i] + ws.R[i] * tree.com[i].template cast<T>();
  }
}

// I = R I_com R^T
template <class T>
void update_inertias(const Tree& tree, Workspace<T>& ws) noexcept {
  for (int i = 0; i < tree.size; ++i) {
    const Mat3<T> RI = ws.R[i] * tree.inertia_com[i].template cast<T>();
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c <= r; ++c) {
        ws.inertia[i](r, c) = ws.inertia[i](c, r) = RI.row(r).dot(ws.R[i].row(c));
      }
    }
  }
}

// omega_i = omega_parent + z v (revolute);  v_i = v_parent + omega_parent x (o_i - o_parent) + z v (prismatic)
template <class T>
void update_velocities(const Tree& tree, Workspace<T>& ws) noexcept {
  for (int i = 0; i < tree.size; ++i) {
    const int p = tree.parent[i];
    const Vec3<T> joint_rate = ws.axis[i] * ws.v[i];
    const bool turns = tree.motion[i] == Motion::revolute;
    if (p < 0) {
      ws.omega[i] = turns ? joint_rate : Vec3<T>(Vec3<T>::Zero());
      ws.velocity[i] = turns ? Vec3<T>(Vec3<T>::Zero()) : joint_rate;
      continue;
    }
    ws.omega[i] = ws.omega[p];
    ws.velocity[i] = ws.velocity[p] + ws.omega[p].cross(ws.origin[i] - ws.origin[p]);
    (turns ? ws.omega[i] : ws.velocity[i]) += joint_rate;
  }
}

// The passes that `needs` asks for, on ws.q and ws.v.
template <class T>
DYN_REALTIME void update_kinematics(const Tree& tree, Workspace<T>& ws, unsigned needs) noexcept {
  if ((needs & needs_trigonometry) != 0U) update_trigonometry(tree, ws);
  if ((needs & (needs_positions ^ needs_trigonometry)) != 0U) update_positions(tree, ws);
  if ((needs & (needs_inertias ^ needs_positions)) != 0U) update_inertias(tree, ws);
  if ((needs & (needs_velocities ^ needs_positions)) != 0U) update_velocities(tree, ws);
}

}  // namespace dyn
